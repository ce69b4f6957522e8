/** Forms of this stage's HTTP answers. */
import { z } from 'zod';
import { Bucket, Failure, FailureCategory } from '#contracts/failure';
import { named, pageForm } from '#platform/web';

export const FailurePage = pageForm('Failure', named('Failure', Failure));
export const BucketPage = pageForm('Bucket', named('Bucket', Bucket));

export const BucketDetailForm = named(
  'BucketDetail',
  Bucket.extend({
    clusters: z.array(
      z.object({
        clusterId: z.string(),
        category: FailureCategory,
        detail: z.string().nullable(),
        tool: z.string().nullable(),
        failures: z.number().int(),
        trajectories: z.number().int(),
      }),
    ),
  }),
);

export const BucketSeries = named(
  'BucketSeries',
  z.array(z.object({ startMs: z.number().int(), failures: z.number().int() })),
);
