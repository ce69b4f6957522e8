/** `npx ratchet COMMAND`: parses, runs one command, maps its end to an exit code. */
import { parseArgs } from 'node:util';
import { AppError, messageOf } from '#kernel/errors';
import { loadConfig } from '#platform/config';
import { ApiClient } from './api-client.js';
import { UsageError, type Command, type ExitCode } from './command.js';
import { cycleCommand } from './commands/cycle.js';
import { importCommand } from './commands/import.js';
import { listCommands } from './commands/lists.js';
import { migrateCommand } from './commands/migrate.js';
import { replayDlqCommand } from './commands/replay-dlq.js';
import { rollbackCommand } from './commands/rollback.js';
import { trajectoriesCommand } from './commands/trajectories.js';

const COMMANDS: readonly Command[] = [
  cycleCommand,
  importCommand,
  rollbackCommand,
  migrateCommand,
  replayDlqCommand,
  trajectoriesCommand,
  ...listCommands,
];
const COMMON = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  project: { type: 'string' },
} as const;

function help(): string {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const lines = COMMANDS.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return [
    'Usage: ratchet COMMAND [options]',
    '',
    ...lines,
    '',
    'ratchet COMMAND --help shows its options. "npm start" runs Ratchet itself.',
  ].join('\n');
}

function parse(
  command: Command,
  args: string[],
): { values: Record<string, string | boolean | undefined>; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { ...COMMON, ...command.options },
      allowPositionals: true,
      strict: true,
    });
    return { values: values, positionals };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

async function runCommand(command: Command, args: string[]): Promise<ExitCode> {
  const { values, positionals } = parse(command, args);
  if (values['help'] === true) {
    console.log(`${command.summary}\n\nUsage: ${command.usage}`);
    return 0;
  }
  const config = loadConfig();
  const host = config.http.host === '0.0.0.0' ? '127.0.0.1' : config.http.host;
  const api = new ApiClient({
    url: config.client.url ?? `http://${host}:${config.http.port}`,
    key: config.client.key,
    project: typeof values['project'] === 'string' ? values['project'] : command.defaultProject,
  });
  const json = values['json'] === true;
  const note = (text: string): void => {
    if (!json) console.error(text);
  };
  return command.run({
    api,
    config,
    json,
    options: values,
    positionals,
    print: (text) => console.log(text),
    note,
  });
}

async function main(args: string[]): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.log(help());
    return name === undefined ? 2 : 0;
  }
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) {
    console.error(`ratchet: there is no command "${name}".\n\n${help()}`);
    return 2;
  }
  try {
    return await runCommand(command, rest);
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`ratchet ${name}: ${error.message}\nUsage: ${command.usage}`);
      return 2;
    }
    console.error(`ratchet ${name}: ${error instanceof AppError ? error.publicMessage : messageOf(error)}`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
