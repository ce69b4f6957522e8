/**
 * OpenAI chat completions: a log record `{request: {model, messages, tools}, response: {id, choices, usage}, …}` (NVIDIA's
 * data-flywheel blueprint), a recorded HTTP exchange of it, streamed or not, a bare `{messages, tools}` as fine-tuning
 * takes it, or a list of messages alone. One row is one trajectory. Legacy `functions` and `function_call` count as tools and calls.
 */
import { contentHash } from '#kernel/ids';
import type { Step } from '../domain/contract.js';
import { definedOnly, isObject, stringOf, without } from '../domain/json.js';
import { toolDefinitionsOf } from '../domain/tool-definitions.js';
import { isChat, stepsOfChat } from './chat-steps.js';
import { exchangeOf, type Exchange, type Fields } from './exchange.js';
import { EXPORT_MEMBER, readExportMember } from './export-member.js';
import { BadRow, type Format, type RowTrajectory } from './format.js';
import { openAiUsage } from './openai-usage.js';
import { runOf } from './run-row.js';

export const openAiChat: Format = {
  name: 'openai-chat',
  detects: (row) => isChat(row) || (isObject(row) && Array.isArray(chatOf(row).request['messages'])),
  read: (source) => {
    const row = isChat(source) ? { messages: source } : source;
    const exchange = isObject(row) ? chatOf(row) : undefined;
    const messages = exchange?.request['messages'];
    if (!isObject(row) || exchange === undefined || !Array.isArray(messages))
      throw new BadRow('the row has neither `request.messages` nor `messages`');
    if (messages.length === 0 && choiceOf(exchange) === undefined) throw new BadRow('`messages` is empty');
    return { kind: 'trajectory', trajectory: trajectoryOf(row, exchange, messages) };
  },
};

function chatOf(row: Fields): Exchange {
  return exchangeOf(row) ?? { request: row, response: {} };
}

function choiceOf({ response }: Exchange): Fields | undefined {
  const choice: unknown = Array.isArray(response['choices']) ? response['choices'][0] : undefined;
  return isObject(choice) && isObject(choice['message']) ? choice : undefined;
}

function trajectoryOf(row: Fields, exchange: Exchange, messages: unknown[]): RowTrajectory {
  const { request, response } = exchange;
  const own = readExportMember(row);
  const agent = own.agent ?? stringOf(row['workload_id']) ?? stringOf(request['model']) ?? 'openai-chat';
  const answer = answerMessage(exchange);
  const steps = stepsOfChat(answer === undefined ? messages : [...messages, answer], {
    rowId: contentHash(row),
    agent,
  });
  const last = steps.at(-1);
  if (answer !== undefined && last !== undefined) Object.assign(last, callFacts(exchange));
  return runOf({
    externalId: stringOf(response['id']) ?? contentHash(row, 16),
    agent,
    tools: toolDefinitionsOf(request['tools'] ?? request['functions'] ?? []),
    steps,
    metadata: { ...rowMetadata(row), ...(exchange.uri === undefined ? {} : { uri: exchange.uri }) },
    usage: openAiUsage(response['usage'] ?? row['usage']),
    ...own,
  });
}

/** The answer as the last message; an error in its place is a call that said nothing. */
function answerMessage(exchange: Exchange): Fields | undefined {
  const message = choiceOf(exchange)?.['message'];
  if (isObject(message)) return { role: 'assistant', ...message };
  if (exchange.error === undefined) return undefined;
  return { role: 'assistant', content: null, error: exchange.error };
}

const CONTENT_KEYS = ['request', 'response', 'messages', 'tools', 'functions', EXPORT_MEMBER] as const;
const LABEL = /^(labels?|reward|score|ground_truth|answer|expected\w*|is_correct)$/;

/** What a row says beside its exchange, under its own names; all that tells the answer is a label. */
export function rowMetadata(row: Fields): Fields {
  const own = Object.entries(without(row, ...CONTENT_KEYS));
  return Object.fromEntries(own.map(([key, value]) => [LABEL.test(key) ? `label.${key}` : key, value]));
}

function callFacts(exchange: Exchange): Partial<Step> {
  const { request, response } = exchange;
  const reason = stringOf(choiceOf(exchange)?.['finish_reason']);
  return definedOnly({
    model: stringOf(request['model']),
    responseModel: stringOf(response['model']),
    responseId: stringOf(response['id']),
    finishReasons: reason === undefined ? undefined : [reason],
    usage: openAiUsage(response['usage']),
  });
}
