import { Injectable } from '@nestjs/common';
import { samplingOf } from '#contracts/policy';
import type { ArmPolicy, RunSettings } from '#loop/evals';
import { Gates, SUCCESS_CHECK } from '#loop/gates';
import { Registry, type Candidate } from '#loop/registry';
import { PolicyFleet } from '#loop/serving';

/** Who takes part in a measurement, and how the fleet answers for them. */
@Injectable()
export class Agents {
  constructor(
    private readonly registry: Registry,
    private readonly gates: Gates,
    private readonly fleet: PolicyFleet,
  ) {}

  policyOf(candidate: Candidate): ArmPolicy {
    return { ...this.fleet.endpoint, model: candidate.policyName };
  }

  /** Decoding and price of the policy card: base band, gate and serving use the same. */
  settingsOf(of: {
    repeats: number;
    seed: number;
    verifiers: RunSettings['verifiers'];
    concurrency: number;
  }): RunSettings {
    const { input, output } = this.fleet.card.priceUsdPerToken;
    const price = { inputPerMillionUsd: input * 1e6, outputPerMillionUsd: output * 1e6 };
    return { ...of, sampling: samplingOf(this.fleet.card), price };
  }

  /**
   * The anchor: the version with the best success any gate report promoted, measured again on today's suite; the
   * production version where none was better. Margins judged against it do not add up over turns.
   */
  async anchor(production: Candidate): Promise<Candidate> {
    const promoted = (await this.registry.list(production.projectId, { limit: 500, before: null })).filter(
      (one) =>
        one.agent === production.agent &&
        ['production', 'retired'].includes(one.state) &&
        one.gateReportId !== null,
    );
    let best = { candidate: production, success: await this.successOf(production) };
    for (const candidate of promoted) {
      const success = await this.successOf(candidate);
      if (success > best.success) best = { candidate, success };
    }
    return best.candidate;
  }

  private async successOf(candidate: Candidate): Promise<number> {
    if (candidate.gateReportId === null) return Number.NEGATIVE_INFINITY;
    const { report } = await this.gates.get(candidate.projectId, candidate.gateReportId);
    return report.checks.find((check) => check.id === SUCCESS_CHECK)?.candidate ?? Number.NEGATIVE_INFINITY;
  }
}
