import { z } from 'zod';
import { ChBigInt, defineQuery } from '#platform/clickhouse';

const keys = z.object({
  projectId: z.string(),
  traceIds: z.array(z.string()),
  objectIds: z.array(z.string()),
});

/** Of the traces themselves, and of these observations in them. */
const touched = `(kind = 'trace' OR object_id IN {objectIds:Array(String)})`;

const ofTraces = `project_id = {projectId:String} AND trace_id IN {traceIds:Array(String)}`;

/** Observations that start in the same moment as one of these: only their order of arrival tells which came first. */
const startedWith = `object_id IN (
          SELECT object_id FROM langfuse_events WHERE ${ofTraces} AND kind = 'observation' AND (trace_id, start_ns) IN (
            SELECT trace_id, start_ns FROM langfuse_events
            WHERE ${ofTraces} AND kind = 'observation' AND start_ns > 0 AND object_id IN {objectIds:Array(String)}))`;

export const factsOfObjects = defineQuery({
  name: 'langfuse.facts',
  params: keys,
  row: z.object({
    traceId: z.string(),
    kind: z.enum(['trace', 'observation']),
    objectId: z.string(),
    type: z.string(),
    timestampNs: ChBigInt,
    receivedSeq: ChBigInt,
    body: z.string().transform((text) => JSON.parse(text) as Record<string, unknown>),
  }),
  sql: `SELECT trace_id AS traceId, kind, object_id AS objectId, type, timestamp_ns AS timestampNs, received_seq AS receivedSeq, body
        FROM langfuse_events_once
        WHERE ${ofTraces} AND (${touched} OR ${startedWith})
        ORDER BY receivedSeq`,
});

/** Each trace's span of time, and the newest receipt that tells of what was asked for. */
export const headsOfTraces = defineQuery({
  name: 'langfuse.heads',
  params: keys,
  row: z.object({ traceId: z.string(), startNs: ChBigInt, endNs: ChBigInt, newest: ChBigInt }),
  sql: `SELECT trace_id AS traceId, minIf(start_ns, start_ns > 0) AS startNs, max(greatest(start_ns, end_ns)) AS endNs,
               maxIf(received_seq, ${touched} OR ${startedWith}) AS newest
        FROM langfuse_events
        WHERE ${ofTraces}
        GROUP BY traceId ORDER BY traceId`,
});

export const tracesOfObservations = defineQuery({
  name: 'langfuse.tracesOfObservations',
  params: z.object({ projectId: z.string(), objectIds: z.array(z.string()) }),
  row: z.object({ objectId: z.string(), traceId: z.string() }),
  sql: `SELECT object_id AS objectId, argMax(trace_id, received_seq) AS traceId FROM langfuse_events
        WHERE project_id = {projectId:String} AND kind = 'observation' AND object_id IN {objectIds:Array(String)}
        GROUP BY objectId`,
});
