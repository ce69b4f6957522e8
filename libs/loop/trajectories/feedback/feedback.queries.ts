import { z } from 'zod';
import { ChBigInt, ChUInt, defineQuery } from '#platform/clickhouse';

const value = z
  .string()
  .transform((text) => JSON.parse(text) as unknown)
  .pipe(z.union([z.number(), z.boolean(), z.string()]));

const feedbackRow = z.object({
  projectId: z.string(),
  id: z.string(),
  targetKind: z.enum(['trajectory', 'trace', 'session', 'step', 'response']),
  targetId: z.string(),
  stepId: z.string().transform((id) => (id === '' ? null : id)),
  name: z.string(),
  value,
  comment: z.string().nullable(),
  source: z.string(),
  observedAtNs: ChBigInt.transform(String),
  authenticatedUser: z.union([z.number(), z.null()]).transform((flag) => (flag === null ? null : flag === 1)),
  receivedSeq: ChBigInt,
});
export type FeedbackRow = z.infer<typeof feedbackRow>;

const columns = `project_id AS projectId, feedback_id AS id, target_kind AS targetKind, target_id AS targetId, step_id AS stepId,
               name, value, comment, source, observed_ns AS observedAtNs, authenticated AS authenticatedUser,
               received_seq AS receivedSeq`;

/** Which kinds of target have feedback in this project, and the newest receipt of each. */
export const feedbackKinds = defineQuery({
  name: 'feedback.kinds',
  params: z.object({ projectId: z.string() }),
  row: z.object({ kind: z.string(), newest: ChBigInt }),
  sql: `SELECT target_kind AS kind, max(received_seq) AS newest FROM feedback WHERE project_id = {projectId:String}
        GROUP BY kind ORDER BY kind`,
});

export const feedbackOfTargets = defineQuery({
  name: 'feedback.ofTargets',
  params: z.object({ projectId: z.string(), kind: z.string(), ids: z.array(z.string()) }),
  row: feedbackRow,
  sql: `SELECT ${columns} FROM feedback_once
        WHERE project_id = {projectId:String} AND target_kind = {kind:String} AND target_id IN {ids:Array(String)}`,
});

/** In order of receipt, of all projects. */
export const feedbackSince = defineQuery({
  name: 'feedback.since',
  params: z.object({ floor: z.bigint(), rows: z.number() }),
  row: feedbackRow,
  sql: `SELECT ${columns} FROM feedback WHERE received_seq > {floor:UInt64} ORDER BY received_seq LIMIT {rows:UInt32}`,
});

/** Newest first, by page number: how Langfuse's clients ask. Absent filters are null. */
export const feedbackPage = defineQuery({
  name: 'feedback.page',
  params: z.object({
    projectId: z.string(),
    id: z.string().nullable(),
    name: z.string().nullable(),
    traceId: z.string().nullable(),
    skip: z.number(),
    rows: z.number(),
  }),
  row: feedbackRow.extend({ total: ChUInt }),
  sql: `SELECT ${columns}, count() OVER () AS total FROM feedback_once
        WHERE project_id = {projectId:String}
          AND ({id:Nullable(String)} IS NULL OR feedback_id = {id:Nullable(String)})
          AND ({name:Nullable(String)} IS NULL OR name = {name:Nullable(String)})
          AND ({traceId:Nullable(String)} IS NULL OR (target_kind = 'trace' AND target_id = {traceId:Nullable(String)}))
        ORDER BY received_seq DESC, feedback_id LIMIT {rows:UInt32} OFFSET {skip:UInt32}`,
});

export const feedbackProgress = defineQuery({
  name: 'feedback.progress',
  params: z.object({ reader: z.string() }),
  row: z.object({ through: ChBigInt }),
  sql: `SELECT through_seq AS through FROM feedback_progress_once WHERE reader = {reader:String}`,
});

/** Trajectories of these sessions. */
export const trajectoriesOfSessions = defineQuery({
  name: 'feedback.trajectoriesOfSessions',
  params: z.object({ projectId: z.string(), ids: z.array(z.string()) }),
  row: z.object({ id: z.string() }),
  sql: `SELECT trajectory_id AS id FROM trajectories_once
        WHERE project_id = {projectId:String} AND session_id IN {ids:Array(String)}`,
});

/** Trajectories with one of these ids among their steps: reads all steps of the project, once for many ids. */
export const trajectoriesOfSteps = defineQuery({
  name: 'feedback.trajectoriesOfSteps',
  params: z.object({ projectId: z.string(), ids: z.array(z.string()) }),
  row: z.object({ id: z.string() }),
  sql: `SELECT trajectory_id AS id FROM trajectories_once
        WHERE project_id = {projectId:String} AND multiSearchAny(steps, {ids:Array(String)})`,
});

export const trajectoriesOfTraces = defineQuery({
  name: 'feedback.trajectoriesOfTraces',
  params: z.object({ projectId: z.string(), ids: z.array(z.string()) }),
  row: z.object({ id: z.string() }),
  sql: `SELECT arrayJoin(trajectory_ids) AS id FROM trace_assemblies_once
        WHERE project_id = {projectId:String} AND trace_id IN {ids:Array(String)}`,
});
