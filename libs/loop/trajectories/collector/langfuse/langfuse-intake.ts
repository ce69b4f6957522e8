import { Injectable } from '@nestjs/common';
import { AppError } from '#kernel/errors';
import { groupBy, stringOf } from '../../domain/json.js';
import { nsOfIso } from '../../domain/iso-time.js';
import { mergeFacts } from '../../domain/langfuse-facts.js';
import { entryIdOf, entrySpan, hexOf, observationSpan } from '../../domain/langfuse-spans.js';
import type { Span } from '../../domain/span.js';
import type { NewFeedback } from '../../feedback/feedback.repository.js';
import { FeedbackService } from '../../feedback/feedback.service.js';
import { SecretMasker } from '../../masking/secret-masker.js';
import { SpanIntake } from '../span-intake.js';
import { readEvent, type LangfuseEvent } from './events.js';
import {
  LangfuseFactsRepository,
  type NewFact,
  type StoredFact,
  type Touched,
  type TraceHead,
} from './langfuse-facts.repository.js';
import { readScore, traceIdOf } from './scores.js';

export interface IngestionVerdict {
  successes: { id: string; status: number }[];
  errors: { id: string; status: number; message: string; error: string }[];
}

/** Objects of one query: their ids travel in its address. */
const OBJECTS_A_ROUND = 500;
/** How often spans are made again because another request told of the same objects meanwhile. */
const MAX_ROUNDS = 8;

/**
 * Langfuse's events → facts → spans, which are assembled like any others. An event is stored first; then the spans of what it
 * tells of are made from all events of it, so that a later update replaces them. Nothing is kept between requests.
 */
@Injectable()
export class LangfuseIntake {
  constructor(
    private readonly facts: LangfuseFactsRepository,
    private readonly spans: SpanIntake,
    private readonly feedback: FeedbackService,
    private readonly masker: SecretMasker,
  ) {}

  /**
   * Takes each event by itself; a bad one costs only itself. Resolves when all good ones are durable.
   * @throws AppError store.unavailable: the sender tries again.
   */
  async accept(projectId: string, batch: readonly unknown[]): Promise<IngestionVerdict> {
    const sorting = new Sorting();
    for (const raw of batch) sorting.add(readEvent(raw), (body) => this.masker.json(projectId, body));
    await this.findTraces(projectId, sorting);
    await this.feedback.add(projectId, sorting.feedback);
    await this.facts.add(projectId, sorting.facts);
    for (const [, facts] of groupBy(sorting.facts, (fact) => fact.traceId))
      for (let from = 0; from < facts.length; from += OBJECTS_A_ROUND)
        await this.makeSpans(projectId, facts.slice(from, from + OBJECTS_A_ROUND));
    return sorting.verdict;
  }

  /** An event may leave out its trace where an earlier one of the same observation told it. */
  private async findTraces(projectId: string, sorting: Sorting): Promise<void> {
    const unplaced = sorting.takeUnplaced();
    const stored = await this.facts.tracesOf(
      projectId,
      unplaced.map(({ fact }) => fact.objectId),
    );
    const here = new Map(sorting.facts.map((fact) => [fact.objectId, fact.traceId]));
    for (const { fact, isCreation } of unplaced) {
      const traceId =
        here.get(fact.objectId) ?? stored.get(fact.objectId) ?? (isCreation ? fact.objectId : undefined);
      if (traceId === undefined)
        sorting.refuse(fact.eventId, `observation ${fact.objectId} is not known here: send its traceId`);
      else {
        here.set(fact.objectId, traceId);
        sorting.take({ ...fact, traceId });
      }
    }
  }

  /** Repeats until nothing came between reading and storing: the last spans stored are then of all events stored. */
  private async makeSpans(projectId: string, facts: readonly NewFact[]): Promise<void> {
    const touched: Touched = {
      projectId,
      traceIds: [...new Set(facts.map(({ traceId }) => traceId))],
      objectIds: [...new Set(facts.map(({ objectId }) => objectId))],
    };
    let heads = await this.facts.heads(touched);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await this.spans.accept(projectId, spansOf(heads, await this.facts.facts(touched)));
      const now = await this.facts.heads(touched);
      if (sameHeads(heads, now)) return;
      heads = now;
    }
    throw new AppError('store.unavailable', {
      public: 'Other requests tell of the same observations all the time; send these events again.',
    });
  }
}

/** Events by where they go, and the answer to each. */
class Sorting {
  readonly facts: NewFact[] = [];
  readonly feedback: NewFeedback[] = [];
  readonly verdict: IngestionVerdict = { successes: [], errors: [] };
  private unplaced: { fact: NewFact; isCreation: boolean }[] = [];

  add(
    event: LangfuseEvent | { id: string; problem: string },
    mask: (body: Record<string, unknown>) => Record<string, unknown>,
  ): void {
    if ('problem' in event) return this.refuse(event.id, event.problem);
    if (event.about === 'log') return this.accept(event.id);
    const body = mask(event.body);
    if (event.about === 'score') return this.addScore(event, body);
    const own = stringOf(body['id']) ?? event.id;
    const traceId = event.about === 'trace' ? own : stringOf(body['traceId']);
    const fact = factOf(event, body, { objectId: own, traceId: traceId ?? '' });
    if (traceId !== undefined) this.take(fact);
    else this.unplaced.push({ fact, isCreation: event.type.endsWith('-create') });
  }

  take(fact: NewFact): void {
    this.facts.push(fact);
    this.accept(fact.eventId);
  }

  takeUnplaced(): { fact: NewFact; isCreation: boolean }[] {
    return this.unplaced.splice(0);
  }

  refuse(id: string, message: string): void {
    this.verdict.errors.push({ id, status: 400, message, error: 'InvalidRequestError' });
  }

  private addScore(event: LangfuseEvent, body: Record<string, unknown>): void {
    const item = readScore(body, event);
    if ('problem' in item) return this.refuse(event.id, `body: ${item.problem}`);
    this.feedback.push(item);
    this.accept(event.id);
  }

  private accept(id: string): void {
    this.verdict.successes.push({ id, status: 201 });
  }
}

function factOf(
  event: LangfuseEvent,
  body: Record<string, unknown>,
  ids: { objectId: string; traceId: string },
): NewFact {
  const isTrace = event.about === 'trace';
  return {
    ...ids,
    eventId: event.id,
    kind: isTrace ? 'trace' : 'observation',
    type: event.type,
    timestampNs: event.timestampNs,
    startNs: nsOfIso(body[isTrace ? 'timestamp' : 'startTime']) ?? (isTrace ? event.timestampNs : undefined),
    endNs: nsOfIso(body['endTime']),
    body: { ...body, id: ids.objectId },
  };
}

/** The span of each trace, above all that is in it, and of each observation read. */
function spansOf(heads: readonly TraceHead[], facts: readonly StoredFact[]): Span[] {
  return heads.flatMap((head) => {
    const ofTrace = facts.filter(({ traceId }) => traceId === head.traceId);
    const traceId = traceIdOf(head.traceId);
    const trace = mergeFacts(ofTrace.filter(({ kind }) => kind === 'trace'));
    const told = nsOfIso(trace['timestamp']);
    const entry = entrySpan(
      { ...trace, id: head.traceId },
      { traceId, times: [told ?? head.startNs, head.endNs].filter((ns) => ns > 0n) },
    );
    const observations = groupBy(
      ofTrace.filter(({ kind }) => kind === 'observation'),
      ({ objectId }) => objectId,
    );
    return [entry, ...[...observations.values()].map((events) => spanIn(head.traceId, mergeFacts(events)))];
  });
}

function spanIn(langfuseTraceId: string, observation: Record<string, unknown>): Span {
  const parent = stringOf(observation['parentObservationId']);
  return observationSpan(observation, {
    traceId: traceIdOf(langfuseTraceId),
    parentSpanId:
      parent === undefined || parent === langfuseTraceId ? entryIdOf(langfuseTraceId) : hexOf(parent, 16),
  });
}

function sameHeads(before: readonly TraceHead[], after: readonly TraceHead[]): boolean {
  return (
    before.length === after.length &&
    before.every((head, at) => {
      const now = after[at];
      return (
        now?.traceId === head.traceId &&
        now.startNs === head.startNs &&
        now.endNs === head.endNs &&
        now.newest === head.newest
      );
    })
  );
}
