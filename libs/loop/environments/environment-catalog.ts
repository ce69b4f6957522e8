import { Injectable } from '@nestjs/common';
import type { EnvironmentDefinition, EnvironmentTask, Split, TaskQuery } from '#contracts/environment';
import { Clock } from '#kernel/clock';
import { AppError } from '#kernel/errors';
import { contentHash } from '#kernel/ids';
import { EnvironmentSource, EvalCases, type EnvironmentFacts } from '#loop/evals';
import { admitVerifier, ScoredFile, type AdmissionReport } from './domain/admission.js';
import { nextActionEnvironment } from './domain/next-action.js';
import { proveEnvironment } from './domain/self-proof.js';
import {
  EnvironmentsRepository,
  factsOf,
  type EnvironmentVersion,
  type VersionPage,
} from './environments.repository.js';
import { TaskSource } from './gym/task-source.js';
import { EnvironmentDefinitions } from './environment-definitions.js';
import { PublishedTasks } from './published-tasks.js';

export interface VerifierAdmission {
  state: 'admitted' | 'waived' | 'missing';
  /** Null where nothing was ever scored. */
  report: AdmissionReport | null;
  /** Why it is missing; null otherwise. */
  reason: string | null;
}

/** The registered environments: proven, versioned by content, found by agent; and the tasks published for training. */
@Injectable()
export class EnvironmentCatalog implements EnvironmentSource, TaskSource {
  constructor(
    private readonly repository: EnvironmentsRepository,
    private readonly definitions: EnvironmentDefinitions,
    private readonly published: PublishedTasks,
    private readonly cases: EvalCases,
    private readonly clock: Clock,
  ) {}

  /**
   * Registers a definition for an agent; the same content again is the same version.
   * @throws AppError `resource.conflict` where it does not prove itself: the right answer must pass, an empty run must not.
   */
  async register(
    projectId: string,
    agent: string,
    definition: EnvironmentDefinition,
  ): Promise<EnvironmentFacts> {
    this.definitions.add(idOf(definition), definition);
    return this.store(projectId, agent, definition, []);
  }

  /**
   * Makes the agent's next-action environment of its accepted eval cases.
   * @throws AppError `resource.conflict` where it has none, or a case does not prove itself.
   */
  async registerNextAction(projectId: string, agent: string): Promise<EnvironmentFacts> {
    const ready = await this.cases.ready(projectId, agent);
    if (ready.length === 0) {
      throw new AppError('resource.conflict', {
        public: `The agent ${agent} has no accepted eval case: draft some from a bucket and accept them first.`,
      });
    }
    const definition = nextActionEnvironment(nameFor(agent), ready.map(caseOf));
    return this.store(
      projectId,
      agent,
      definition,
      ready.map((each) => each.case.id),
    );
  }

  /** @throws AppError `resource.not_found` for a version that is not registered, or whose program is not part of this app. */
  async definition(projectId: string, environmentId: string): Promise<EnvironmentDefinition> {
    const known = this.definitions.find(projectId, environmentId);
    if (known) return known;
    const { facts } = await this.get(projectId, environmentId);
    if (facts.fidelity !== 'next-action') {
      throw new AppError('resource.not_found', {
        public: `The program of environment ${environmentId} is not part of this version of the app.`,
      });
    }
    const cases = await this.cases.named(projectId, facts.caseIds);
    const definition = nextActionEnvironment(facts.name, cases.map(caseOf));
    this.definitions.addForProject(projectId, environmentId, definition);
    return definition;
  }

  /** @throws AppError `resource.not_found` */
  async get(projectId: string, environmentId: string): Promise<EnvironmentVersion> {
    const version = await this.repository.find(projectId, environmentId);
    if (version) return version;
    throw new AppError('resource.not_found', { public: `There is no environment ${environmentId}.` });
  }

  list(projectId: string, page: VersionPage): Promise<EnvironmentVersion[]> {
    return this.repository.list(projectId, page);
  }

  async forAgent(projectId: string, agent: string): Promise<EnvironmentFacts | null> {
    return (await this.repository.newest(projectId, agent))?.facts ?? null;
  }

  async draw(projectId: string, environmentId: string, query: TaskQuery): Promise<EnvironmentTask[]> {
    return (await this.definition(projectId, environmentId)).tasks(query);
  }

  /**
   * Draws tasks and lets sessions be opened on them, also after a restart: the query is kept, the tasks are drawn anew.
   * @throws AppError `request.invalid` for held-out tasks: those are run by the evaluator, never published.
   */
  async publish(projectId: string, environmentId: string, query: TaskQuery): Promise<EnvironmentTask[]> {
    if (query.split === 'heldout') {
      throw new AppError('request.invalid', { public: 'Held-out tasks are never published.' });
    }
    const tasks = await this.draw(projectId, environmentId, query);
    const id = contentHash(query);
    await this.repository.addTaskSet({ projectId, environmentId, id, query }, this.clock.now());
    this.published.add({ projectId, environmentId }, id, tasks);
    return tasks;
  }

  async task(projectId: string, environmentId: string, taskId: string): Promise<EnvironmentTask | null> {
    const known = this.published.task({ projectId, environmentId }, taskId);
    if (known) return known;
    await this.restore(projectId, environmentId);
    return this.published.task({ projectId, environmentId }, taskId);
  }

  async splitOfLineage(projectId: string, environmentId: string, lineageKey: string): Promise<Split | null> {
    const place = { projectId, environmentId };
    const known = this.published.splitOfLineage(place, lineageKey);
    if (known) return known;
    await this.restore(projectId, environmentId);
    return this.published.splitOfLineage(place, lineageKey);
  }

  /** Judges the verifier by its hand-scored file and keeps the report. */
  async admit(projectId: string, environmentId: string, file: unknown): Promise<AdmissionReport> {
    const parsed = ScoredFile.safeParse(file);
    if (!parsed.success) {
      throw new AppError('request.invalid', {
        public: `The scored file is not readable: ${parsed.error.issues[0]?.message ?? 'wrong form'}.`,
      });
    }
    const definition = await this.definition(projectId, environmentId);
    const report = admitVerifier(definition, parsed.data);
    await this.repository.putAdmission(projectId, environmentId, report, this.clock.now());
    return report;
  }

  /** Whether the verifier may train. Anything but `admitted`, or a waiver of the recipe, blocks training. */
  async admissionOf(
    projectId: string,
    environmentId: string,
    verifier: string,
    recipe: { admission: 'required' | 'waived' },
  ): Promise<VerifierAdmission> {
    const report = await this.repository.admission(projectId, environmentId, verifier);
    const current = (await this.definition(projectId, environmentId)).verifiers[verifier]?.version;
    if (report?.admitted && report.version === current) return { state: 'admitted', report, reason: null };
    if (recipe.admission === 'waived') return { state: 'waived', report, reason: null };
    const reason = report ? report.problems.join('; ') : 'no output of this verifier was ever scored by hand';
    return { state: 'missing', report, reason: reason === '' ? 'it was scored in another version' : reason };
  }

  private async store(
    projectId: string,
    agent: string,
    definition: EnvironmentDefinition,
    caseIds: string[],
  ): Promise<EnvironmentFacts> {
    const proof = proveEnvironment(definition);
    if (!proof.ok) {
      throw new AppError('resource.conflict', {
        public: `The environment ${definition.name} does not prove itself: ${proof.problems.join('; ')}.`,
        detail: { problems: proof.problems },
      });
    }
    const id = idOf(definition);
    if (caseIds.length > 0) this.definitions.addForProject(projectId, id, definition);
    const facts = factsOf(id, definition, caseIds);
    const createdAt = this.clock.now().toISOString();
    await this.repository.insertIfAbsent(projectId, { id, agent, facts, proof, createdAt });
    return facts;
  }

  private async restore(projectId: string, environmentId: string): Promise<void> {
    for (const { id, query } of await this.repository.taskSets(projectId, environmentId)) {
      if (this.published.has({ projectId, environmentId }, id)) continue;
      this.published.add({ projectId, environmentId }, id, await this.draw(projectId, environmentId, query));
    }
  }
}

/** Readable, and of one content: `workplace-1f3a…`. */
function idOf(definition: EnvironmentDefinition): string {
  return `${definition.name}-${definition.digest.slice(0, 12)}`;
}

function nameFor(agent: string): string {
  const plain = agent
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `${plain === '' ? 'agent' : plain}-next-action`;
}

function caseOf({ case: each, frozen }: Awaited<ReturnType<EvalCases['ready']>>[number]) {
  return { split: each.split, frozen };
}
