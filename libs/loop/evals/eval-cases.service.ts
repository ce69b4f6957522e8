import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { AppError } from '#kernel/errors';
import { contentHash } from '#kernel/ids';
import type { NextActionChecker } from './domain/checker.js';
import { freezeCase, type FrozenCase, type NotFrozen } from './domain/freeze.js';
import { splitOf } from './domain/split.js';
import {
  EvalCasesRepository,
  type CaseFilter,
  type EvalCase,
  type EvalCaseStatus,
  type StoredEvalCase,
} from './eval-cases.repository.js';
import { EvaluatorKey } from './evaluator-key.js';
import { FailureSource } from './ports.js';

export interface DraftedCases {
  cases: EvalCase[];
  /** Trajectories of which no case could be made, and why: none is dropped in silence. */
  skipped: NotFrozen[];
}

/** Frozen cases of real trajectories: made from buckets, accepted or edited by people, sealed where held out. */
@Injectable()
export class EvalCases {
  constructor(
    private readonly repository: EvalCasesRepository,
    private readonly failures: FailureSource,
    private readonly key: EvaluatorKey,
    private readonly clock: Clock,
  ) {}

  /**
   * Freezes a case of each failed trajectory of the bucket, newest first, at most `limit`. Doing it again adds only what
   * is new.
   * @throws AppError `resource.not_found` for an unknown bucket.
   */
  async draftFromBucket(projectId: string, bucketId: string, limit: number): Promise<DraftedCases> {
    const bucket = await this.failures.bucket(projectId, bucketId);
    if (!bucket) throw new AppError('resource.not_found', { public: `There is no bucket ${bucketId}.` });
    const drafted: DraftedCases = { cases: [], skipped: [] };
    const faults = await this.failures.faults(projectId, bucketId, limit);
    const ids = faults.map((fault) => fault.trajectoryId);
    const stored = new Map((await this.failures.trajectories(projectId, ids)).map((each) => [each.id, each]));
    for (const fault of faults) {
      const trajectory = stored.get(fault.trajectoryId);
      const frozen = trajectory
        ? freezeCase(trajectory, fault)
        : { trajectoryId: fault.trajectoryId, reason: 'the trajectory is no longer stored' };
      if ('reason' in frozen) {
        drafted.skipped.push(frozen);
        continue;
      }
      const id = contentHash(['eval-case', fault.trajectoryId, fault.stepIndex, fault.category]);
      const made = this.caseOf(projectId, { id, agent: bucket.agent, bucketId }, frozen);
      await this.repository.insertIfAbsent(projectId, made);
      drafted.cases.push(shown((await this.repository.find(projectId, id)) ?? made));
    }
    return drafted;
  }

  async list(projectId: string, filter: CaseFilter): Promise<EvalCase[]> {
    return (await this.repository.list(projectId, filter)).map(shown);
  }

  count(projectId: string): Promise<number> {
    return this.repository.count(projectId);
  }

  /**
   * A person's verdict on a case: accepts it, refuses it, or names the right checker.
   * @throws AppError `resource.not_found`.
   */
  async review(
    projectId: string,
    id: string,
    verdict: { status: EvalCaseStatus; checker?: NextActionChecker | undefined; note?: string | undefined },
  ): Promise<EvalCase> {
    const found = await this.repository.find(projectId, id);
    if (!found) throw new AppError('resource.not_found', { public: `There is no eval case ${id}.` });
    const frozen = this.open(projectId, found);
    const edited: FrozenCase = { ...frozen, status: verdict.status === 'ready' ? 'ready' : 'draft' };
    if (verdict.checker) edited.checker = verdict.checker;
    const note = verdict.note ?? found.note;
    const stored = this.stored(projectId, found, edited);
    await this.repository.update(projectId, id, { status: verdict.status, note, ...stored });
    return shown({ ...found, status: verdict.status, note });
  }

  /** Accepted cases with their payloads, held-out ones opened with the evaluator's key: for the evaluator alone. */
  async ready(projectId: string, agent: string): Promise<{ case: EvalCase; frozen: FrozenCase }[]> {
    const stored = await this.repository.list(projectId, {
      agent,
      status: 'ready',
      limit: 10_000,
      before: null,
    });
    return stored.map((each) => ({ case: shown(each), frozen: this.open(projectId, each) }));
  }

  /** The named cases, whatever became of them since: a version of an environment keeps what it was made of. */
  async named(projectId: string, ids: readonly string[]): Promise<{ case: EvalCase; frozen: FrozenCase }[]> {
    const stored = await this.repository.findAll(projectId, ids);
    return stored.map((each) => ({ case: shown(each), frozen: this.open(projectId, each) }));
  }

  private caseOf(
    projectId: string,
    of: Pick<EvalCase, 'id' | 'agent' | 'bucketId'>,
    frozen: FrozenCase,
  ): StoredEvalCase {
    const { trajectoryId, lineageKey, family, slice, status, note } = frozen;
    const each: EvalCase = {
      ...of,
      trajectoryId,
      lineageKey,
      family,
      slice,
      status,
      note,
      split: splitOf(lineageKey, this.key.splitKey(projectId)),
      createdAt: this.clock.now().toISOString(),
    };
    return { ...each, ...this.stored(projectId, each, frozen) };
  }

  private stored(
    projectId: string,
    each: Pick<EvalCase, 'id' | 'split'>,
    frozen: FrozenCase,
  ): Pick<StoredEvalCase, 'payload' | 'sealed'> {
    if (each.split !== 'heldout') return { payload: frozen, sealed: null };
    return { payload: null, sealed: this.key.seal(JSON.stringify(frozen), placeOf(projectId, each.id)) };
  }

  private open(projectId: string, { id, payload, sealed }: StoredEvalCase): FrozenCase {
    if (payload) return payload;
    return JSON.parse(this.key.unseal(sealed ?? '', placeOf(projectId, id))) as FrozenCase;
  }
}

function placeOf(projectId: string, caseId: string): string {
  return `eval_case/${projectId}/${caseId}`;
}

function shown({ payload: _payload, sealed: _sealed, ...each }: StoredEvalCase): EvalCase {
  return each;
}
