import { z } from 'zod';
import { FailureCategory, Severity } from '#contracts/failure';
import { ChBigInt, ChBool, ChFloat, ChInt, ChUInt, defineQuery } from '#platform/clickhouse';

const failureRow = z.object({
  id: z.string(),
  trajectoryId: z.string(),
  agent: z.string(),
  policy: z.string().nullable(),
  category: FailureCategory,
  detail: z.string(),
  tool: z.string(),
  stepId: z.string(),
  stepIndex: ChInt,
  severity: Severity,
  confidence: ChFloat,
  detectorName: z.string(),
  detectorVersion: z.string(),
  evidence: z.string(),
  rootCause: ChBool,
  clusterId: z.string(),
  observedAtNs: ChBigInt,
});
export type FailureRow = z.infer<typeof failureRow>;

const FAILURE_COLUMNS = `id, trajectory_id AS trajectoryId, agent, policy, category, detail, tool, step_id AS stepId,
  step_index AS stepIndex, severity, confidence, detector_name AS detectorName, detector_version AS detectorVersion, evidence,
  root_cause AS rootCause, cluster_id AS clusterId, observed_at_ns AS observedAtNs`;

export const failuresOfTrajectory = defineQuery({
  name: 'triage.failuresOfTrajectory',
  params: z.object({ projectId: z.string(), trajectoryId: z.string() }),
  row: failureRow,
  sql: `SELECT ${FAILURE_COLUMNS} FROM failures_once
        WHERE project_id = {projectId:String} AND trajectory_id = {trajectoryId:String}
        ORDER BY stepIndex, rootCause DESC, confidence DESC, id`,
});

/** Empty lists and null filters do not filter. Newest first, keyset on (observed, id). */
export const failureList = defineQuery({
  name: 'triage.failureList',
  params: z.object({
    projectId: z.string(),
    trajectoryId: z.string(),
    agent: z.string(),
    category: z.string(),
    clusterIds: z.array(z.string()),
    rootOnly: z.boolean(),
    sinceNs: z.bigint(),
    untilNs: z.bigint(),
    beforeNs: z.bigint(),
    beforeId: z.string(),
    limit: z.number().int(),
  }),
  row: failureRow,
  sql: `SELECT ${FAILURE_COLUMNS} FROM failures_once
        WHERE project_id = {projectId:String}
          AND ({trajectoryId:String} = '' OR trajectory_id = {trajectoryId:String})
          AND ({agent:String} = '' OR agent = {agent:String})
          AND ({category:String} = '' OR category = {category:String})
          AND (empty({clusterIds:Array(String)}) OR has({clusterIds:Array(String)}, cluster_id))
          AND (NOT {rootOnly:Bool} OR root_cause = 1)
          AND observed_at_ns >= {sinceNs:UInt64} AND observed_at_ns < {untilNs:UInt64}
          AND (observed_at_ns, id) < ({beforeNs:UInt64}, {beforeId:String})
        ORDER BY observed_at_ns DESC, id DESC LIMIT {limit:UInt32}`,
});

/** Trajectories whose root cause is in the clusters, or that show the category; newest first, keyset on (observed, id). */
export const trajectoryIds = defineQuery({
  name: 'triage.trajectoryIds',
  params: z.object({
    projectId: z.string(),
    category: z.string(),
    clusterIds: z.array(z.string()),
    beforeNs: z.bigint(),
    beforeId: z.string(),
    limit: z.number().int(),
  }),
  row: z.object({ trajectoryId: z.string(), observedAtNs: ChBigInt }),
  sql: `SELECT trajectory_id AS trajectoryId, max(observed_at_ns) AS observedAtNs FROM failures_once
        WHERE project_id = {projectId:String}
          AND ({category:String} = '' OR category = {category:String})
          AND (empty({clusterIds:Array(String)}) OR (root_cause = 1 AND has({clusterIds:Array(String)}, cluster_id)))
        GROUP BY trajectoryId
        HAVING (observedAtNs, trajectoryId) < ({beforeNs:UInt64}, {beforeId:String})
        ORDER BY observedAtNs DESC, trajectoryId DESC LIMIT {limit:UInt32}`,
});

/** `buckets[i]` is the bucket of `clusters[i]`. Failures count all; trajectories those whose root cause it is. */
export const bucketFigures = defineQuery({
  name: 'triage.bucketFigures',
  params: z.object({ projectId: z.string(), clusters: z.array(z.string()), buckets: z.array(z.string()) }),
  row: z.object({
    bucketId: z.string(),
    failures: ChUInt,
    trajectories: ChUInt,
    firstSeenNs: ChBigInt,
    lastSeenNs: ChBigInt,
    examples: z.array(z.string()),
    policies: z.array(z.string()),
  }),
  sql: `SELECT transform(cluster_id, {clusters:Array(String)}, {buckets:Array(String)}, '') AS bucketId,
               count() AS failures, uniqExactIf(trajectory_id, root_cause = 1) AS trajectories,
               min(observed_at_ns) AS firstSeenNs, max(observed_at_ns) AS lastSeenNs,
               arrayMap(pair -> pair.2, arraySlice(arrayReverseSort(groupUniqArrayIf(1000)((observed_at_ns, trajectory_id), root_cause = 1)), 1, 5)) AS examples,
               groupUniqArrayIf(200)(assumeNotNull(policy), root_cause = 1 AND policy IS NOT NULL) AS policies
        FROM failures_once
        WHERE project_id = {projectId:String} AND has({clusters:Array(String)}, cluster_id)
        GROUP BY bucketId`,
});

export const clusterFigures = defineQuery({
  name: 'triage.clusterFigures',
  params: z.object({ projectId: z.string(), clusters: z.array(z.string()) }),
  row: z.object({ clusterId: z.string(), failures: ChUInt, trajectories: ChUInt }),
  sql: `SELECT cluster_id AS clusterId, count() AS failures, uniqExactIf(trajectory_id, root_cause = 1) AS trajectories
        FROM failures_once
        WHERE project_id = {projectId:String} AND has({clusters:Array(String)}, cluster_id)
        GROUP BY clusterId`,
});

/** Root causes of the clusters by time, in steps of `stepNs`; only steps that hold some. */
export const rootCausesOverTime = defineQuery({
  name: 'triage.rootCausesOverTime',
  params: z.object({
    projectId: z.string(),
    clusters: z.array(z.string()),
    stepNs: z.bigint(),
    sinceNs: z.bigint(),
  }),
  row: z.object({ startNs: ChBigInt, failures: ChUInt }),
  sql: `SELECT intDiv(observed_at_ns, {stepNs:UInt64}) * {stepNs:UInt64} AS startNs, count() AS failures
        FROM failures_once
        WHERE project_id = {projectId:String} AND has({clusters:Array(String)}, cluster_id) AND root_cause = 1
          AND observed_at_ns >= {sinceNs:UInt64}
        GROUP BY startNs ORDER BY startNs`,
});

export const failureCount = defineQuery({
  name: 'triage.failureCount',
  params: z.object({ projectId: z.string() }),
  row: z.object({ failures: ChUInt }),
  sql: 'SELECT count() AS failures FROM failures_once WHERE project_id = {projectId:String}',
});

/** Failure ids on record for trajectories: what a new look no longer finds is retracted. */
export const failureIdsOf = defineQuery({
  name: 'triage.failureIdsOf',
  params: z.object({ projectId: z.string(), trajectoryIds: z.array(z.string()) }),
  row: z.object({ trajectoryId: z.string(), id: z.string() }),
  sql: `SELECT trajectory_id AS trajectoryId, id FROM failures_once
        WHERE project_id = {projectId:String} AND trajectory_id IN {trajectoryIds:Array(String)}`,
});

/** State of the revision that is current now; no row while it is pending. */
export const currentState = defineQuery({
  name: 'triage.currentState',
  params: z.object({ projectId: z.string(), trajectoryId: z.string() }),
  row: z.object({ state: z.enum(['done', 'failed']) }),
  sql: `SELECT state FROM triage_states_once
        WHERE project_id = {projectId:String} AND trajectory_id = {trajectoryId:String}
          AND revision IN (SELECT revision FROM trajectories_once
                           WHERE project_id = {projectId:String} AND trajectory_id = {trajectoryId:String})`,
});

/** Current revisions stored before `beforeSeq` that were never triaged, oldest first. */
export const pendingRevisions = defineQuery({
  name: 'triage.pendingRevisions',
  params: z.object({ afterSeq: z.bigint(), beforeSeq: z.bigint(), limit: z.number().int() }),
  row: z.object({ projectId: z.string(), trajectoryId: z.string(), revision: ChUInt, storedSeq: ChBigInt }),
  sql: `SELECT t.project_id AS projectId, t.trajectory_id AS trajectoryId, t.revision AS revision, t.stored_seq AS storedSeq
        FROM (SELECT project_id, trajectory_id, revision, stored_seq FROM trajectories_once
              WHERE stored_seq >= {afterSeq:UInt64} AND stored_seq < {beforeSeq:UInt64}) AS t
        LEFT ANTI JOIN triage_states AS s
          ON t.project_id = s.project_id AND t.trajectory_id = s.trajectory_id AND t.revision = s.revision
        ORDER BY storedSeq, trajectoryId LIMIT {limit:UInt32}`,
});

/** Failures of trajectories that are no longer there (a late span joined two runs into one). */
export const orphanedFailures = defineQuery({
  name: 'triage.orphanedFailures',
  params: z.object({ limit: z.number().int() }),
  row: z.object({ projectId: z.string(), trajectoryId: z.string() }),
  sql: `SELECT DISTINCT f.project_id AS projectId, f.trajectory_id AS trajectoryId FROM failures_once AS f
        LEFT ANTI JOIN trajectories_once AS t ON f.project_id = t.project_id AND f.trajectory_id = t.trajectory_id
        LIMIT {limit:UInt32}`,
});
