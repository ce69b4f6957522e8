import { Injectable } from '@nestjs/common';
import { AppError } from '#kernel/errors';
import { Registry, type Candidate } from '#loop/registry';
import { PolicyFleet } from './policy-fleet.js';

export interface Route {
  agent: string;
  candidateId: string;
  /** Content name callers see as `model`. */
  policy: string;
  agentRefDigest: string;
}

/**
 * Makes what serves equal to what the registry says. The registry row is the truth: a crash between promotion and the
 * switch is mended by the next reconcile. Keeps its last good route table when the registry cannot be read.
 */
@Injectable()
export class Deployments {
  private routes = new Map<string, Route>();
  private working: Promise<void> = Promise.resolve();

  constructor(
    private readonly registry: Registry,
    private readonly fleet: PolicyFleet,
  ) {}

  /** @throws AppError resource.not_found when the agent has no deployment. */
  routeOf(projectId: string, agent: string): Route {
    const route = this.routes.get(`${projectId}/${agent}`);
    if (route) return route;
    throw new AppError('resource.not_found', {
      public: `No deployment serves "${agent}". GET /v1/models lists what is served.`,
    });
  }

  list(projectId: string): Route[] {
    return [...this.routes].filter(([key]) => key.startsWith(`${projectId}/`)).map(([, route]) => route);
  }

  /** Loads, probes and switches to the production candidate of an agent. Calls are run one after the other. */
  reconcile(projectId: string, agent: string): Promise<Route> {
    const next = this.working.then(() => this.switchTo(projectId, agent));
    // A failed switch must not block the next one; its own caller gets the error.
    this.working = next.then(
      () => undefined,
      () => undefined,
    );
    return next;
  }

  /** Returns an agent to the version before and serves it. @throws AppError resource.conflict when there is none. */
  async rollback(projectId: string, agent: string, reason: string): Promise<Candidate> {
    const restored = await this.registry.rollback(projectId, agent, 'person', reason);
    await this.reconcile(projectId, agent);
    return restored;
  }

  private async switchTo(projectId: string, agent: string): Promise<Route> {
    const production = await this.registry.production(projectId, agent);
    const before = this.routes.get(`${projectId}/${agent}`);
    if (before?.candidateId === production.id) return before;
    await this.makeReady(production);
    const route: Route = {
      agent,
      candidateId: production.id,
      policy: production.policyName,
      agentRefDigest: production.agentRefDigest,
    };
    this.routes.set(`${projectId}/${agent}`, route);
    return route;
  }

  /** Loads a candidate under its content name on every replica and asks it for one token. */
  async makeReady(candidate: Candidate): Promise<void> {
    if (candidate.adapterDir !== null) {
      const loaded = await this.fleet.loaded();
      if (!loaded.includes(candidate.policyName))
        await this.fleet.load(candidate.policyName, candidate.adapterDir);
    }
    const probe = await this.fleet.chat({
      model: candidate.policyName,
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 1,
      temperature: 0,
    });
    const served = (probe.body as { model?: unknown } | null)?.model;
    if (probe.status === 200 && served === candidate.policyName) return;
    throw new AppError('policy.unavailable', {
      public: `The policy ${candidate.policyName} did not answer its probe.`,
      detail: { status: probe.status, served },
    });
  }

  /** Unloads every adapter that serves no agent. Not while candidates are measured: they are needed and serve nobody yet. */
  async unloadUnused(): Promise<void> {
    const needed = new Set([...[...this.routes.values()].map((route) => route.policy), this.fleet.baseModel]);
    for (const name of await this.fleet.loaded()) {
      if (!needed.has(name)) await this.fleet.unload(name);
    }
  }
}
