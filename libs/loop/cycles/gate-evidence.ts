import { Injectable } from '@nestjs/common';
import type { GateEvidence } from '#contracts/gate';
import { EnvironmentCatalog } from '#loop/environments';
import { EvalSuites } from '#loop/evals';
import { Training } from '#loop/training';
import { trainingRunId } from './domain/stages.js';
import { MeasureSuites, SUITES, type Arms } from './measure-suites.js';
import type { StageContext } from './stage.js';
import type { AdmissionEvidence, MeasuredEvidence, SuitesEvidence } from './stages/evidence-types.js';

/** Puts the gate's evidence together from what earlier stages stored. */
@Injectable()
export class GateEvidenceSource {
  constructor(
    private readonly suites: MeasureSuites,
    private readonly evalSuites: EvalSuites,
    private readonly training: Training,
    private readonly catalog: EnvironmentCatalog,
  ) {}

  async gather(context: StageContext): Promise<GateEvidence> {
    const { cycle, recipe, evidence } = context;
    const { environmentId } = evidence<SuitesEvidence>('suites');
    const admission = evidence<AdmissionEvidence>('admission');
    const measured = evidence<MeasuredEvidence>('evidence');
    const arms: Arms = await this.suites.arms(context);
    const [traffic, safety, buckets] = [
      await this.suites.measure(context, arms, 'traffic'),
      await this.suites.measure(context, arms, 'safety'),
      await this.suites.measure(context, arms, 'buckets'),
    ];
    const verifier = await this.catalog.admissionOf(cycle.projectId, environmentId, recipe.verifier, recipe);
    return {
      agents: {
        baseline: measured.baselineDigest,
        candidate: measured.candidateDigest,
        anchor: measured.anchorDigest,
      },
      servedCandidateDigest: arms.candidate.agentRefDigest,
      plan: { traffic: traffic.plan, safety: safety.plan, buckets: buckets.plan },
      suites: { traffic: traffic.cases, safety: safety.cases, buckets: buckets.cases },
      latency: traffic.latency,
      seal: await this.seal(context),
      readings: await this.readings(context),
      verifierAdmission: verifier.state,
      adapterAdmission: {
        ok: admission.problems.length === 0,
        problems: admission.problems,
        deltaNorm: admission.deltaNorm,
      },
      measuredAt: measured.measuredAt,
    };
  }

  private async seal({ cycle, evidence }: StageContext): Promise<GateEvidence['seal']> {
    const { suites } = evidence<SuitesEvidence>('suites');
    const { manifest } = await this.training.get(cycle.projectId, trainingRunId(cycle.id));
    const all = await Promise.all(
      SUITES.map((name) => this.evalSuites.get(cycle.projectId, suites[name].id)),
    );
    const heldoutKeys = [...new Set(all.flatMap((suite) => suite.lineageKeys))].sort();
    return {
      manifestKeys: manifest,
      heldoutKeys,
      manifestCount: manifest.length,
      heldoutCount: heldoutKeys.length,
    };
  }

  /** Counts this verdict once against every suite; the traffic suite's budget is the one that is judged. */
  private async readings({ cycle, evidence }: StageContext): Promise<GateEvidence['readings']> {
    const { suites } = evidence<SuitesEvidence>('suites');
    const before = await Promise.all(
      SUITES.map((name) =>
        this.evalSuites.recordReading(cycle.projectId, suites[name].id, `gate-${cycle.id}`),
      ),
    );
    const used = Math.max(...before.map((reading) => reading.used));
    const budget = Math.min(...before.map((reading) => reading.budget));
    return { suiteVersion: SUITES.map((name) => `${name}@${suites[name].version}`).join(' '), used, budget };
  }
}
