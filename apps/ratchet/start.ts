/** Starts the whole of Ratchet in this process and hands back how to end it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { GatePolicy } from '#contracts/gate';
import { Recipe } from '#contracts/recipe';
import { AppAddress, CycleSettings, type TrainerProvider } from '#loop/cycles';
import { EvaluatorKey } from '#loop/evals';
import { MaskingKey } from '#loop/trajectories';
import type { AppConfig } from '#platform/config';
import { projectRoot } from '#platform/runtime';
import { AccessSettings } from '../api/api.module.js';
import { ScheduleSettings } from '../scheduler/scheduler.module.js';
import { Demo } from './demo/demo.js';
import { DEMO_AGENT, DEMO_PROJECT } from './demo/names.js';
import { createHttpApp } from './http-app.js';
import { PythonTrainers } from './python-trainers.js';
import { startRuntime, type Runtime, type Say } from './runtime.js';

export interface StartOptions {
  config: AppConfig;
  say: Say;
  /** Compiled output with the page and the demo's agent program. */
  distDir: string;
  /** A scripted trainer in tests; default: native/trainer. */
  trainers?: TrainerProvider;
}

export interface Started {
  app: INestApplication;
  runtime: Runtime;
  url: string;
  stop(): Promise<void>;
}

/** Two threads train and decode; the rest of a small machine serves. */
const THREADS = 2;
const CONCURRENCY = 48;

async function readJson(...path: string[]): Promise<unknown> {
  return JSON.parse(await readFile(join(...path), 'utf8'));
}

async function cycleSettings(config: AppConfig, rootDir: string): Promise<CycleSettings> {
  const example = join(rootDir, 'examples', 'workplace');
  return new CycleSettings({
    homeDir: config.homeDir,
    threads: THREADS,
    concurrency: CONCURRENCY,
    gatePolicies: { workplace: GatePolicy.parse(await readJson(example, 'gate.json')) },
    defaultRecipes: { workplace: Recipe.parse(await readJson(example, 'default.json')) },
    examples: ['workplace'],
  });
}

/** @throws AppError with what to do; everything started until then is ended. */
export async function startRatchet({ config, say, distDir, trainers }: StartOptions): Promise<Started> {
  const rootDir = projectRoot();
  const runtime = await startRuntime(config, rootDir, say);
  try {
    say('Starting the app');
    const app = await createHttpApp(
      {
        ...runtime,
        evaluatorKey: EvaluatorKey.open(config.homeDir),
        maskingKey: MaskingKey.open(config.homeDir, config.masking.key),
        trainers: trainers ?? new PythonTrainers(config.train.enabled, config.homeDir, rootDir),
        cycleSettings: await cycleSettings(config, rootDir),
        schedule: new ScheduleSettings(config.schedule.cron, DEMO_PROJECT),
        access: new AccessSettings(config.http.apiKey, config.http.host !== '0.0.0.0'),
        defaultAgent: DEMO_AGENT,
      },
      join(distDir, 'web'),
      runtime.log,
    );
    return await listen(app, runtime, { config, say, distDir, rootDir });
  } catch (error) {
    await runtime.stop();
    throw error;
  }
}

async function listen(
  app: INestApplication,
  runtime: Runtime,
  { config, say, distDir, rootDir }: Omit<StartOptions, 'trainers'> & { rootDir: string },
): Promise<Started> {
  const demo = app.get(Demo);
  const address = app.get(AppAddress);
  // The trainer of a turn that goes on needs the address, so it is known before workers start with `listen`.
  const { host, port } = config.http;
  address.baseUrl = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await demo.stop();
    await app.close();
    await runtime.stop();
  };
  try {
    await demo.prepare(rootDir);
    await app.listen(port, host);
    const url = await app.getUrl();
    address.baseUrl = url.replace('[::1]', '127.0.0.1').replace('0.0.0.0', '127.0.0.1');
    const agentScript = join(distDir, 'examples', 'workplace', 'agent.js');
    const options = {
      rootDir,
      homeDir: config.homeDir,
      baseUrl: address.baseUrl,
      apiKey: config.http.apiKey,
      agentScript,
    };
    demo.start({ ...options, runAgent: config.demo.enabled }, say);
    return { app, runtime, url: address.baseUrl, stop };
  } catch (error) {
    await app.close();
    throw error;
  }
}
