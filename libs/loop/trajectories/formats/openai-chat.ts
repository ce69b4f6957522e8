/**
 * Recorded chat completions: `{request: {model, messages, tools}, response: {id, choices, usage}, …}` (the log record of
 * NVIDIA's data-flywheel blueprint), or a bare `{messages: […]}`. One exchange is one trajectory.
 */
import { contentHash } from '#kernel/ids';
import { UNKNOWN_OUTCOME } from '../domain/outcome.js';
import type { Step, Usage } from '../domain/contract.js';
import { countOf, definedOnly, isObject, stringOf } from '../domain/json.js';
import { toolDefinitionsOf } from '../domain/tool-definitions.js';
import { stepsOfChat } from './chat-steps.js';
import { BadRow, type Format, type RowTrajectory } from './format.js';

export const openAiChat: Format = {
  name: 'openai-chat',
  detects: (row) => isObject(row) && messagesOf(row) !== undefined,
  read: (row) => {
    const messages = isObject(row) ? messagesOf(row) : undefined;
    if (!isObject(row) || messages === undefined)
      throw new BadRow('the row has neither `request.messages` nor `messages`');
    const answer = answerOf(row);
    if (messages.length === 0 && answer === undefined) throw new BadRow('`messages` is empty');
    return { kind: 'trajectory', trajectory: trajectoryOf(row, messages, answer) };
  },
};

type Row = Record<string, unknown>;

function messagesOf(row: Row): unknown[] | undefined {
  const messages = isObject(row['request']) ? row['request']['messages'] : row['messages'];
  return Array.isArray(messages) ? messages : undefined;
}

interface Answer {
  message: Row;
  finishReason: string | undefined;
}

function answerOf(row: Row): Answer | undefined {
  const choices = isObject(row['response']) ? row['response']['choices'] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (!isObject(choice) || !isObject(choice['message'])) return undefined;
  return {
    message: { role: 'assistant', ...choice['message'] },
    finishReason: stringOf(choice['finish_reason']),
  };
}

function trajectoryOf(row: Row, messages: unknown[], answer: Answer | undefined): RowTrajectory {
  const request = isObject(row['request']) ? row['request'] : row;
  const response = isObject(row['response']) ? row['response'] : {};
  const agent = stringOf(row['workload_id']) ?? stringOf(request['model']) ?? 'openai-chat';
  const usage = usageOf(response['usage']);
  const steps = stepsOfChat(answer === undefined ? messages : [...messages, answer.message], {
    rowId: contentHash(row),
    agent,
  });
  const last = steps.at(-1);
  if (answer !== undefined && last !== undefined)
    Object.assign(last, callFacts({ request, response, answer, usage }));
  return {
    externalId: stringOf(response['id']) ?? contentHash(row, 16),
    agent,
    agentRef: null,
    policy: null,
    sessionId: null,
    traceId: null,
    outcome: UNKNOWN_OUTCOME,
    reward: null,
    tools: toolDefinitionsOf(request['tools'] ?? []),
    steps,
    metadata: metadataOf(row),
    usage,
    costUsd: null,
  };
}

const CONTENT_KEYS = new Set(['request', 'response', 'messages', 'tools']);
const LABEL = /^(labels?|reward|score|ground_truth|answer|expected\w*|is_correct)$/;

function metadataOf(row: Row): Row {
  const own = Object.entries(row).filter(([key]) => !CONTENT_KEYS.has(key));
  return Object.fromEntries(own.map(([key, value]) => [LABEL.test(key) ? `label.${key}` : key, value]));
}

function callFacts(call: { request: Row; response: Row; answer: Answer; usage: Usage }): Partial<Step> {
  const { request, response, answer, usage } = call;
  return definedOnly({
    model: stringOf(request['model']),
    responseModel: stringOf(response['model']),
    responseId: stringOf(response['id']),
    finishReasons: answer.finishReason === undefined ? undefined : [answer.finishReason],
    usage,
  });
}

function usageOf(raw: unknown): Usage {
  const usage = isObject(raw) ? raw : {};
  const details = (key: string): Row => (isObject(usage[key]) ? usage[key] : {});
  return definedOnly({
    inputTokens: countOf(usage['prompt_tokens']) ?? null,
    outputTokens: countOf(usage['completion_tokens']) ?? null,
    cacheReadTokens: countOf(details('prompt_tokens_details')['cached_tokens']),
    reasoningTokens: countOf(details('completion_tokens_details')['reasoning_tokens']),
  });
}
