import { Injectable } from '@nestjs/common';
import { DEFAULT_GATE_POLICY, Gates, wouldPassWithout } from '#loop/gates';
import { Registry } from '#loop/registry';
import { CycleSettings } from '../settings.js';
import { Stage, type StageContext, type StageResult } from '../stage.js';
import { GateEvidenceSource } from '../gate-evidence.js';
import type { AdmissionEvidence, SuitesEvidence } from './evidence-types.js';

/** Judges once, on evidence of the candidate as it will be served, and records the verdict and the reading. */
@Injectable()
export class GateStage extends Stage {
  readonly name = 'gate';

  constructor(
    private readonly gates: Gates,
    private readonly evidence: GateEvidenceSource,
    private readonly registry: Registry,
    private readonly settings: CycleSettings,
  ) {
    super();
  }

  async run(context: StageContext): Promise<StageResult> {
    const { cycle, evidence } = context;
    const { projectId } = cycle;
    const { environment } = evidence<SuitesEvidence>('suites');
    const { candidateId } = evidence<AdmissionEvidence>('admission');
    const stored = await this.gates.decide({
      id: `gate-${cycle.id}`,
      projectId,
      agent: cycle.agent,
      candidateId,
      cycleId: cycle.id,
      evidence: await this.evidence.gather(context),
      policy: this.settings.options.gatePolicies[environment] ?? DEFAULT_GATE_POLICY,
    });
    const { report } = stored;
    const promotes = report.verdict === 'promote';
    const reason = promotes ? 'every check passed' : `blocked by ${report.blockedBy.join(', ')}`;
    const move = { projectId, candidateId, actor: 'gate', reason };
    await this.registry.recordVerdict(move, promotes ? 'gated' : 'blocked', stored.id);
    const found = {
      reportId: stored.id,
      blockedBy: report.blockedBy,
      onlySafetyBlocks: wouldPassWithout(report, 'safety'),
    };
    return {
      state: 'done',
      summary: reason,
      evidence: found,
      change: { gateReportId: stored.id },
      ...(promotes ? {} : { verdict: { verdict: 'blocked' as const, reason } }),
    };
  }
}
