/** What the lightest-fix rule may know of a policy, from its measurements. Null: the test does not apply here. Pure. */
import type { Baseline, RewardProfile } from '#loop/evals';
import type { FixEvidence } from '#loop/triage';

export function fixEvidence(of: {
  rates: Baseline | null;
  profile: RewardProfile;
  verifierUsable: boolean;
  longOrStateful: boolean;
}): FixEvidence {
  const invalid = of.rates?.invalidOutput.value?.estimate;
  return {
    validFormatRate: invalid === undefined ? null : 1 - invalid,
    meanPass: of.profile.passRate.estimate,
    signal: of.profile.signal.estimate,
    passAt8Upper: of.profile.passAt8.upper,
    verifierUsable: of.verifierUsable,
    profileEnough: of.profile.enough,
    longOrStateful: of.longOrStateful,
    reasons: {
      factHelps:
        'no fact is missing: everything a task needs is in its request or behind a tool, and no retrieval is part of the agent',
      toolAtFault: "the tools are the environment's own and proved themselves on the gold runs",
      promptHelps: 'the policy was made without a system prompt and reads none',
    },
  };
}
