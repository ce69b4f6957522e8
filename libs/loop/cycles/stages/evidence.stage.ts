import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import type { Measurement } from '#loop/evals';
import { MeasureSuites, SUITES, type SuiteName } from '../measure-suites.js';
import { Stage, type StageContext, type StageResult } from '../stage.js';
import type { MeasuredEvidence } from './evidence-types.js';

const percent = (share: number | undefined): string =>
  share === undefined ? 'unknown' : `${(100 * share).toFixed(0)} %`;

/** Measures candidate against baseline on the sealed suites. */
@Injectable()
export class EvidenceStage extends Stage {
  readonly name = 'evidence';

  constructor(
    private readonly suites: MeasureSuites,
    private readonly clock: Clock,
  ) {
    super();
  }

  async run(context: StageContext): Promise<StageResult> {
    const arms = await this.suites.arms(context);
    const measured = {} as Record<SuiteName, Measurement>;
    for (const [index, name] of SUITES.entries()) {
      await context.say(`running the ${name} suite`, index / SUITES.length);
      measured[name] = await this.suites.measure(context, arms, name);
    }
    const evidence: MeasuredEvidence = {
      baselineDigest: arms.baseline.agentRefDigest,
      candidateDigest: arms.candidate.agentRefDigest,
      anchorId: arms.anchor.id,
      anchorDigest: arms.anchor.agentRefDigest,
      runIds: {
        traffic: measured.traffic.runId,
        safety: measured.safety.runId,
        buckets: measured.buckets.runId,
      },
      measuredAt: this.clock.now().toISOString(),
      byArm: Object.fromEntries(SUITES.map((name) => [name, measured[name].byArm])),
    };
    const { baseline, candidate } = measured.traffic.byArm;
    const summary = `traffic success ${percent(baseline?.success.value?.estimate)} → ${percent(candidate?.success.value?.estimate)}`;
    return { state: 'done', summary, evidence };
  }
}
