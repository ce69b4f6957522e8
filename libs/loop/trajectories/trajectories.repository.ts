import { Injectable } from '@nestjs/common';
import type { Trajectory } from '#contracts/trajectory';
import { AppError } from '#kernel/errors';
import { contentHash } from '#kernel/ids';
import { ClickHouse } from '#platform/clickhouse';
import { decodeCursor, encodeCursor, pageOf, type Page } from '#platform/web';
import type { AssembledTrajectory } from './domain/assemble.js';
import { without } from './domain/json.js';
import { ReceiptSequence } from './receipt-sequence.js';
import {
  outcomesOverTime,
  sampledIds,
  scanEnd,
  storedProjects,
  storedVersions,
  totals,
  trajectoriesById,
  trajectoryPage,
  trajectoryScan,
  type SummaryRow,
} from './trajectories.queries.js';
import {
  listRowOf,
  rowOf,
  summaryOf,
  trajectoryOf,
  type StoredRow,
  type TrajectorySummary,
} from './trajectory-rows.js';

const MAX_NS = 2n ** 64n - 1n;
const NS_PER_MS = 1_000_000n;
/** Rows of the list that a page with a filter looks at. The store may read as many of each of its parts. */
const SCAN_ROWS = 10_000;
/** Trajectories whose steps a page searches for a text. */
const TEXT_SCAN_ROWS = 500;
/** Revisions and retracted places that a page without a filter may meet before it is short. */
const SPARE_ROWS = 200;

export interface ListQuery {
  projectId: string;
  agent?: string | undefined;
  outcome?: 'success' | 'failure' | 'unknown' | undefined;
  /** Start at or after / before, ms since the epoch. */
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
  /** Text in a step, the agent's name or an id. */
  q?: string | undefined;
  /** Only these: how a later stage narrows by category or bucket. */
  ids?: readonly string[] | undefined;
  cursor?: string | undefined;
  limit: number;
}

/** Owns the tables `trajectories` and `trajectory_list`. */
@Injectable()
export class TrajectoriesRepository {
  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly sequence: ReceiptSequence,
  ) {}

  /**
   * Stores what is new or changed, a changed one as the next revision; equal content is left as it is. Returns all of them
   * with the revision they have now.
   */
  async save(projectId: string, assembled: readonly AssembledTrajectory[]): Promise<Trajectory[]> {
    const known = await this.versionsOf(
      projectId,
      assembled.map(({ id }) => id),
    );
    const rows: StoredRow[] = [];
    const left: StoredRow[] = [];
    const saved = [...new Map(assembled.map((item) => [item.id, item])).values()].map((item) => {
      const stored = known.get(item.id);
      const hash = hashOf(item);
      if (stored?.contentHash === hash) return { ...item, revision: stored.revision };
      const trajectory = { ...item, revision: (stored?.revision ?? 0) + 1 };
      const row = rowOf(trajectory, { contentHash: hash, storedSeq: this.sequence.next(), retracted: false });
      rows.push(row);
      if (stored !== undefined && stored.startedAtNs !== item.startedAtNs)
        left.push({ ...row, started_at_ns: stored.startedAtNs, retracted: 1 });
      return trajectory;
    });
    await this.insert(rows, left);
    return saved;
  }

  /** Takes trajectories out of every list and sum, as a revision of their own: the spans turned out to be another run's. */
  async retract(projectId: string, ids: readonly string[]): Promise<void> {
    const gone = await this.getMany(projectId, ids);
    await this.insert(
      gone.map((trajectory) =>
        rowOf(
          { ...trajectory, revision: trajectory.revision + 1 },
          { contentHash: 'retracted', storedSeq: this.sequence.next(), retracted: true },
        ),
      ),
    );
  }

  /** The list first: killed between, the same trajectories are stored again, since only the whole rows tell that they are. */
  private async insert(rows: readonly StoredRow[], leftPlaces: readonly StoredRow[] = []): Promise<void> {
    await this.clickhouse.insert('trajectory_list', [...rows, ...leftPlaces].map(listRowOf));
    await this.clickhouse.insert('trajectories', rows);
  }

  async get(projectId: string, id: string): Promise<Trajectory | null> {
    return (await this.getMany(projectId, [id]))[0] ?? null;
  }

  async getMany(projectId: string, ids: readonly string[]): Promise<Trajectory[]> {
    if (ids.length === 0) return [];
    return (await this.clickhouse.query(trajectoriesById, { projectId, ids: [...ids] })).map(trajectoryOf);
  }

  /**
   * Newest first. One call reads a bounded part of the list, however large it is: a page may hold less than `limit`, even
   * nothing, and yet have a next cursor.
   */
  async list(query: ListQuery): Promise<Page<TrajectorySummary>> {
    const text = query.q ?? '';
    const range = {
      projectId: query.projectId,
      sinceNs: nsOf(query.sinceMs) ?? 0n,
      untilNs: nsOf(query.untilMs) ?? MAX_NS,
      ...cursorOf(query.cursor),
    };
    const filters = {
      agent: query.agent ?? null,
      outcome: query.outcome ?? null,
      text,
      textAsJson: JSON.stringify(text).slice(1, -1),
      rows: query.limit + 1,
    };
    if (query.ids !== undefined) {
      const ids = [...query.ids];
      return pageFrom(
        await this.clickhouse.query(trajectoryPage, { ...range, ...filters, ids }),
        query.limit,
      );
    }
    const isFiltered = filters.agent !== null || filters.outcome !== null;
    const scan = text !== '' ? TEXT_SCAN_ROWS : isFiltered ? SCAN_ROWS : 2 * (query.limit + 1) + SPARE_ROWS;
    const found = await this.clickhouse.query(trajectoryScan, { ...range, ...filters, scan });
    const page = pageFrom(found, query.limit);
    if (page.nextCursor !== null) return page;
    const [last, beforeLast = last] = await this.clickhouse.query(scanEnd, { ...range, scan });
    if (last === undefined || beforeLast === undefined || last.scanned < scan) return page;
    return { ...page, nextCursor: encodeCursor([beforeLast.startedAtNs, beforeLast.id]) };
  }

  async totals(projectId: string) {
    return (await this.clickhouse.query(totals, { projectId }))[0]!;
  }

  outcomesOverTime(query: {
    projectId: string;
    agent: string;
    policy?: string | undefined;
    sinceMs: number;
    bucketMs: number;
  }) {
    return this.clickhouse.query(outcomesOverTime, {
      projectId: query.projectId,
      agent: query.agent,
      policy: query.policy ?? null,
      sinceNs: nsOf(query.sinceMs) ?? 0n,
      bucketNs: BigInt(query.bucketMs) * NS_PER_MS,
    });
  }

  async sampledIds(query: {
    projectId: string;
    agent: string;
    outcome?: string | undefined;
    seed: string;
    count: number;
  }): Promise<string[]> {
    const { projectId, agent, seed } = query;
    const rows = await this.clickhouse.query(sampledIds, {
      projectId,
      agent,
      outcome: query.outcome ?? null,
      seed,
      rows: query.count,
    });
    return rows.map((row) => row.id);
  }

  projects() {
    return this.clickhouse.query(storedProjects, {});
  }

  private async versionsOf(
    projectId: string,
    ids: readonly string[],
  ): Promise<Map<string, { revision: number; contentHash: string; startedAtNs: string }>> {
    if (ids.length === 0) return new Map();
    const rows = await this.clickhouse.query(storedVersions, { projectId, ids: [...ids] });
    return new Map(rows.map((row) => [row.id, row]));
  }
}

function pageFrom(rows: readonly SummaryRow[], limit: number): Page<TrajectorySummary> {
  return pageOf(rows.map(summaryOf), limit, (item) => [item.startedAtNs, item.id]);
}

function cursorOf(cursor: string | undefined): { cursorNs: bigint; cursorId: string } {
  if (cursor === undefined) return { cursorNs: MAX_NS, cursorId: '' };
  const [ns, id] = decodeCursor(cursor, 2);
  if (typeof ns === 'string' && /^\d{1,20}$/.test(ns)) return { cursorNs: BigInt(ns), cursorId: String(id) };
  throw new AppError('request.invalid', {
    public: 'The cursor is not of this list; start again without it.',
  });
}

/** An imported row has no times but the import's, and may come from another line: neither makes it another trajectory. */
function hashOf(assembled: AssembledTrajectory): string {
  const { cacheReadTokens = null, reasoningTokens = null, ...tokens } = assembled.usage;
  // A stored row tells null of what nobody counted: read back, it is the same trajectory.
  const item = { ...assembled, usage: { ...tokens, cacheReadTokens, reasoningTokens } };
  if (item.source === 'otlp') return contentHash(item);
  const content = without(item, 'startedAtNs', 'endedAtNs');
  return contentHash({ ...content, metadata: without(item.metadata, 'line') });
}

function nsOf(ms: number | undefined): bigint | undefined {
  return ms === undefined ? undefined : BigInt(Math.max(0, Math.floor(ms))) * NS_PER_MS;
}
