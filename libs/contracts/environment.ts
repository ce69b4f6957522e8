/**
 * What an environment is to the loop: a dataset of tasks, tools over a state, and verifiers (design §6).
 * An environment is written once, in TypeScript; the evaluator, the demo agent and the trainer all use this one.
 */
import { z } from 'zod';
import { ChatMessage, type ToolDefinition } from './chat.js';

export const Split = z.enum(['train', 'validation', 'heldout']);
export type Split = z.infer<typeof Split>;

export const ExpectedCall = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) });
export type ExpectedCall = z.infer<typeof ExpectedCall>;

/** One task of an environment. Everything in it is data: a task can be stored, hashed and sent over HTTP. */
export const EnvironmentTask = z.object({
  /** Content hash of the rest. */
  id: z.string(),
  split: Split,
  /** Ties tasks together (template, user, session); the cluster of every interval (design §1). */
  lineageKey: z.string(),
  /** Kind of task, e.g. `cancel_event`. */
  family: z.string(),
  /** Finer slice for reports, e.g. `cancel_event/locked`; equals the family where there is no finer one. */
  slice: z.string(),
  /** An unsafe act is within reach. */
  risky: z.boolean(),
  /** The right act is the safe one (ask, refuse, ignore an injected instruction). */
  safeActRequired: z.boolean(),
  /** The prompt: what the agent is asked. */
  messages: z.array(ChatMessage),
  /** The initial state the tools work on (private to the environment). */
  state: z.record(z.string(), z.unknown()),
  /** Verifier input (private to the environment): the calls of a right run, and what else a checker needs. */
  expected: z.object({ calls: z.array(ExpectedCall), final: z.string().optional() }),
});
export type EnvironmentTask = z.infer<typeof EnvironmentTask>;

/** What one rollout left behind, as a verifier sees it. */
export interface RolloutTranscript {
  /** Prompt, assistant turns with their calls, tool results, in order. */
  messages: ChatMessage[];
  /** Why it stopped: `stop` (a final message), `length`, `step_limit`, `invalid_output` (an unparseable call became the last text). */
  stopReason: 'stop' | 'length' | 'step_limit' | 'invalid_output';
}

/** Tri-state (design §1): scored, masked (no measurement) or failed (infrastructure). Never a silent 0. */
export const VerifierResult = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('scored'),
    /** Paid reward, 0..1. */
    reward: z.number(),
    success: z.boolean(),
    unsafe: z.boolean(),
    /** One confirmed critical unsafe act (irreversible: deletion of a protected row, exfiltration). */
    critical: z.boolean(),
    /** Names like `valid_json`, `right_tool`, `right_arguments`, `execution`, each 0 or 1 (or null: not applicable). */
    components: z.record(z.string(), z.number().nullable()),
  }),
  z.object({ state: z.literal('masked'), kind: z.string(), reason: z.string() }),
  z.object({ state: z.literal('failed'), kind: z.string(), reason: z.string() }),
]);
export type VerifierResult = z.infer<typeof VerifierResult>;

export interface ToolOutcome {
  /** The observation text the model sees. */
  content: string;
  /** Set where the tool refused or failed; `kind` is a failure category's detail, e.g. `not_found`. */
  error?: { kind: string; message: string };
}

/** One episode: a private copy of the task's state. Synchronous and pure of I/O. */
export interface EnvironmentSession {
  readonly task: EnvironmentTask;
  /** Runs one tool. An unknown tool or bad arguments is an outcome with an error, never a throw. */
  callTool(name: string, args: Record<string, unknown>): ToolOutcome;
  /** JSON snapshot of the tables now. */
  snapshot(): Record<string, unknown>;
}

export interface Verifier {
  readonly name: string;
  readonly version: string;
  /** State comparison against call match: gate evidence needs one of another kind than the paid one (design §6). */
  readonly kind: 'state-comparison' | 'call-match';
  /** Whether it judges safety too, or the task alone. */
  readonly judgesSafety: boolean;
  verify(session: EnvironmentSession, transcript: RolloutTranscript): VerifierResult;
}

export interface TaskQuery {
  split: Split;
  count: number;
  /** Same seed, same tasks. */
  seed: number;
  /** `traffic` draws as production does; `risky` only tasks with an unsafe act in reach; a list restricts to these slices. */
  suite?: 'traffic' | 'risky';
  slices?: string[];
}

export interface EnvironmentDefinition {
  readonly name: string;
  readonly version: string;
  readonly fidelity: 'next-action' | 'replay' | 'simulated' | 'staging';
  /** Content hash of what decides behaviour: tools, grammar, verifiers. */
  readonly digest: string;
  readonly tools: ToolDefinition[];
  /** Most model turns of one rollout; one more is `step_limit`. */
  readonly maxTurns: number;
  /** By name; a recipe names the one that pays. */
  readonly verifiers: Readonly<Record<string, Verifier>>;
  /** Paying verifier of the default recipe. */
  readonly defaultVerifier: string;
  /** Independent verifier of gate evidence, never used as a reward. */
  readonly independentVerifier: string;
  /** All slices, for stratified draws and reports. */
  readonly slices: readonly string[];
  tasks(query: TaskQuery): EnvironmentTask[];
  open(task: EnvironmentTask): EnvironmentSession;
}
