/** The life of a candidate (design §8) as a total table of allowed moves. Pure. */
export const CANDIDATE_STATES = [
  'candidate',
  'gated',
  'blocked',
  'canary',
  'production',
  'retired',
  'rolled_back',
] as const;
export type CandidateState = (typeof CANDIDATE_STATES)[number];

const MOVES: Readonly<Record<CandidateState, readonly CandidateState[]>> = {
  candidate: ['gated', 'blocked'],
  blocked: [],
  // The canary stage may be skipped where the deployment has none; the move is recorded with that reason.
  gated: ['canary', 'production'],
  canary: ['production', 'rolled_back'],
  production: ['retired', 'rolled_back'],
  retired: ['production'],
  rolled_back: ['production'],
};

export function mayMove(from: CandidateState, to: CandidateState): boolean {
  return MOVES[from].includes(to);
}
