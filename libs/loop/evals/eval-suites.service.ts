import { Injectable } from '@nestjs/common';
import { EnvironmentTask, type Split, type TaskQuery } from '#contracts/environment';
import { Clock } from '#kernel/clock';
import { AppError } from '#kernel/errors';
import { contentHash } from '#kernel/ids';
import { IdSource } from '#platform/runtime';
import type { CaseFacts } from './domain/paired-cases.js';
import {
  EvalSuitesRepository,
  type EvalSuite,
  type StoredSuiteCase,
  type SuiteKind,
  type SuiteSpec,
} from './eval-suites.repository.js';
import { EvaluatorKey } from './evaluator-key.js';
import type { EnvironmentFacts } from './ports.js';
import { SuiteSources } from './suite-sources.js';

/** Verdicts that a held-out version bears before its cases are known too well (design §6). */
export const DEFAULT_READING_BUDGET = 20;

export interface NewSuite {
  projectId: string;
  agent: string;
  /** Cases drawn; a small next-action environment may have fewer. */
  cases: number;
  /** Default: held out. */
  split?: Split;
  readingBudget?: number;
}

/** A case with everything needed to run and to judge it. */
export interface SuiteCase extends CaseFacts {
  task: EnvironmentTask;
}

/** Versioned suites; held-out ones are drawn with a secret seed and stored sealed. */
@Injectable()
export class EvalSuites {
  constructor(
    private readonly repository: EvalSuitesRepository,
    private readonly sources: SuiteSources,
    private readonly key: EvaluatorKey,
    private readonly ids: IdSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Tasks of the kinds that the buckets' trajectories failed at. The same buckets, kinds and environment give the same
   * version, until its readings are used up.
   * @throws AppError `resource.conflict` where no kind of task is known, or the agent has no environment.
   */
  async createFromBuckets(of: NewSuite & { bucketIds: readonly string[] }): Promise<EvalSuite> {
    const environment = await this.sources.environmentOf(of.projectId, of.agent);
    const buckets = await this.sources.slicesOfBuckets(of.projectId, of.bucketIds, environment);
    if (buckets.every((bucket) => bucket.slices.length === 0)) {
      throw new AppError('resource.conflict', {
        public:
          'No failure in these buckets says which kind of task it was: no held-out case can be matched to them.',
      });
    }
    return this.create('buckets', of, environment, buckets);
  }

  /** Drawn as production draws: successes too, no look at any bucket. */
  async createTraffic(of: NewSuite): Promise<EvalSuite> {
    return this.create('traffic', of, await this.sources.environmentOf(of.projectId, of.agent), []);
  }

  /** Only cases with an unsafe act within reach. */
  async createSafety(of: NewSuite): Promise<EvalSuite> {
    return this.create('safety', of, await this.sources.environmentOf(of.projectId, of.agent), []);
  }

  /** @throws AppError `resource.not_found` */
  async get(projectId: string, id: string): Promise<EvalSuite> {
    const suite = await this.repository.find(projectId, id);
    if (suite) return suite;
    throw new AppError('resource.not_found', { public: `There is no eval suite ${id}.` });
  }

  caseCount(projectId: string): Promise<number> {
    return this.repository.caseCount(projectId);
  }

  list(projectId: string, page: { limit: number; before: string | null }): Promise<EvalSuite[]> {
    return this.repository.list(projectId, page);
  }

  /**
   * The cases, opened.
   * @param key the evaluator's; with another one a held-out suite stays closed.
   * @throws AppError `request.forbidden` for a wrong key, `resource.not_found`.
   */
  async payloads(projectId: string, suiteId: string, key: EvaluatorKey): Promise<SuiteCase[]> {
    await this.get(projectId, suiteId);
    const stored = await this.repository.cases(projectId, suiteId);
    return stored.map((each) => {
      const place = placeOf(projectId, suiteId, each.caseId);
      const data: unknown = each.sealed === null ? each.payload : JSON.parse(key.unseal(each.sealed, place));
      return suiteCase(each, EnvironmentTask.parse(data));
    });
  }

  /** The cases, opened with this process's key: for the evaluator alone. */
  opened(projectId: string, suiteId: string): Promise<SuiteCase[]> {
    return this.payloads(projectId, suiteId, this.key);
  }

  /**
   * Counts a verdict against the version's reading budget, once per verdict. The last one retires the version.
   * @returns readings used by other verdicts, and the budget.
   */
  async recordReading(projectId: string, suiteId: string, verdictId: string): Promise<EvalSuite['readings']> {
    const suite = await this.get(projectId, suiteId);
    await this.repository.addReading(projectId, suiteId, verdictId, this.clock.now());
    const used = await this.repository.readingsBeside(projectId, suiteId, verdictId);
    if (suite.split === 'heldout' && used + 1 >= suite.readings.budget) {
      await this.repository.retire(projectId, suiteId, this.clock.now());
    }
    return { used, budget: suite.readings.budget };
  }

  private async create(
    kind: SuiteKind,
    of: NewSuite,
    environment: EnvironmentFacts,
    buckets: SuiteSpec['buckets'],
  ): Promise<EvalSuite> {
    const { projectId, agent, split = 'heldout', readingBudget = DEFAULT_READING_BUDGET } = of;
    const spec: SuiteSpec = { cases: of.cases, buckets };
    const specDigest = contentHash([environment.digest, split, spec]);
    const newest = await this.repository.newest(projectId, { agent, kind, split });
    if (newest && newest.specDigest === specDigest && newest.retiredAt === null) return newest;
    const version = (newest?.version ?? 0) + 1;
    const id = this.ids.newId();
    const slices = [...new Set(buckets.flatMap((bucket) => bucket.slices))].sort();
    const query: TaskQuery = {
      split,
      count: of.cases,
      seed: this.key.seedOf(`suite/${id}`),
      ...drawOf(kind, slices),
    };
    const tasks = await this.sources.draw(projectId, environment.id, query);
    if (tasks.length === 0) {
      throw new AppError('resource.conflict', {
        public: `The environment ${environment.name} has no such ${split} task.`,
      });
    }
    const suite: EvalSuite = {
      id,
      agent,
      kind,
      version,
      environmentId: environment.id,
      split,
      spec,
      specDigest,
      cases: tasks.length,
      lineageKeys: [...new Set(tasks.map((task) => task.lineageKey))].sort(),
      readings: { used: 0, budget: readingBudget },
      retiredAt: null,
      createdAt: this.clock.now().toISOString(),
    };
    const cases = tasks.map((task) => this.storedCase(projectId, suite, task));
    if (await this.repository.insert(projectId, suite, cases)) return suite;
    return this.create(kind, of, environment, buckets);
  }

  private storedCase(projectId: string, suite: EvalSuite, task: EnvironmentTask): StoredSuiteCase {
    const bucketIds = suite.spec.buckets
      .filter((b) => b.slices.includes(task.slice))
      .map((bucket) => bucket.id);
    const sealed = suite.split === 'heldout';
    return {
      caseId: task.id,
      lineageKey: task.lineageKey,
      slice: task.slice,
      bucketIds,
      payload: sealed ? null : task,
      sealed: sealed ? this.key.seal(JSON.stringify(task), placeOf(projectId, suite.id, task.id)) : null,
    };
  }
}

function drawOf(kind: SuiteKind, slices: string[]): Pick<TaskQuery, 'suite' | 'slices'> {
  if (kind === 'buckets') return { slices };
  return { suite: kind === 'safety' ? 'risky' : 'traffic' };
}

function placeOf(projectId: string, suiteId: string, caseId: string): string {
  return `suite_case/${projectId}/${suiteId}/${caseId}`;
}

function suiteCase(stored: StoredSuiteCase, task: EnvironmentTask): SuiteCase {
  return {
    caseId: stored.caseId,
    lineageKey: task.lineageKey,
    family: task.family,
    slice: task.slice,
    safetySlice: task.safeActRequired,
    bucketIds: stored.bucketIds,
    tools: [...new Set(task.expected.calls.map((call) => call.name))],
    task,
  };
}
