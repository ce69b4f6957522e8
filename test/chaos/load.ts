/** Load whose truth is known beforehand: every run's spans, steps and tokens follow from its number. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  exportRequest,
  spanIdOf,
  traceIdOf,
  type SpanSpec,
} from '../../libs/loop/trajectories/testing/otlp.js';

export const AGENT = 'chaos-agent';
const SPANS_A_RUN = 4;
const MODEL_CALLS_A_RUN = 2;

export interface Truth {
  runs: number;
  spans: number;
  modelCalls: number;
  inputTokens: number;
  outputTokens: number;
}

const inputTokensOf = (run: number, call: number): number => 100 + ((run * 7 + call * 13) % 50);
const outputTokensOf = (run: number, call: number): number => 10 + ((run * 3 + call * 5) % 20);

/** What one run must add to every total. */
export function truthOfRun(run: number): Truth {
  const calls = Array.from({ length: MODEL_CALLS_A_RUN }, (_none, call) => call);
  const sum = (of: (run: number, call: number) => number): number =>
    calls.reduce((total, call) => total + of(run, call), 0);
  return {
    runs: 1,
    spans: SPANS_A_RUN,
    modelCalls: MODEL_CALLS_A_RUN,
    inputTokens: sum(inputTokensOf),
    outputTokens: sum(outputTokensOf),
  };
}

export function truthOf(runs: Iterable<number>): Truth {
  const total: Truth = { runs: 0, spans: 0, modelCalls: 0, inputTokens: 0, outputTokens: 0 };
  for (const run of runs) {
    const one = truthOfRun(run);
    for (const key of Object.keys(total) as (keyof Truth)[]) total[key] += one[key];
  }
  return total;
}

/** Trace id of a run: how a stored trajectory is found again. */
export const traceOf = (run: number): string => traceIdOf(run);

function spansOf(run: number): SpanSpec[] {
  const traceId = traceOf(run);
  const id = (index: number): string => spanIdOf(run * SPANS_A_RUN + index);
  const entry = { traceId, spanId: id(0), name: `invoke_agent ${AGENT}`, startMs: run, endMs: run + 100 };
  const calls = Array.from({ length: MODEL_CALLS_A_RUN }, (_none, call) => ({
    traceId,
    spanId: id(1 + call),
    parentSpanId: id(0),
    name: 'chat m',
    startMs: run + 10 * (call + 1),
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      'gen_ai.response.id': `response-${run}-${call}`,
      'gen_ai.usage.input_tokens': inputTokensOf(run, call),
      'gen_ai.usage.output_tokens': outputTokensOf(run, call),
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: `answer ${call} of run ${run}` }] },
      ]),
    },
  }));
  const tool = {
    traceId,
    spanId: id(SPANS_A_RUN - 1),
    parentSpanId: id(0),
    name: 'execute_tool t',
    startMs: run + 50,
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 't' },
  };
  const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': AGENT };
  return [{ ...entry, attributes: agent }, ...calls, tool];
}

/** Answers after which an exporter sends the same bytes again (OTLP/HTTP specification, "Retryable Response Codes"). */
const RETRYABLE = new Set([429, 502, 503, 504]);

export interface SendCounts {
  sent: number;
  /** Requests sent again after no answer at all. */
  unanswered: number;
  /** Requests sent again after a retryable answer. */
  refused: number;
}

/** Exporters that send run after run and, like the SDKs, the same bytes again until they are answered. */
export class Exporters {
  readonly acknowledged = new Set<number>();
  readonly counts: SendCounts = { sent: 0, unanswered: 0, refused: 0 };
  /** Answers that no exporter sends again: spans lost to their sender. */
  readonly fatal: string[] = [];
  private next = 0;
  private stopped = false;
  private abandoned = false;
  private readonly working: Promise<void>[];

  constructor(
    private readonly url: () => string,
    count: number,
  ) {
    this.working = Array.from({ length: count }, () => this.work());
  }

  /** Starts no new run; resolves when every begun one is acknowledged. */
  async finish(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.working);
  }

  /** Gives up what is not acknowledged yet. */
  abandon(): void {
    this.stopped = true;
    this.abandoned = true;
  }

  private async work(): Promise<void> {
    while (!this.stopped) {
      const run = (this.next += 1);
      await this.sendUntilAnswered(run, JSON.stringify(exportRequest(spansOf(run))));
    }
  }

  private async sendUntilAnswered(run: number, body: string): Promise<void> {
    while (!this.abandoned) {
      this.counts.sent += 1;
      const status = await this.send(body);
      if (status === 200) return void this.acknowledged.add(run);
      if (status !== null && !RETRYABLE.has(status)) return void this.fatal.push(`run ${run}: ${status}`);
      this.counts[status === null ? 'unanswered' : 'refused'] += 1;
      await delay(100);
    }
  }

  private async send(body: string): Promise<number | null> {
    try {
      const response = await fetch(`${this.url()}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body,
        signal: AbortSignal.timeout(20_000),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      // No answer: the sender cannot know whether it was stored.
      return null;
    }
  }
}
