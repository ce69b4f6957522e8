import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { Assembler } from './assembler.service.js';
import { isComplete } from './domain/completion.js';
import { groupBy } from './domain/json.js';
import { NothingBetween, StreamProgress } from './ingest/stream-progress.js';
import { SpansRepository } from './spans.repository.js';

/** Arrivals are looked at again for this long, so that an insert which finished late is not passed by. */
const LOOK_BACK_NS = 120_000_000_000n;

/**
 * Finds traces that are complete and has them assembled. All it knows is in the store; the floor only spares it from
 * reading old arrivals again, and starts at 0, so a new process takes up what the one before left.
 */
@Injectable()
export class AssemblySweep {
  private floor = 0n;

  constructor(
    private readonly spans: SpansRepository,
    private readonly assembler: Assembler,
    private readonly clock: Clock,
    private readonly progress: StreamProgress = new NothingBetween(),
  ) {}

  /** One look: assembles every complete trace and returns how many there were. Calls must not overlap. */
  async run(): Promise<number> {
    // Asked for first: what is stored meanwhile only makes it an under-estimate of what may be called quiet.
    const behindMs = await this.progress.behindMs();
    if (!Number.isFinite(behindMs)) return 0;
    const nowNs = this.clock.nowNs() - BigInt(Math.ceil(behindMs)) * 1_000_000n;
    const pending = await this.spans.pendingTraces(this.floor);
    const newestNs = await this.spans.newestReceipt(this.floor);
    const streamNs = behindMs > 0 && newestNs > nowNs ? nowNs : newestNs;
    const complete = pending.filter((trace) => isComplete(trace, streamNs, nowNs));
    const failures: unknown[] = [];
    for (const [projectId, traces] of groupBy(complete, (trace) => trace.projectId)) {
      const traceIds = traces.map((trace) => trace.traceId);
      await this.assembler
        .assemble(projectId, traceIds)
        .catch(() => this.oneByOne(projectId, traceIds, failures));
    }
    if (failures.length > 0) throw failures[0];
    const open = pending.map((trace) => trace.firstSeq - 1n);
    const oldest = [...open, streamNs - LOOK_BACK_NS].reduce((min, seq) => (seq < min ? seq : min));
    this.floor = oldest > 0n ? oldest : 0n;
    return complete.length;
  }

  /** After a failure: a trace that cannot be assembled must not hold back the others. It stays pending. */
  private async oneByOne(projectId: string, traceIds: readonly string[], failures: unknown[]): Promise<void> {
    for (const traceId of traceIds) {
      await this.assembler.assemble(projectId, [traceId]).catch((error: unknown) => failures.push(error));
    }
  }
}
