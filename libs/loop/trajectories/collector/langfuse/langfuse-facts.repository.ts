import { Injectable } from '@nestjs/common';
import { ClickHouse } from '#platform/clickhouse';
import type { PartialFact } from '../../domain/langfuse-facts.js';
import { wellFormed } from '../../domain/json.js';
import { ReceiptSequence } from '../../receipt-sequence.js';
import { factsOfObjects, headsOfTraces, tracesOfObservations } from './langfuse-facts.queries.js';

export interface NewFact {
  eventId: string;
  /** The sender's own ids. */
  traceId: string;
  kind: 'trace' | 'observation';
  objectId: string;
  type: string;
  timestampNs: bigint;
  startNs: bigint | undefined;
  endNs: bigint | undefined;
  body: Record<string, unknown>;
}

export interface StoredFact extends PartialFact {
  traceId: string;
  kind: 'trace' | 'observation';
  objectId: string;
}

/** Traces, and the observations in them, that something is asked of. */
export interface Touched {
  projectId: string;
  traceIds: string[];
  objectIds: string[];
}

export interface TraceHead {
  traceId: string;
  /** First and last time that any event of the trace tells; 0 for none. */
  startNs: bigint;
  endNs: bigint;
  /** Newest receipt that tells of the trace, of the observations asked for, or of those that start with them. */
  newest: bigint;
}

/** Owns `langfuse_events`. */
@Injectable()
export class LangfuseFactsRepository {
  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly sequence: ReceiptSequence,
  ) {}

  /** Resolves when stored. An event sent again replaces itself. */
  async add(projectId: string, facts: readonly NewFact[]): Promise<void> {
    await this.clickhouse.insert(
      'langfuse_events',
      facts.map((fact) => ({
        project_id: projectId,
        trace_id: wellFormed(fact.traceId),
        kind: fact.kind,
        object_id: wellFormed(fact.objectId),
        event_id: wellFormed(fact.eventId),
        received_seq: this.sequence.next(),
        timestamp_ns: fact.timestampNs,
        type: fact.type,
        start_ns: fact.startNs ?? 0n,
        end_ns: fact.endNs ?? 0n,
        body: JSON.stringify(fact.body),
      })),
    );
  }

  /**
   * All events of the traces themselves, of these observations, and of those that start in the same moment: stored again
   * together, they keep their order of arrival.
   */
  facts(touched: Touched): Promise<StoredFact[]> {
    return this.clickhouse.query(factsOfObjects, { ...touched });
  }

  heads(touched: Touched): Promise<TraceHead[]> {
    return this.clickhouse.query(headsOfTraces, { ...touched });
  }

  /** The trace that each of these observations was last said to be of. */
  async tracesOf(projectId: string, objectIds: readonly string[]): Promise<Map<string, string>> {
    if (objectIds.length === 0) return new Map();
    const rows = await this.clickhouse.query(tracesOfObservations, { projectId, objectIds: [...objectIds] });
    return new Map(rows.map(({ objectId, traceId }) => [objectId, traceId]));
  }
}
