/** Sends runs' spans to the collector, in order of their end, and loses none of them in silence. */
import { setTimeout as delay } from 'node:timers/promises';
import { authHeaders, waitMs, type ModelEndpoint } from './agent-chat.js';
import { exportBody } from './agent-spans.js';

export interface ExportCounts {
  /** Runs whose spans were all taken. */
  exportedRuns: number;
  /** Requests that were tried again. */
  retries: number;
  /** Spans that the collector refused for good. */
  rejectedSpans: number;
  /** Runs given up: still unsent when the program ended. */
  droppedRuns: number;
}

type RunSpans = readonly Record<string, unknown>[];

/** Runs waiting to be sent; while it is full the agent starts no new run. */
const BUFFER_RUNS = 100;
/** Runs in one request. */
const BATCH_RUNS = 10;
const TIMEOUT_MS = 10_000;

export class SpanExporter {
  readonly counts: ExportCounts = { exportedRuns: 0, retries: 0, rejectedSpans: 0, droppedRuns: 0 };
  private readonly buffer: RunSpans[] = [];
  private sending: Promise<void> | null = null;
  private readonly givenUp = new AbortController();

  constructor(private readonly endpoint: ModelEndpoint) {}

  get isFull(): boolean {
    return this.buffer.length >= BUFFER_RUNS;
  }

  add(spans: RunSpans): void {
    this.buffer.push(spans);
    this.sending ??= this.sendAll().finally(() => {
      this.sending = null;
    });
  }

  /** Sends what is left for at most `withinMs`, then gives the rest up and counts it. */
  async finish(withinMs: number): Promise<void> {
    const timer = setTimeout(() => this.givenUp.abort(), withinMs);
    await this.sending;
    clearTimeout(timer);
    this.counts.droppedRuns += this.buffer.length;
    this.buffer.length = 0;
  }

  private async sendAll(): Promise<void> {
    for (let attempt = 0; this.buffer.length > 0 && !this.givenUp.signal.aborted;) {
      const batch = this.buffer.slice(0, BATCH_RUNS);
      const retryInMs = await this.send(batch, attempt);
      if (retryInMs === null) {
        this.buffer.splice(0, batch.length);
        attempt = 0;
      } else {
        attempt += 1;
        this.counts.retries += 1;
        await delay(retryInMs, undefined, { signal: this.givenUp.signal }).catch(() => undefined);
      }
    }
  }

  /** @returns null when the batch is done with, else milliseconds after which to send it again. */
  private async send(batch: readonly RunSpans[], attempt: number): Promise<number | null> {
    const spans = batch.flat();
    try {
      const response = await fetch(`${this.endpoint.baseUrl}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authHeaders(this.endpoint) },
        body: exportBody(spans),
        signal: AbortSignal.any([this.givenUp.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const text = await response.text();
      if (response.status === 429 || response.status >= 500)
        return waitMs(response.headers.get('retry-after'), attempt);
      const rejected = response.ok ? rejectedIn(text) : spans.length;
      this.counts.rejectedSpans += rejected;
      if (rejected === 0) this.counts.exportedRuns += batch.length;
      return null;
    } catch {
      // Nobody answered: the collector is restarting, or the network is gone for a while.
      return waitMs(null, attempt);
    }
  }
}

function rejectedIn(text: string): number {
  try {
    const verdict = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: string | number } };
    return Number(verdict.partialSuccess?.rejectedSpans ?? 0);
  } catch {
    return 0;
  }
}
