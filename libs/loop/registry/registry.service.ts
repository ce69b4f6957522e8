import { Injectable } from '@nestjs/common';
import type { AgentRef } from '#contracts/policy';
import { Clock } from '#kernel/clock';
import { AppError } from '#kernel/errors';
import { IdSource } from '#platform/runtime';
import type { AdmissionResult } from './domain/admission.js';
import { CANDIDATE_STATES, mayMove, type CandidateState } from './domain/states.js';
import { RegistryRepository, type Candidate, type Move, type RegistryEvent } from './registry.repository.js';

export interface NewCandidate {
  projectId: string;
  agent: string;
  policyName: string;
  agentRef: AgentRef;
  agentRefDigest: string;
  parentId: string;
  runId: string;
  cycleId: string;
  adapterDir: string;
  admission: AdmissionResult;
}

export interface MoveRequest {
  projectId: string;
  candidateId: string;
  actor: string;
  reason: string;
}

const sourcesOf = (to: CandidateState): CandidateState[] =>
  CANDIDATE_STATES.filter((from) => mayMove(from, to));

const PROMOTABLE: readonly CandidateState[] = ['gated', 'canary'];

/** Candidates and who serves: one production version an agent, every move audited, any version restorable in one call. */
@Injectable()
export class Registry {
  constructor(
    private readonly repository: RegistryRepository,
    private readonly ids: IdSource,
    private readonly clock: Clock,
  ) {}

  /** Makes the untouched base the agent's production version, once. */
  async installBase(base: {
    projectId: string;
    agent: string;
    policyName: string;
    agentRef: AgentRef;
    agentRefDigest: string;
  }): Promise<void> {
    if ((await this.repository.productionId(base.projectId, base.agent)) !== null) return;
    const id = `base-${base.agentRefDigest}`;
    await this.repository.insertIfAbsent({
      ...base,
      id,
      kind: 'base',
      state: 'candidate',
      parentId: null,
      runId: null,
      cycleId: null,
      adapterDir: null,
      admission: null,
      gateReportId: null,
      createdAt: this.clock.now().toISOString(),
    });
    const request = { projectId: base.projectId, candidateId: id, actor: 'ratchet', reason: 'first version' };
    await this.repository.installFirst(this.moveOf(request, 'production'), base.agent);
  }

  /** Registers an admitted adapter under an id made of its content: the same adapter of the same cycle is one candidate. */
  async addCandidate(candidate: NewCandidate): Promise<Candidate> {
    const id = `${candidate.cycleId}-${candidate.admission.digest.slice(0, 12)}`;
    await this.repository.insertIfAbsent({
      ...candidate,
      id,
      kind: 'adapter',
      state: 'candidate',
      gateReportId: null,
      createdAt: this.clock.now().toISOString(),
    });
    return this.get(candidate.projectId, id);
  }

  /** @throws AppError resource.not_found */
  async get(projectId: string, id: string): Promise<Candidate> {
    const candidate = await this.repository.find(projectId, id);
    if (candidate) return candidate;
    throw new AppError('resource.not_found', { public: `There is no candidate ${id}.` });
  }

  /** @throws AppError resource.not_found when the agent has no version yet. */
  async production(projectId: string, agent: string): Promise<Candidate> {
    const id = await this.repository.productionId(projectId, agent);
    if (id !== null) return this.get(projectId, id);
    throw new AppError('resource.not_found', { public: `No version of "${agent}" is in production.` });
  }

  agents(projectId: string): Promise<{ agent: string; productionId: string }[]> {
    return this.repository.agents(projectId);
  }

  list(
    projectId: string,
    page: { limit: number; before: string | null; kind?: Candidate['kind'] },
  ): Promise<Candidate[]> {
    return this.repository.list(projectId, page);
  }

  countAdapters(projectId: string): Promise<number> {
    return this.repository.countAdapters(projectId);
  }

  events(projectId: string, agent: string, limit = 100): Promise<RegistryEvent[]> {
    return this.repository.events(projectId, agent, limit);
  }

  /** Records the gate's verdict on a candidate; repeating the same verdict changes nothing. */
  async recordVerdict(
    request: MoveRequest,
    verdict: 'gated' | 'blocked',
    gateReportId: string,
  ): Promise<void> {
    const candidate = await this.get(request.projectId, request.candidateId);
    if (candidate.state === verdict && candidate.gateReportId === gateReportId) return;
    await this.repository.setGateReport(request.projectId, request.candidateId, gateReportId);
    await this.repository.transition(this.moveOf(request, verdict), sourcesOf(verdict));
  }

  /**
   * Puts a gated candidate into production in place of `expectedProductionId`.
   * Repeating a promotion that took place changes nothing.
   * @throws AppError gate.blocked for a candidate no gate passed; resource.conflict when another one serves meanwhile.
   */
  async promote(request: MoveRequest, expectedProductionId: string): Promise<void> {
    const candidate = await this.get(request.projectId, request.candidateId);
    const current = await this.repository.productionId(request.projectId, candidate.agent);
    if (current === candidate.id) return;
    // A version that served once comes back by a rollback alone: a promotion repeated after one must not undo it.
    if (!PROMOTABLE.includes(candidate.state)) {
      throw new AppError('gate.blocked', {
        public: `Candidate ${candidate.id} is "${candidate.state}": only a version that passed its gate and has not served yet is promoted.`,
      });
    }
    const retired = this.moveOf(
      { ...request, candidateId: expectedProductionId, reason: `replaced by ${candidate.policyName}` },
      'retired',
    );
    const move = { move: this.moveOf(request, 'production'), from: PROMOTABLE };
    await this.repository.swapProduction(candidate.agent, expectedProductionId, move, retired);
  }

  /**
   * Returns an agent to the version that its present one replaced.
   * @throws AppError resource.conflict when there is no version before.
   */
  async rollback(projectId: string, agent: string, actor: string, reason: string): Promise<Candidate> {
    const current = await this.production(projectId, agent);
    const previousId = await this.repository.replacedBy(projectId, current.id);
    if (previousId === null) {
      throw new AppError('resource.conflict', {
        public: `"${agent}" has no version before ${current.policyName}.`,
      });
    }
    const restored = this.moveOf({ projectId, candidateId: previousId, actor, reason }, 'production');
    const taken = this.moveOf({ projectId, candidateId: current.id, actor, reason }, 'rolled_back');
    const move = { move: restored, from: sourcesOf('production') };
    await this.repository.swapProduction(agent, current.id, move, taken);
    return this.get(projectId, previousId);
  }

  private moveOf(request: MoveRequest, to: CandidateState): Move {
    return { ...request, eventId: this.ids.newId(), to, at: this.clock.now() };
  }
}
