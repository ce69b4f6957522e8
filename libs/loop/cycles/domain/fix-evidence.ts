/** What the lightest-fix rule may know of a policy, from its measurements. Null: the test does not apply here. Pure. */
import type { Baseline, RewardProfile } from '#loop/evals';
import type { FixEvidence } from '#loop/triage';

export function fixEvidence(of: {
  rates: Baseline | null;
  profile: RewardProfile;
  verifierUsable: boolean;
}): FixEvidence {
  const invalid = of.rates?.invalidOutput.value?.estimate;
  return {
    validFormatRate: invalid === undefined ? null : 1 - invalid,
    meanPass: of.profile.passRate.estimate,
    signal: of.profile.signal.estimate,
    passAt8Upper: of.profile.passAt8.upper,
    verifierUsable: of.verifierUsable,
    profileEnough: of.profile.enough,
  };
}
