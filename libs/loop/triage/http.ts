import { Readable } from 'node:stream';
import { Body, Controller, Get, Headers, Param, Patch, Post, Query, StreamableFile } from '@nestjs/common';
import { z } from 'zod';
import { BucketStatus, FailureCategory, Severity } from '#contracts/failure';
import { Answers, PageQuery, ProjectId, type Page } from '#platform/web';
import type { Bucket, BucketDetail } from './buckets.service.js';
import { Triage, type Failure, type FailureQuery, type SeriesPoint } from './triage.service.js';
import { BucketDetailForm, BucketPage, BucketSeries, FailurePage } from './answers.js';

const Id = z.string().min(1).max(200);
const NS_A_MS = 1_000_000n;
const Instant = z.iso.datetime({ offset: true }).transform((text) => BigInt(Date.parse(text)) * NS_A_MS);
const OnOff = z.enum(['true', 'false']).transform((value) => value === 'true');

const FailuresQuery = PageQuery.extend({
  trajectoryId: Id.optional(),
  agent: z.string().max(500).optional(),
  category: FailureCategory.optional(),
  bucketId: Id.optional(),
  rootCause: OnOff.optional(),
  since: Instant.optional(),
  until: Instant.optional(),
});
type FailuresQuery = z.infer<typeof FailuresQuery>;

const BucketsQuery = PageQuery.extend({
  agent: z.string().max(500).optional(),
  category: FailureCategory.optional(),
  status: BucketStatus.optional(),
});
type BucketsQuery = z.infer<typeof BucketsQuery>;

const BucketPatch = z
  .strictObject({
    name: z.string().trim().min(1).max(200).optional(),
    owner: z.string().trim().min(1).max(200).nullable().optional(),
    severity: Severity.optional(),
    status: BucketStatus.optional(),
  })
  .refine((patch) => Object.keys(patch).length > 0, { error: 'give name, owner, severity or status' });
type BucketPatch = z.infer<typeof BucketPatch>;

const MergeBody = z.strictObject({ bucketIds: z.array(Id).min(1).max(100) });
type MergeBody = z.infer<typeof MergeBody>;

const SplitBody = z.strictObject({
  clusterIds: z.array(Id).min(1).max(1_000),
  name: z.string().trim().min(1).max(200).optional(),
});
type SplitBody = z.infer<typeof SplitBody>;

const SeriesQuery = z.strictObject({
  stepMs: z.coerce.number().int().min(1_000).max(86_400_000).default(60_000),
  sinceMs: z.coerce.number().int().min(0).default(0),
});
type SeriesQuery = z.infer<typeof SeriesQuery>;

const NDJSON = 'application/x-ndjson';

function filterOf({ since, until, rootCause, ...rest }: FailuresQuery): FailureQuery {
  return { ...rest, sinceNs: since, untilNs: until, rootOnly: rootCause };
}

@Controller('api/v1/failures')
export class FailuresController {
  constructor(private readonly triage: Triage) {}

  /** A page; with `Accept: application/x-ndjson` all that matches, one a line. */
  @Get()
  @Answers(200, FailurePage, { [NDJSON]: 'All failures that match, a Failure a line' })
  list(
    @ProjectId() projectId: string,
    @Query({ schema: FailuresQuery }) query: FailuresQuery,
    @Headers('accept') accept = '',
  ): Promise<Page<Failure>> | StreamableFile {
    if (!accept.includes(NDJSON)) return this.triage.listFailures(projectId, filterOf(query));
    const lines = linesOf(this.triage.exportFailures(projectId, filterOf(query)));
    return new StreamableFile(Readable.from(lines, { objectMode: false }), { type: NDJSON });
  }
}

async function* linesOf(failures: AsyncIterable<Failure>): AsyncGenerator<Buffer> {
  for await (const failure of failures) yield Buffer.from(`${JSON.stringify(failure)}\n`);
}

@Controller('api/v1/buckets')
export class BucketsController {
  constructor(private readonly triage: Triage) {}

  @Get()
  @Answers(200, BucketPage)
  list(
    @ProjectId() projectId: string,
    @Query({ schema: BucketsQuery }) query: BucketsQuery,
  ): Promise<Page<Bucket>> {
    const { status, ...rest } = query;
    return this.triage.listBuckets(projectId, {
      ...rest,
      statuses: status === undefined ? undefined : [status],
    });
  }

  @Get(':id')
  @Answers(200, BucketDetailForm)
  get(@ProjectId() projectId: string, @Param('id', { schema: Id }) id: string): Promise<BucketDetail> {
    return this.triage.getBucket(projectId, id);
  }

  @Get(':id/series')
  @Answers(200, BucketSeries)
  series(
    @ProjectId() projectId: string,
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: SeriesQuery }) query: SeriesQuery,
  ): Promise<SeriesPoint[]> {
    return this.triage.bucketSeries(projectId, id, query);
  }

  @Patch(':id')
  @Answers(200, BucketDetailForm)
  patch(
    @ProjectId() projectId: string,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: BucketPatch }) patch: BucketPatch,
  ): Promise<BucketDetail> {
    return this.triage.patchBucket(projectId, id, patch);
  }

  /** Moves the named buckets' clusters into this one. */
  @Post(':id/merge')
  @Answers(201, BucketDetailForm)
  merge(
    @ProjectId() projectId: string,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: MergeBody }) body: MergeBody,
  ): Promise<BucketDetail> {
    return this.triage.mergeBuckets(projectId, id, body.bucketIds);
  }

  /** Moves the named clusters of this bucket into a new one, which is answered. */
  @Post(':id/split')
  @Answers(201, BucketDetailForm)
  split(
    @ProjectId() projectId: string,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: SplitBody }) body: SplitBody,
  ): Promise<BucketDetail> {
    return this.triage.splitBucket(projectId, id, body);
  }
}
