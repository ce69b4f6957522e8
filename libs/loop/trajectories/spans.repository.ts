import { Injectable } from '@nestjs/common';
import type { ModelCallCapture } from '#contracts/gateway';
import { ClickHouse } from '#platform/clickhouse';
import type { PendingTrace } from './domain/completion.js';
import { groupBy, wellFormed } from './domain/json.js';
import type { Span, StoredSpan } from './domain/span.js';
import { GroupCommit } from './group-commit.js';
import { ReceiptSequence } from './receipt-sequence.js';
import { assembliesOf, capturesOf, newestReceipt, pendingTraces } from './spans.queries.js';
import { BigFields } from './storage/big-fields.js';
import { SpanStore, type SpanOfProject } from './storage/span-store.js';

const MAX_INSERT_ROWS = 5_000;

export interface TraceAssembly {
  projectId: string;
  traceId: string;
  throughSeq: bigint;
  entrySeen: boolean;
  trajectoryIds: string[];
}

/** Owns `spans` with the texts they name, `span_arrivals`, `trace_assemblies` and `model_calls`. */
@Injectable()
export class SpansRepository {
  private readonly spans = new GroupCommit<SpanOfProject>((rows) => this.insertSpans(rows), MAX_INSERT_ROWS);
  private readonly spanStore: SpanStore;

  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly sequence: ReceiptSequence,
    private readonly bigFields: BigFields,
  ) {
    this.spanStore = new SpanStore(clickhouse);
  }

  /** Resolves when the spans are stored. Sent again they replace themselves. */
  addSpans(projectId: string, spans: readonly Span[]): Promise<void> {
    return this.spans.add(spans.map((span) => ({ projectId, span })));
  }

  /**
   * Stores one range of the stream by itself. With its token and sequence it may come again within the store's memory of
   * tokens and leaves one copy; the sequence must be the same then, and newer than what the trace's assembly has read.
   */
  async addRange(
    rows: readonly SpanOfProject[],
    repeatable?: { token: string; firstSeq: bigint },
  ): Promise<void> {
    await this.insertSpans(rows, repeatable);
  }

  /** Resolves when the captures are stored; the newest of one response id wins. */
  async addModelCalls(captures: readonly ModelCallCapture[]): Promise<void> {
    await this.clickhouse.insert(
      'model_calls',
      captures.map((capture) => modelCallRow(capture, this.sequence.next())),
    );
  }

  /** Each span once, with its messages and large values whole. */
  async ofTraces(projectId: string, traceIds: readonly string[]): Promise<Map<string, StoredSpan[]>> {
    const stored = await this.spanStore.ofTraces(projectId, traceIds);
    const spans = await Promise.all(stored.map((span) => this.bigFields.restore(span)));
    return groupBy(spans, (span) => span.traceId);
  }

  capturesOf(projectId: string, responseIds: readonly string[]): Promise<ModelCallCapture[]> {
    if (responseIds.length === 0) return Promise.resolve([]);
    return this.clickhouse.query(capturesOf, { projectId, responseIds: [...responseIds] });
  }

  pendingTraces(floor: bigint): Promise<PendingTrace[]> {
    return this.clickhouse.query(pendingTraces, { floor });
  }

  async newestReceipt(floor: bigint): Promise<bigint> {
    return (await this.clickhouse.query(newestReceipt, { floor }))[0]?.newest ?? 0n;
  }

  /** Trajectory ids that each trace was assembled into last. */
  async assembledInto(projectId: string, traceIds: readonly string[]): Promise<Map<string, string[]>> {
    const rows = await this.clickhouse.query(assembliesOf, { projectId, traceIds: [...traceIds] });
    return new Map(rows.map((row) => [row.traceId, row.trajectoryIds]));
  }

  async recordAssemblies(assemblies: readonly TraceAssembly[]): Promise<void> {
    await this.clickhouse.insert(
      'trace_assemblies',
      assemblies.map((assembly) => ({
        project_id: assembly.projectId,
        trace_id: assembly.traceId,
        through_seq: assembly.throughSeq,
        entry_seen: assembly.entrySeen ? 1 : 0,
        trajectory_ids: assembly.trajectoryIds,
        assembled_seq: this.sequence.next(),
      })),
    );
  }

  /** The sequence is given here, one insert after the other: what an assembly has not read is always newer than what it has. */
  private async insertSpans(
    rows: readonly SpanOfProject[],
    repeatable?: { token: string; firstSeq: bigint },
  ): Promise<void> {
    const sequence =
      repeatable === undefined
        ? () => this.sequence.next()
        : (index: number) => repeatable.firstSeq + BigInt(index);
    await this.spanStore.insert(rows, sequence, repeatable?.token);
  }
}

function modelCallRow(capture: ModelCallCapture, recordedSeq: bigint): Record<string, unknown> {
  return {
    project_id: capture.projectId,
    response_id: capture.responseId,
    agent: wellFormed(capture.agent),
    policy: capture.policy,
    agent_ref: capture.agentRef,
    session_id: capture.sessionId === null ? null : wellFormed(capture.sessionId),
    prompt_tokens: capture.promptTokens,
    completion_tokens: capture.completionTokens,
    cost_usd: capture.costUsd,
    latency_ms: capture.latencyMs,
    served_at_ns: capture.servedAtNs,
    recorded_seq: recordedSeq,
  };
}
