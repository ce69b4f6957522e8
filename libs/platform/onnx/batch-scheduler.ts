import { AppError } from '#kernel/errors';

import { DecodeLane, type Generation, type GenerationRequest } from './decode-lane.js';
import type { KvModel } from './kv-model.js';

export interface SchedulerOptions {
  stopId: number;
  /** Rows decoded together, per model. */
  maxBatch: number;
  /** Requests under way or waiting, all models together; one more is refused. */
  maxPending: number;
}

/** Gives the loaded models one decoding step each in turn, so that none of them waits for another's batch to end. */
export class BatchScheduler {
  private readonly lanes = new Map<string, DecodeLane>();
  private readonly draining = new Set<DecodeLane>();
  private turning = false;

  constructor(private readonly options: SchedulerOptions) {}

  get pending(): number {
    return this.allLanes().reduce((sum, lane) => sum + lane.pending, 0);
  }

  add(name: string, model: KvModel): void {
    this.lanes.set(name, new DecodeLane(model, this.options));
  }

  /** Takes no more requests for the model, lets those under way end, then frees its memory. */
  async remove(name: string): Promise<void> {
    const lane = this.lanes.get(name);
    if (!lane) return;
    this.lanes.delete(name);
    if (lane.pending === 0) return lane.release();
    this.draining.add(lane);
  }

  /**
   * @throws AppError `resource.not_found` for a model that is not loaded, `policy.unavailable` when too much waits.
   */
  async generate(name: string, request: GenerationRequest): Promise<Generation> {
    const lane = this.lanes.get(name);
    if (!lane) throw new AppError('resource.not_found', { public: `The model ${name} is not loaded.` });
    if (this.pending >= this.options.maxPending)
      throw new AppError('policy.unavailable', {
        public: 'Too many requests wait already; try again in a second.',
      });
    const generation = lane.generate(request);
    if (!this.turning) void this.turn();
    return generation;
  }

  private async turn(): Promise<void> {
    this.turning = true;
    // Requests that arrive together start as one batch.
    await nextTick();
    while (this.pending > 0) {
      for (const lane of this.allLanes()) if (lane.pending > 0) await lane.advance();
      await this.releaseDrained();
      // New requests are read from their sockets between two steps.
      await nextTick();
    }
    await this.releaseDrained();
    this.turning = false;
    // A request may have come while the last lane was released.
    if (this.pending > 0) void this.turn();
  }

  private async releaseDrained(): Promise<void> {
    for (const lane of [...this.draining].filter((each) => each.pending === 0)) {
      this.draining.delete(lane);
      await lane.release();
    }
  }

  private allLanes(): DecodeLane[] {
    return [...this.lanes.values(), ...this.draining];
  }
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
