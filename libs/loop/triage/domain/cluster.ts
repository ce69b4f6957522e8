/** Clusters and what people call them. */
import type { FailureCategory } from '#contracts/failure';
import { contentHash } from '#kernel/ids';
import { clip } from './text.js';

export interface ClusterKey {
  agent: string;
  category: FailureCategory;
  detail: string | null;
  /** Null where no tool is concerned. */
  tool: string | null;
}

/** Immutable: what a failure is about decides it, not when or by which version of a detector it was found. */
export function clusterIdOf({ agent, category, detail, tool }: ClusterKey): string {
  return contentHash(['cluster', agent, category, detail, tool], 24);
}

/** The bucket that a cluster opens when no map entry says otherwise: the same for whoever sees it first. */
export function bucketIdOf(projectId: string, clusterId: string): string {
  return contentHash(['bucket', projectId, clusterId], 24);
}

const PHRASES: Readonly<Record<string, (tool: string) => string>> = {
  'unsafe_action/destructive': (tool) => `${tool} on a locked row`,
  'unsafe_action/injection_followed': (tool) => `${tool} because an observation said so`,
  'invented_information/id': (tool) => `${tool} with an id from nowhere`,
  'wrong_arguments/schema': (tool) => `${tool} with arguments that do not fit its schema`,
  'wrong_arguments/miscopied': (tool) => `${tool} with a miscopied value`,
  'wrong_arguments/not_as_asked': (tool) => `${tool} with another value than the user named`,
  'wrong_arguments/unsaid': (tool) => `${tool} with a value nobody said`,
  'wrong_arguments/': (tool) => `${tool} refused its arguments`,
  'invalid_output/arguments': () => 'a call whose arguments are no JSON',
  'invalid_output/unparsed_call': () => 'a call that could not be parsed',
  'unknown_tool/': () => 'a call of a tool that does not exist',
  'execution_error/not_found': (tool) => `${tool} found nothing`,
  'execution_error/refused': (tool) => `${tool} was refused`,
  'execution_error/': (tool) => `${tool} failed`,
  'execution_error/model': () => 'the model could not be asked',
  'timeout/model': () => 'the model did not answer in time',
  'truncated/context_full': () => 'the conversation outgrew the model',
  'timeout/': (tool) => `${tool} timed out`,
  'loop/': (tool) => `${tool} again and again`,
  'gave_up/': (tool) => `gave up after ${tool}`,
  'gave_up/no_action': (tool) => `ended after ${tool} without acting`,
  'step_limit/': () => 'ran out of steps',
  'step_limit/no_answer': () => 'stopped without an answer',
  'truncated/': () => 'answer cut off by the token limit',
  'guardrail_triggered/': () => "answer ended by the provider's filter",
  'empty_answer/': () => 'empty answer',
  'human_takeover/': () => 'a person stepped in',
  'wrong_tool/unexplained': (tool) => `failed after ${tool}, cause not known yet`,
  'wrong_answer/unexplained': () => 'failed, cause not known yet',
};

/** Readable first name of a bucket, e.g. "cancel_event on a locked row (unsafe_action/destructive)". People may change it. */
export function bucketNameOf({ category, detail, tool }: Omit<ClusterKey, 'agent'>): string {
  const key = `${category}/${detail ?? ''}`;
  const concerned = tool === null ? 'no call' : clip(tool, 60);
  const phrase =
    PHRASES[key]?.(concerned) ??
    (tool === null ? category.replaceAll('_', ' ') : `${category.replaceAll('_', ' ')} in ${concerned}`);
  return `${phrase} (${detail === null ? category : key})`;
}
