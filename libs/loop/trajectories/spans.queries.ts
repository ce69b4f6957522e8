import { z } from 'zod';
import { ChBigInt, ChBool, ChInt, defineQuery } from '#platform/clickhouse';

const JsonText = z.string().transform((text) => JSON.parse(text) as unknown);

const spanRow = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string(),
  receivedSeq: ChBigInt,
  name: z.string(),
  kind: ChInt,
  startNs: ChBigInt,
  endNs: ChBigInt,
  statusCode: ChInt,
  statusMessage: z.string(),
  scope: z.string(),
  attributes: JsonText,
  events: JsonText,
  resource: JsonText,
  listAttributes: z.array(z.string()),
  listSeparators: z.array(z.string()),
  listHashes: z.array(z.array(z.string())),
  claims: z.string(),
});
export type SpanRow = z.infer<typeof spanRow>;

export const spansOfTraces = defineQuery({
  name: 'trajectories.spansOfTraces',
  params: z.object({ projectId: z.string(), traceIds: z.array(z.string()) }),
  row: spanRow,
  sql: `SELECT trace_id AS traceId, span_id AS spanId, parent_span_id AS parentSpanId, received_seq AS receivedSeq, name, kind,
               start_ns AS startNs, end_ns AS endNs, status_code AS statusCode, status_message AS statusMessage, scope,
               attributes, events, resource, list_attributes AS listAttributes, list_separators AS listSeparators,
               list_hashes AS listHashes, claims
        FROM spans_once
        WHERE project_id = {projectId:String} AND trace_id IN {traceIds:Array(String)}`,
});

const namedBySpans = `(SELECT toYYYYMM(fromUnixTimestamp64Nano(toInt64(received_seq))) AS month, session_id, arrayJoin(arrayFlatten(list_hashes)) AS hash
         FROM spans_once WHERE project_id = {projectId:String} AND trace_id IN {traceIds:Array(String)})`;

/** The texts that the spans of these traces name, of the spans' own months and sessions. */
export const messagesOfTraces = defineQuery({
  name: 'trajectories.messagesOfTraces',
  params: z.object({ projectId: z.string(), traceIds: z.array(z.string()) }),
  row: z.object({ hash: z.string(), content: z.string() }),
  sql: `WITH named AS ${namedBySpans}
        SELECT hash, any(content) AS content FROM (
          SELECT hash, content FROM span_messages
          WHERE project_id = {projectId:String} AND (month, session_id, hash) IN (SELECT month, session_id, hash FROM named)
          UNION ALL
          SELECT hash, content FROM shared_texts
          WHERE project_id = {projectId:String} AND (month, hash) IN (SELECT month, hash FROM named))
        GROUP BY hash`,
});

/** Traces with receipts above `floor` that no assembly has seen; `firstSeq` is the first of those receipts. */
export const pendingTraces = defineQuery({
  name: 'trajectories.pendingTraces',
  params: z.object({ floor: z.bigint() }),
  row: z.object({
    projectId: z.string(),
    traceId: z.string(),
    firstSeq: ChBigInt,
    lastSeq: ChBigInt,
    entrySeen: ChBool,
  }),
  sql: `SELECT a.project_id AS projectId, a.trace_id AS traceId, min(a.received_seq) AS firstSeq, max(a.received_seq) AS lastSeq,
               max(greatest(a.may_be_entry, t.entry_seen)) AS entrySeen
        FROM (SELECT project_id, trace_id, received_seq, may_be_entry FROM span_arrivals WHERE received_seq > {floor:UInt64}) AS a
        LEFT JOIN (
          SELECT project_id, trace_id, through_seq, entry_seen FROM trace_assemblies_once
          WHERE (project_id, trace_id) IN (SELECT project_id, trace_id FROM span_arrivals WHERE received_seq > {floor:UInt64})
        ) AS t ON a.project_id = t.project_id AND a.trace_id = t.trace_id
        WHERE a.received_seq > t.through_seq
        GROUP BY projectId, traceId`,
});

/** Stream time: the newest receipt of all projects (0 when nothing came yet). */
export const newestReceipt = defineQuery({
  name: 'trajectories.newestReceipt',
  params: z.object({ floor: z.bigint() }),
  row: z.object({ newest: ChBigInt }),
  sql: 'SELECT max(received_seq) AS newest FROM span_arrivals WHERE received_seq > {floor:UInt64}',
});

export const assembliesOf = defineQuery({
  name: 'trajectories.assembliesOf',
  params: z.object({ projectId: z.string(), traceIds: z.array(z.string()) }),
  row: z.object({ traceId: z.string(), trajectoryIds: z.array(z.string()) }),
  sql: `SELECT trace_id AS traceId, trajectory_ids AS trajectoryIds FROM trace_assemblies_once
        WHERE project_id = {projectId:String} AND trace_id IN {traceIds:Array(String)}`,
});

export const capturesOf = defineQuery({
  name: 'trajectories.capturesOf',
  params: z.object({ projectId: z.string(), responseIds: z.array(z.string()) }),
  row: z.object({
    projectId: z.string(),
    responseId: z.string(),
    agent: z.string(),
    policy: z.string(),
    agentRef: z.string(),
    sessionId: z.string().nullable(),
    promptTokens: ChInt.nullable(),
    completionTokens: ChInt.nullable(),
    costUsd: z.number().nullable(),
    latencyMs: z.number(),
    servedAtNs: ChBigInt.transform(String),
  }),
  sql: `SELECT project_id AS projectId, response_id AS responseId, agent, policy, agent_ref AS agentRef, session_id AS sessionId,
               prompt_tokens AS promptTokens, completion_tokens AS completionTokens, cost_usd AS costUsd, latency_ms AS latencyMs,
               served_at_ns AS servedAtNs
        FROM model_calls_once
        WHERE project_id = {projectId:String} AND response_id IN {responseIds:Array(String)}`,
});
