import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { workplaceEnvironment } from '#examples/workplace';
import { messageOf } from '#kernel/errors';
import { EnvironmentCatalog } from '#loop/environments';
import { Deployments } from '#loop/serving';
import { spawnChild, type ChildHandle } from '#platform/process';
import { Log } from '#platform/telemetry';
import { FirstTurn } from './first-turn.js';
import { FirstVersion } from './first-version.js';
import { DEMO_AGENT, DEMO_PROJECT } from './names.js';

export interface DemoOptions {
  /** Repository root, for the example's files. */
  rootDir: string;
  homeDir: string;
  baseUrl: string;
  apiKey: string | undefined;
  /** Directory of the compiled example program. */
  agentScript: string;
  runAgent: boolean;
}

/** A bucket needs this many failures before the first turn starts from it. */
const FIRST_TURN_FAILURES = 40;
const WATCH_EVERY_MS = 2_000;

/** Brings the demo into being, and starts its first turn once failures have gathered. */
@Injectable()
export class Demo {
  private agent: ChildHandle | null = null;
  private timer: NodeJS.Timeout | null = null;
  private announced = false;

  constructor(
    private readonly catalog: EnvironmentCatalog,
    private readonly first: FirstVersion,
    private readonly deployments: Deployments,
    private readonly turns: FirstTurn,
    private readonly log: Log,
  ) {}

  /** Environment, verifier admission and first version exist after this, whether or not the agent program runs. */
  async prepare(rootDir: string): Promise<void> {
    const environment = workplaceEnvironment();
    const facts = await this.catalog.register(DEMO_PROJECT, DEMO_AGENT, environment);
    const scored = join(
      rootDir,
      'examples',
      'workplace',
      `verifier-${environment.defaultVerifier}.scored.json`,
    );
    await this.catalog.admit(DEMO_PROJECT, facts.id, JSON.parse(await readFile(scored, 'utf8')));
    await this.first.install(DEMO_PROJECT, DEMO_AGENT, environment.tools);
    await this.deployments.reconcile(DEMO_PROJECT, DEMO_AGENT);
  }

  start(options: DemoOptions, say: (text: string) => void): void {
    if (options.runAgent) this.agent = this.spawnAgent(options);
    this.timer = setInterval(() => void this.watch(say), WATCH_EVERY_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.agent?.stop(6_000);
  }

  private spawnAgent({ homeDir, baseUrl, apiKey, agentScript }: DemoOptions): ChildHandle {
    return spawnChild({
      name: 'demo-agent',
      homeDir,
      script: agentScript,
      config: null,
      nodeArgs: [],
      env: { OPENAI_BASE_URL: baseUrl, ...(apiKey === undefined ? {} : { OPENAI_API_KEY: apiKey }) },
      onLine: (line) => this.log.debug('demo.agent', { line }),
    });
  }

  private async watch(say: (text: string) => void): Promise<void> {
    try {
      const state = await this.turns.look(FIRST_TURN_FAILURES);
      if (state.buckets > 0 && !this.announced) {
        this.announced = true;
        say(`First failure bucket: ${state.firstBucket ?? ''}`);
      }
      if (state.started && this.timer) {
        clearInterval(this.timer);
        say('Enough failures have gathered: the loop turns once. Watch it on the page.');
      }
    } catch (error) {
      this.log.warn('demo.watchFailed', { message: messageOf(error) });
    }
  }
}
