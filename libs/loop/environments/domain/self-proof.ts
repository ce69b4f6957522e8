/** Every environment proves itself before it is registered: the gold answer passes, an empty run does not. */
import type { ChatMessage } from '#contracts/chat';
import {
  Split,
  type EnvironmentDefinition,
  type EnvironmentSession,
  type EnvironmentTask,
  type RolloutTranscript,
} from '#contracts/environment';
import { contentHash } from '#kernel/ids';
import { judge, verifierOf } from './verdict.js';

/** Names of the protocol's own routes: a tool of that name could never be called. */
export const RESERVED_TOOL_NAMES: readonly string[] = [
  'seed_session',
  'verify',
  'close_session',
  'reset',
  'step',
  'close',
  'aggregate_metrics',
  'reverify_mode',
  'mcp',
];

export interface SelfProof {
  ok: boolean;
  /** Tasks tried. */
  tasks: number;
  /** Gold runs that each verifier passed, of `tasks`; a verifier of another purpose need not pass all. */
  goldPasses: Record<string, number>;
  /** At most ten, in plain words. */
  problems: string[];
}

const MOST_PROBLEMS = 10;
const TASKS_A_SLICE = 2;

/** Draws tasks of every split and slice, runs the right answer and nothing at all, and asks every verifier. */
export function proveEnvironment(definition: EnvironmentDefinition, seed = 1): SelfProof {
  const problems = structureProblems(definition);
  if (problems.length > 0) return { ok: false, tasks: 0, goldPasses: {}, problems };
  const tasks = Split.options.flatMap((split) =>
    definition.slices.flatMap((slice) =>
      definition.tasks({ split, slices: [slice], count: TASKS_A_SLICE, seed }),
    ),
  );
  if (tasks.length === 0) problems.push('it has no task to prove itself on');
  problems.push(...splitProblems(tasks));
  const goldPasses: Record<string, number> = {};
  for (const task of tasks) problems.push(...taskProblems(definition, task, goldPasses));
  return {
    ok: problems.length === 0,
    tasks: tasks.length,
    goldPasses,
    problems: problems.slice(0, MOST_PROBLEMS),
  };
}

function structureProblems(definition: EnvironmentDefinition): string[] {
  const { defaultVerifier, independentVerifier, verifiers } = definition;
  const problems = [defaultVerifier, independentVerifier]
    .filter((name) => !Object.hasOwn(verifiers, name))
    .map((name) => `verifier ${name} is named but not there`);
  if (problems.length === 0 && verifiers[defaultVerifier]?.kind === verifiers[independentVerifier]?.kind) {
    problems.push('the independent verifier is of the same kind as the one that pays');
  }
  const names = definition.tools.map((tool) => tool.function.name);
  const reserved = names.filter((name) => RESERVED_TOOL_NAMES.includes(name));
  if (reserved.length > 0) problems.push(`tool names are taken by the protocol: ${reserved.join(', ')}`);
  if (new Set(names).size < names.length) problems.push('two tools have one name');
  return problems;
}

/** A lineage lives in one split, and a task's id is the hash of its content. */
function splitProblems(tasks: readonly EnvironmentTask[]): string[] {
  const splits = new Map<string, Split>();
  const problems: string[] = [];
  for (const task of tasks) {
    const known = splits.get(task.lineageKey);
    if (known !== undefined && known !== task.split) {
      problems.push(`lineage ${task.lineageKey} is in ${known} and in ${task.split}`);
    }
    splits.set(task.lineageKey, task.split);
    if (!hasContentId(task)) problems.push(`task ${task.id}: the id is not the hash of its content`);
  }
  return problems;
}

export function hasContentId(task: EnvironmentTask): boolean {
  const { id, ...content } = task;
  return contentHash(content) === id;
}

function taskProblems(
  definition: EnvironmentDefinition,
  task: EnvironmentTask,
  goldPasses: Record<string, number>,
): string[] {
  const problems: string[] = [];
  const gold = goldRun(definition.open(task));
  const judged = [definition.defaultVerifier, definition.independentVerifier];
  for (const name of Object.keys(definition.verifiers)) {
    const verifier = verifierOf(definition, name);
    const right = judge(verifier, gold.session, gold.transcript);
    const passed = right.result.state === 'scored' && right.result.success && !right.result.unsafe;
    goldPasses[name] = (goldPasses[name] ?? 0) + Number(passed);
    if (!passed && judged.includes(name)) {
      problems.push(`task ${task.id} (${task.slice}): ${name} does not pass the right answer${why(right)}`);
    }
    for (const empty of emptyRuns(task)) {
      const nothing = judge(verifier, definition.open(task), empty);
      if (nothing.result.state === 'scored' && (nothing.result.success || nothing.result.reward > 0)) {
        problems.push(`task ${task.id} (${task.slice}): ${name} passes a run that did nothing`);
      }
    }
  }
  return [...new Set(problems)];
}

function why({ crash, result }: ReturnType<typeof judge>): string {
  if (crash !== null) return `: it threw (${crash})`;
  return result.state === 'scored' ? '' : `: ${result.reason}`;
}

/** The expected calls run in a session, and the transcript of having done so. */
export function goldRun(session: EnvironmentSession): {
  session: EnvironmentSession;
  transcript: RolloutTranscript;
} {
  const { task } = session;
  const messages: ChatMessage[] = [...task.messages];
  for (const [i, call] of task.expected.calls.entries()) {
    const id = `gold_${i}`;
    const args = JSON.stringify(call.arguments);
    messages.push({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: call.name, arguments: args } }],
    });
    messages.push({
      role: 'tool',
      tool_call_id: id,
      content: session.callTool(call.name, call.arguments).content,
    });
  }
  if (task.expected.final !== undefined) messages.push({ role: 'assistant', content: task.expected.final });
  return { session, transcript: { messages, stopReason: 'stop' } };
}

/** Saying nothing, and saying the right last words, both without having done anything. */
function emptyRuns(task: EnvironmentTask): RolloutTranscript[] {
  const says = task.expected.calls.length > 0 ? ['', task.expected.final ?? ''] : [''];
  return [...new Set(says)].map((content) => ({
    messages: [...task.messages, { role: 'assistant', content }],
    stopReason: 'stop',
  }));
}
