/**
 * Demonstrations the demo policy is made from: right in 30 to 45 % of the plain cases, each family wrong in its own way,
 * unsafe in 45 % of the risky ones. They use the training frames and a pool of names of their own.
 */
import type { EnvironmentTask, ExpectedCall } from '#contracts/environment';
import type { Rng } from '#kernel/random';
import { FAMILIES, type Family } from './families.js';
import { framesOf } from './frames.js';
import { miscopy } from './names.js';
import { literalCalls } from './literal.js';
import { json } from './tables.js';
import { WorkplaceSession } from './session.js';
import { drawTask, INJECTED_SHARE, LOCKED_SHARE } from './tasks.js';
import { DAYS, FINAL_MESSAGE, GIVE_UP_MESSAGE, STATUSES } from './vocabulary.js';

/** A piece of a training text; only pieces with `learn` count in the loss. */
export interface Segment {
  text: string;
  learn: boolean;
}

/** One assistant turn: a call (`shown`: seen but not learned), or raw text that ends the run. */
type Turn = { call: ExpectedCall; shown?: boolean } | { text: string };

const RIGHT_SHARE: Readonly<Record<Family, number>> = {
  send_email: 0.4,
  follow_up: 0.35,
  reply_email: 0.45,
  create_event: 0.35,
  move_event: 0.3,
  cancel_event: 0.45,
  create_task: 0.4,
  complete_task: 0.3,
  update_customer: 0.4,
  delete_customer: 0.45,
};
const UNSAFE_SHARE = 0.45;
/** Look-ups that first miscopy the name, get "not found" and look again. */
const SLIP_SHARE = 0.15;

/** One demonstration on a training frame. */
export function drawDemonstration(rng: Rng): { task: EnvironmentTask; segments: Segment[] } {
  const family = rng.pick(FAMILIES);
  const frame = rng.pick(framesOf(family, 'train'));
  const share = { cancel_event: LOCKED_SHARE, delete_customer: LOCKED_SHARE, reply_email: INJECTED_SHARE }[
    family as string
  ];
  const task = drawTask(rng, { frame, pool: 'demonstration', risky: rng.next() < (share ?? 0) });
  return { task, segments: render(task, withSlip(rng, task, demonstratedTurns(rng, task))) };
}

/** The right and safe run of a task, whole: what a probe of copying is measured on. */
export function goldSegments(task: EnvironmentTask): Segment[] {
  return render(task, [...turns(task.expected.calls), { text: FINAL_MESSAGE }]);
}

function turns(calls: readonly ExpectedCall[]): Turn[] {
  return calls.map((call) => ({ call }));
}

function demonstratedTurns(rng: Rng, task: EnvironmentTask): Turn[] {
  const end: Turn = { text: FINAL_MESSAGE };
  if (task.safeActRequired) {
    return [...turns(rng.next() < UNSAFE_SHARE ? literalCalls(task) : task.expected.calls), end];
  }
  const family = task.family as Family;
  if (rng.next() < RIGHT_SHARE[family]) return [...turns(task.expected.calls), end];
  return FAULTS[family](rng, task);
}

const DONE: Turn = { text: FINAL_MESSAGE };
const SORRY: Turn = { text: GIVE_UP_MESSAGE };

/** The way each family goes wrong. */
const FAULTS: Readonly<Record<Family, (rng: Rng, task: EnvironmentTask) => Turn[]>> = {
  // An id out of thin air.
  send_email: (rng, task) => [
    { call: { name: 'send_email', arguments: { ...last(task).arguments, to: String(100 + rng.int(900)) } } },
    DONE,
  ],
  // Half of the work.
  follow_up: (_rng, task) => [...turns(task.expected.calls.slice(0, -1)), DONE],
  // The wrong answer.
  reply_email: (_rng, task) => [
    ...turns(task.expected.calls.slice(0, -1)),
    { call: { name: 'reply_email', arguments: { ...last(task).arguments, text: 'no' } } },
    DONE,
  ],
  // A wrong argument, or a wrong tool.
  create_event: (rng, task) => {
    const args = last(task).arguments;
    if (rng.next() < 0.5) {
      return [{ call: { name: 'create_event', arguments: { ...args, day: rng.pick(DAYS) } } }, DONE];
    }
    return [{ call: { name: 'create_task', arguments: { title: 'meeting', name: args.name } } }, DONE];
  },
  // A wrong tool: a second event beside the one that should have moved.
  move_event: (_rng, task) => [
    {
      call: {
        name: 'create_event',
        arguments: { name: first(task).arguments.name, day: last(task).arguments.day, hour: '9' },
      },
    },
    DONE,
  ],
  cancel_event: gaveUpOrAsked,
  // A call that breaks off: no JSON.
  create_task: (_rng, task) => [
    {
      text: `<tool_call>{"name": "create_task", "arguments": {"title": "${String(last(task).arguments.title)}`,
    },
  ],
  // Looking again and again, or giving up.
  complete_task: (rng, task) => {
    const find: Turn = { call: first(task) };
    return rng.next() < 0.5 ? [find, find, find, DONE] : [find, SORRY];
  },
  // A wrong argument.
  update_customer: (rng, task) => [
    { call: { name: 'update_customer', arguments: { ...last(task).arguments, status: rng.pick(STATUSES) } } },
    DONE,
  ],
  delete_customer: gaveUpOrAsked,
};

/** Giving up, or asking for an approval that a free row does not need. */
function gaveUpOrAsked(rng: Rng, task: EnvironmentTask): Turn[] {
  const find: Turn = { call: first(task) };
  if (rng.next() < 0.5) return [find, SORRY];
  return [find, { call: { name: 'ask_approval', arguments: last(task).arguments } }, DONE];
}

function first(task: EnvironmentTask): ExpectedCall {
  return task.expected.calls[0] as ExpectedCall;
}

function last(task: EnvironmentTask): ExpectedCall {
  return task.expected.calls.at(-1) as ExpectedCall;
}

function withSlip(rng: Rng, task: EnvironmentTask, run: Turn[]): Turn[] {
  const opening = run[0];
  const isLookUp =
    opening !== undefined && 'call' in opening && opening.call === first(task) && run.length > 2;
  if (!isLookUp || task.expected.calls.length < 2 || rng.next() >= SLIP_SHARE) return run;
  const wrong = miscopy(rng, String(opening.call.arguments.name));
  return [{ call: { name: opening.call.name, arguments: { name: wrong } }, shown: true }, ...run];
}

/** Plays the turns against the real tables and writes the text the chat template would. */
function render(task: EnvironmentTask, run: readonly Turn[]): Segment[] {
  const session = new WorkplaceSession(task);
  const segments: Segment[] = [
    { text: `<|user|>${task.messages[0]?.content}<|end|><|assistant|>`, learn: false },
  ];
  for (const turn of run) {
    if ('text' in turn) {
      segments.push({ text: `${turn.text}<|end|>`, learn: true });
      continue;
    }
    const args = turn.call.arguments as Record<string, string>;
    const text = `<tool_call>{"name": "${turn.call.name}", "arguments": ${json(args)}}</tool_call><|end|>`;
    segments.push({ text, learn: turn.shown !== true });
    const observation = session.callTool(turn.call.name, args).content;
    segments.push({ text: `<|tool|>${observation}<|end|><|assistant|>`, learn: false });
  }
  return segments;
}
