/**
 * Anthropic's Messages API: `{request: {model, system, messages, tools}, response: {id, content, usage}}`, recorded HTTP of
 * it, streamed or not, or a bare `{system, messages, tools}` with content blocks. Thinking is the model's own and no step.
 */
import { contentHash } from '#kernel/ids';
import type { Step, Usage } from '../domain/contract.js';
import { countOf, definedOnly, isObject, stringOf } from '../domain/json.js';
import { systemMessagesOf, turnsOf } from '../domain/messages.js';
import { toolDefinitionsOf } from '../domain/tool-definitions.js';
import { stepsOfTurns, type RecordedTurn } from './chat-steps.js';
import { exchangeOf, type Exchange, type Fields } from './exchange.js';
import { BadRow, type Format, type RowTrajectory } from './format.js';
import { rowMetadata } from './openai-chat.js';
import { runOf } from './run-row.js';

export const anthropic: Format = {
  name: 'anthropic',
  detects: (row) => isObject(row) && isAnthropic(messagesApiOf(row)),
  read: (row) => {
    const exchange = isObject(row) ? messagesApiOf(row) : undefined;
    const messages = exchange?.request['messages'];
    if (!isObject(row) || exchange === undefined || !Array.isArray(messages))
      throw new BadRow('the row has neither `request.messages` nor `messages`');
    return { kind: 'trajectory', trajectory: trajectoryOf(row, exchange, messages) };
  },
};

function messagesApiOf(row: Fields): Exchange {
  return exchangeOf(row) ?? { request: row, response: {} };
}

const BLOCK_TYPES: ReadonlySet<unknown> = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
]);

/** Chat messages of plain text look the same in both APIs: what is Anthropic's alone tells them apart. */
function isAnthropic({ request, response, uri }: Exchange): boolean {
  const messages = request['messages'];
  if (!Array.isArray(messages)) return false;
  if (uri !== undefined) return /\/v1\/messages\b/.test(uri);
  if (response['type'] === 'message' && Array.isArray(response['content'])) return true;
  if ('system' in request) return true;
  return messages.filter(isObject).some(({ content }) => blocksOf(content).some(isOwnBlock));
}

function isOwnBlock(block: Fields): boolean {
  return BLOCK_TYPES.has(block['type']);
}

function blocksOf(content: unknown): Fields[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function trajectoryOf(row: Fields, exchange: Exchange, messages: unknown[]): RowTrajectory {
  const { request, response, error } = exchange;
  const agent = stringOf(row['workload_id']) ?? stringOf(request['model']) ?? 'anthropic';
  const turns: RecordedTurn[] = systemMessagesOf(request['system']).map((message) => ({ message }));
  for (const [at, message] of messages.entries()) turns.push(...turnsOfMessage(message, turns.length, at));
  if (Array.isArray(response['content'])) turns.push(...answerTurns(response, messages.length));
  else if (error !== undefined) turns.push({ message: { role: 'assistant', content: null }, error });
  if (turns.length === 0) throw new BadRow('`messages` is empty');
  const steps = stepsOfTurns(turns, { rowId: contentHash(row), agent });
  const last = steps.at(-1);
  if (last?.kind === 'model_call' && ('id' in response || error !== undefined))
    Object.assign(last, callFacts(exchange));
  return runOf({
    externalId: stringOf(response['id']) ?? contentHash(row, 16),
    agent,
    tools: toolDefinitionsOf(request['tools'] ?? []),
    steps,
    metadata: { ...rowMetadata(row), ...(exchange.uri === undefined ? {} : { uri: exchange.uri }) },
    usage: usageOf(response['usage']),
  });
}

/** `place` is the message's among all turns; a result that failed says so on its block. */
function turnsOfMessage(message: unknown, place: number, at: number): RecordedTurn[] {
  if (!isObject(message)) throw new BadRow(`message ${at} is not an object`);
  if (typeof message['role'] !== 'string') throw new BadRow(`message ${at} has no role`);
  const failed = blocksOf(message['content']).filter((block) => block['type'] === 'tool_result');
  let answer = 0;
  return turnsOf(message, 'user').map((turn) => {
    const isError = turn.role === 'tool' && failed[answer++]?.['is_error'] === true;
    return { message: turn, error: isError ? (turn.content ?? 'error') : undefined, sourceIndex: place };
  });
}

function answerTurns(response: Fields, at: number): RecordedTurn[] {
  return turnsOfMessage({ role: 'assistant', content: response['content'] }, at, at);
}

function callFacts({ request, response }: Exchange): Partial<Step> {
  const reason = stringOf(response['stop_reason']);
  return definedOnly({
    provider: 'anthropic',
    model: stringOf(request['model']),
    responseModel: stringOf(response['model']),
    responseId: stringOf(response['id']),
    finishReasons: reason === undefined ? undefined : [reason],
    usage: 'usage' in response ? usageOf(response['usage']) : undefined,
  });
}

/** Anthropic counts cached input apart; ours counts all input, cached tokens being a part of it. */
function usageOf(raw: unknown): Usage {
  const usage = isObject(raw) ? raw : {};
  const read = countOf(usage['cache_read_input_tokens']);
  const written = countOf(usage['cache_creation_input_tokens']);
  const fresh = countOf(usage['input_tokens']);
  return definedOnly({
    inputTokens: fresh === undefined ? null : fresh + (read ?? 0) + (written ?? 0),
    outputTokens: countOf(usage['output_tokens']) ?? null,
    cacheReadTokens: read,
  });
}
