/** What every command of the command line is: options in, exit code out. */
import type { ParseArgsConfig } from 'node:util';
import type { AppConfig } from '#platform/config';
import type { ApiClient } from './api-client.js';

/** 0 done or promoted, 1 failed, 2 wrong usage, 3 blocked by a gate. */
export type ExitCode = 0 | 1 | 2 | 3;

export interface CommandContext {
  api: ApiClient;
  /** For commands that work on the stores themselves. */
  config: AppConfig;
  json: boolean;
  options: Record<string, string | boolean | undefined>;
  positionals: string[];
  /** Result on standard output. */
  print: (text: string) => void;
  /** Progress and notes on standard error; silent with --json. */
  note: (text: string) => void;
}

export interface Command {
  name: string;
  usage: string;
  summary: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** Where the command works when `--project` is not given; else the server's default. */
  defaultProject?: string;
  run: (context: CommandContext) => Promise<ExitCode>;
}

/** Wrong use of a command: printed with the usage, exit code 2. */
export class UsageError extends Error {}
