import { z } from 'zod';
import { Outcome } from '#contracts/trajectory';
import { ChBigInt, ChFloat, ChInt, ChUInt, defineQuery } from '#platform/clickhouse';

const JsonText = z.string().transform((text) => JSON.parse(text) as unknown);
const NsText = ChBigInt.transform(String);

const summaryColumns = `trajectory_id AS id, project_id AS projectId, external_id AS externalId, revision, source, agent,
  agent_ref AS agentRef, policy, session_id AS sessionId, trace_id AS traceId, outcome AS outcomeValue,
  outcome_source AS outcomeSource, outcome_confidence AS outcomeConfidence, reward, started_at_ns AS startedAtNs,
  ended_at_ns AS endedAtNs, step_count AS stepCount, message_count AS messageCount, model_call_count AS modelCallCount,
  input_tokens AS inputTokens, output_tokens AS outputTokens, cache_read_tokens AS cacheReadTokens,
  reasoning_tokens AS reasoningTokens, cost_usd AS costUsd`;

const summaryRow = z.object({
  id: z.string(),
  projectId: z.string(),
  externalId: z.string(),
  revision: ChInt,
  source: z.string(),
  agent: z.string(),
  agentRef: z.string().nullable(),
  policy: z.string().nullable(),
  sessionId: z.string().nullable(),
  traceId: z.string().nullable(),
  outcomeValue: Outcome.shape.value,
  outcomeSource: Outcome.shape.source,
  outcomeConfidence: ChFloat,
  reward: z.number().nullable(),
  startedAtNs: NsText,
  endedAtNs: NsText,
  stepCount: ChInt,
  messageCount: ChInt,
  modelCallCount: ChInt,
  inputTokens: ChInt.nullable(),
  outputTokens: ChInt.nullable(),
  cacheReadTokens: ChInt.nullable(),
  reasoningTokens: ChInt.nullable(),
  costUsd: z.number().nullable(),
});
export type SummaryRow = z.infer<typeof summaryRow>;

const wholeRow = summaryRow.extend({ tools: JsonText, metadata: JsonText, steps: JsonText });
export type WholeRow = z.infer<typeof wholeRow>;

export const trajectoriesById = defineQuery({
  name: 'trajectories.byId',
  params: z.object({ projectId: z.string(), ids: z.array(z.string()) }),
  row: wholeRow,
  sql: `SELECT ${summaryColumns}, tools, metadata, steps FROM trajectories_once
        WHERE project_id = {projectId:String} AND trajectory_id IN {ids:Array(String)}`,
});

/** Newest first among these ids; the cursor is the last row's start and id. Absent filters are null. */
export const trajectoryPage = defineQuery({
  name: 'trajectories.page',
  params: z.object({
    projectId: z.string(),
    agent: z.string().nullable(),
    outcome: z.string().nullable(),
    sinceNs: z.bigint(),
    untilNs: z.bigint(),
    text: z.string(),
    textAsJson: z.string(),
    ids: z.array(z.string()),
    cursorNs: z.bigint(),
    cursorId: z.string(),
    rows: z.number(),
  }),
  row: summaryRow,
  sql: `SELECT ${summaryColumns} FROM trajectories_once
        WHERE project_id = {projectId:String}
          AND ({agent:Nullable(String)} IS NULL OR agent = {agent:Nullable(String)})
          AND ({outcome:Nullable(String)} IS NULL OR outcome = {outcome:Nullable(String)})
          AND started_at_ns >= {sinceNs:UInt64} AND started_at_ns < {untilNs:UInt64}
          AND trajectory_id IN {ids:Array(String)}
          AND (started_at_ns, trajectory_id) < ({cursorNs:UInt64}, {cursorId:String})
          AND ({text:String} = '' OR trajectory_id = {text:String}
               OR positionCaseInsensitiveUTF8(concat(external_id, ' ', agent), {text:String}) > 0
               OR positionCaseInsensitiveUTF8(steps, {textAsJson:String}) > 0)
        ORDER BY started_at_ns DESC, trajectory_id DESC
        LIMIT {rows:UInt32}`,
});

const range = z.object({
  projectId: z.string(),
  sinceNs: z.bigint(),
  untilNs: z.bigint(),
  cursorNs: z.bigint(),
  cursorId: z.string(),
  scan: z.number(),
});

/** The next rows of a project in the order of lists. Revisions are not collapsed yet: neither FINAL nor ties stop early. */
const nextRows = (columns: string): string => `SELECT ${columns} FROM trajectory_list
          WHERE project_id = {projectId:String} AND started_at_ns >= {sinceNs:UInt64} AND started_at_ns < {untilNs:UInt64}
            AND started_at_ns <= {cursorNs:UInt64} AND (started_at_ns, trajectory_id) < ({cursorNs:UInt64}, {cursorId:String})
          ORDER BY started_at_ns DESC, trajectory_id DESC`;

/**
 * Those of the next `scan` rows that the filters let through, newest first: what it reads is bounded, whatever it finds.
 * The last place of a full scan is left to the next page: its newest revision may lie behind it.
 */
export const trajectoryScan = defineQuery({
  name: 'trajectories.scan',
  params: range.extend({
    agent: z.string().nullable(),
    outcome: z.string().nullable(),
    text: z.string(),
    textAsJson: z.string(),
    rows: z.number(),
  }),
  row: summaryRow,
  sql: `SELECT ${summaryColumns} FROM (
          SELECT * FROM (
            SELECT *, count() OVER () AS scanned, min((started_at_ns, trajectory_id)) OVER () AS last
            FROM (${nextRows('*')} LIMIT {scan:UInt32}))
          WHERE scanned < {scan:UInt32} OR (started_at_ns, trajectory_id) != last
          ORDER BY started_at_ns DESC, trajectory_id DESC, revision DESC
          LIMIT 1 BY started_at_ns, trajectory_id)
        WHERE retracted = 0
          AND ({agent:Nullable(String)} IS NULL OR agent = {agent:Nullable(String)})
          AND ({outcome:Nullable(String)} IS NULL OR outcome = {outcome:Nullable(String)})
          AND ({text:String} = '' OR trajectory_id = {text:String}
               OR positionCaseInsensitiveUTF8(concat(external_id, ' ', agent), {text:String}) > 0
               OR trajectory_id IN (
                 SELECT trajectory_id FROM trajectories_once
                 WHERE project_id = {projectId:String} AND {text:String} != ''
                   AND trajectory_id IN (${nextRows('trajectory_id')} LIMIT if({text:String} = '', 0, {scan:UInt32}))
                   AND positionCaseInsensitiveUTF8(steps, {textAsJson:String}) > 0))
        ORDER BY started_at_ns DESC, trajectory_id DESC
        LIMIT {rows:UInt32}`,
});

/** The last two places of a scan, the last first, and how many rows it had. */
export const scanEnd = defineQuery({
  name: 'trajectories.scanEnd',
  params: range,
  row: z.object({ startedAtNs: NsText, id: z.string(), scanned: ChInt }),
  sql: `SELECT started_at_ns AS startedAtNs, trajectory_id AS id, scanned FROM (
          SELECT started_at_ns, trajectory_id, count() OVER () AS scanned
          FROM (${nextRows('started_at_ns, trajectory_id')} LIMIT {scan:UInt32}))
        ORDER BY started_at_ns, trajectory_id
        LIMIT 1 BY started_at_ns, trajectory_id
        LIMIT 2`,
});

/** Retracted ones too: a trajectory that comes back goes on counting revisions. */
export const storedVersions = defineQuery({
  name: 'trajectories.storedVersions',
  params: z.object({ projectId: z.string(), ids: z.array(z.string()) }),
  row: z.object({ id: z.string(), revision: ChInt, contentHash: z.string(), startedAtNs: NsText }),
  sql: `SELECT trajectory_id AS id, revision, content_hash AS contentHash, started_at_ns AS startedAtNs FROM trajectories FINAL
        WHERE project_id = {projectId:String} AND trajectory_id IN {ids:Array(String)}`,
});

export const totals = defineQuery({
  name: 'trajectories.totals',
  params: z.object({ projectId: z.string() }),
  row: z.object({
    spans: ChUInt,
    capturedCalls: ChUInt,
    capturedPromptTokens: ChUInt,
    capturedCompletionTokens: ChUInt,
    trajectories: ChUInt,
    steps: ChUInt,
    modelCalls: ChUInt,
    inputTokens: ChUInt,
    outputTokens: ChUInt,
  }),
  sql: `SELECT * FROM
          (SELECT count() AS spans FROM spans_once WHERE project_id = {projectId:String}) AS s,
          (SELECT count() AS capturedCalls, sum(ifNull(prompt_tokens, 0)) AS capturedPromptTokens,
                  sum(ifNull(completion_tokens, 0)) AS capturedCompletionTokens
           FROM model_calls_once WHERE project_id = {projectId:String}) AS c,
          (SELECT count() AS trajectories, sum(step_count) AS steps, sum(model_call_count) AS modelCalls,
                  sum(ifNull(input_tokens, 0)) AS inputTokens, sum(ifNull(output_tokens, 0)) AS outputTokens
           FROM trajectories_once WHERE project_id = {projectId:String}) AS t`,
});

export const outcomesOverTime = defineQuery({
  name: 'trajectories.outcomesOverTime',
  params: z.object({
    projectId: z.string(),
    agent: z.string(),
    policy: z.string().nullable(),
    sinceNs: z.bigint(),
    bucketNs: z.bigint(),
  }),
  row: z.object({
    startNs: ChBigInt,
    policy: z.string().nullable(),
    success: ChUInt,
    failure: ChUInt,
    unknown: ChUInt,
  }),
  sql: `SELECT intDiv(started_at_ns, {bucketNs:UInt64}) * {bucketNs:UInt64} AS startNs, policy,
               countIf(outcome = 'success') AS success, countIf(outcome = 'failure') AS failure, countIf(outcome = 'unknown') AS unknown
        FROM trajectories_once
        WHERE project_id = {projectId:String} AND agent = {agent:String} AND started_at_ns >= {sinceNs:UInt64}
          AND ({policy:Nullable(String)} IS NULL OR policy = {policy:Nullable(String)})
        GROUP BY startNs, policy
        ORDER BY startNs, policy`,
});

/** A seeded hash of the id puts the trajectories in an order that is random and always the same. */
export const sampledIds = defineQuery({
  name: 'trajectories.sampledIds',
  params: z.object({
    projectId: z.string(),
    agent: z.string(),
    outcome: z.string().nullable(),
    seed: z.string(),
    rows: z.number(),
  }),
  row: z.object({ id: z.string() }),
  sql: `SELECT trajectory_id AS id FROM trajectories_once
        WHERE project_id = {projectId:String} AND agent = {agent:String}
          AND ({outcome:Nullable(String)} IS NULL OR outcome = {outcome:Nullable(String)})
        ORDER BY sipHash64({seed:String}, trajectory_id), trajectory_id
        LIMIT {rows:UInt32}`,
});

export const storedProjects = defineQuery({
  name: 'trajectories.projects',
  params: z.object({}),
  row: z.object({ projectId: z.string(), trajectories: ChUInt, agents: z.array(z.string()) }),
  sql: `SELECT project_id AS projectId, count() AS trajectories, arraySort(groupUniqArray(1000)(agent)) AS agents
        FROM trajectories_once GROUP BY projectId ORDER BY projectId`,
});
