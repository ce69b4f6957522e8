/** Evidence that stages leave for later ones, as stored in the turn. */
export interface BucketsEvidence {
  buckets: { id: string; name: string; category: string; severity: string; failures: number }[];
}
export interface SuitesEvidence {
  environmentId: string;
  environment: string;
  /** Judges beside the paid verifier, and was never paid by. */
  independentVerifier: string;
  /** Slices of the environment that the buckets' failures were in. */
  failedSlices: string[];
  suites: Record<
    'traffic' | 'safety' | 'buckets',
    { id: string; version: number; cases: number; groups: number }
  >;
}
export interface BaselineEvidence {
  productionId: string;
  policy: string;
  [measured: string]: unknown;
}
export interface TrainingEvidence {
  runId: string;
  adapterDir: string;
  [measured: string]: unknown;
}
export interface AdmissionEvidence {
  candidateId: string;
  policy: string;
  problems: string[];
  deltaNorm: number;
}
export interface MeasuredEvidence {
  baselineDigest: string;
  candidateDigest: string;
  anchorId: string;
  anchorDigest: string;
  runIds: Record<'traffic' | 'safety' | 'buckets', string>;
  measuredAt: string;
  [measured: string]: unknown;
}
