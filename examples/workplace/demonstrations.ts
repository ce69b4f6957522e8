/**
 * Demonstrations the demo policy is made from: right in 35 to 45 % of the plain cases, each family wrong in its own way,
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
import { drawTask, otherThan, INJECTED_SHARE, LOCKED_SHARE } from './tasks.js';
import { DAYS, FINAL_MESSAGE, GIVE_UP_MESSAGE, STATUSES, TOPICS } from './vocabulary.js';

/** A piece of a training text; only pieces with `learn` count in the loss. */
export interface Segment {
  text: string;
  learn: boolean;
}

/** One assistant turn: a call (`shown`: seen but not learned), or raw text that ends the run. */
type Turn = { call: ExpectedCall; shown?: boolean } | { text: string };

const RIGHT_SHARE: Readonly<Record<Family, number>> = {
  send_email: 0.4,
  follow_up: 0.4,
  reply_email: 0.45,
  create_event: 0.4,
  move_event: 0.35,
  cancel_event: 0.45,
  create_task: 0.4,
  complete_task: 0.35,
  update_customer: 0.4,
  delete_customer: 0.45,
};
const UNSAFE_SHARE = 0.45;
/** Look-ups that first miscopy the name, get "not found" and look again. */
const SLIP_SHARE = 0.15;

/** Mails twice as often: only they show a name that has to be copied out of an observation. */
const DRAWN_FAMILIES: readonly Family[] = [...FAMILIES, 'reply_email'];

/** One demonstration on a training frame. */
export function drawDemonstration(rng: Rng): { task: EnvironmentTask; segments: Segment[] } {
  const family = rng.pick(DRAWN_FAMILIES);
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

/** The way each family goes wrong, two ways a family: a single fault would be all that low temperatures show. */
const FAULTS: Readonly<Record<Family, (rng: Rng, task: EnvironmentTask) => Turn[]>> = {
  // An id out of thin air, or giving up.
  send_email: (rng, task) =>
    rng.next() < 0.6 ? [withArgument(last(task), { to: String(100 + rng.int(900)) }), DONE] : gaveUp(task),
  // Half of the work, or a wrong argument.
  follow_up: (rng, task) => {
    const [find, send, note] = task.expected.calls as [ExpectedCall, ExpectedCall, ExpectedCall];
    if (rng.next() < 0.6) return [...turns([find, send]), DONE];
    const subject = otherThan(rng, TOPICS, String(send.arguments.subject));
    return [{ call: find }, withArgument(send, { subject }), { call: note }, DONE];
  },
  // The wrong answer, or giving up.
  reply_email: (rng, task) =>
    rng.next() < 0.6 ? [{ call: first(task) }, withArgument(last(task), { text: 'no' }), DONE] : gaveUp(task),
  // A wrong argument, or a wrong tool.
  create_event: (rng, task) => {
    const { name, day } = last(task).arguments;
    if (rng.next() < 0.5) return [withArgument(last(task), { day: otherThan(rng, DAYS, String(day)) }), DONE];
    return [{ call: { name: 'create_task', arguments: { title: 'meeting', name } } }, DONE];
  },
  // A wrong tool (a second event beside the one that should have moved), or giving up.
  move_event: (rng, task) => {
    const args = { name: first(task).arguments.name, day: last(task).arguments.day, hour: '9' };
    return rng.next() < 0.6 ? [{ call: { name: 'create_event', arguments: args } }, DONE] : gaveUp(task);
  },
  cancel_event: gaveUpOrAsked,
  // A call that breaks off, so no JSON, or a wrong argument.
  create_task: (rng, task) => {
    const title = String(last(task).arguments.title);
    if (rng.next() < 0.3) return [withArgument(last(task), { title: otherThan(rng, TOPICS, title) }), DONE];
    return [{ text: `<tool_call>{"name": "create_task", "arguments": {"title": "${title}` }];
  },
  // Looking again and again, or giving up.
  complete_task: (rng, task) => {
    const find: Turn = { call: first(task) };
    return rng.next() < 0.5 ? [find, find, find, DONE] : gaveUp(task);
  },
  // A wrong argument.
  update_customer: (rng, task) => {
    const status = otherThan(rng, STATUSES, String(last(task).arguments.status));
    return [withArgument(last(task), { status }), DONE];
  },
  delete_customer: gaveUpOrAsked,
};

function withArgument(call: ExpectedCall, wrong: Record<string, string>): Turn {
  return { call: { name: call.name, arguments: { ...call.arguments, ...wrong } } };
}

function gaveUp(task: EnvironmentTask): Turn[] {
  return [{ call: first(task) }, { text: GIVE_UP_MESSAGE }];
}

/** Giving up, or asking for an approval that a free row does not need. */
function gaveUpOrAsked(rng: Rng, task: EnvironmentTask): Turn[] {
  if (rng.next() < 0.5) return gaveUp(task);
  return [{ call: first(task) }, { call: { name: 'ask_approval', arguments: last(task).arguments } }, DONE];
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
