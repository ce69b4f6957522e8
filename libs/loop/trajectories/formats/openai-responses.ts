/** OpenAI's Responses API: `{request: {model, instructions, input, tools}, response: {id, output, usage}}`, or recorded HTTP of it. */
import { contentHash } from '#kernel/ids';
import type { ToolDefinition } from '#contracts/chat';
import type { Step } from '../domain/contract.js';
import { definedOnly, isObject, stringOf } from '../domain/json.js';
import { toolDefinitionsOf } from '../domain/tool-definitions.js';
import { stepsOfTurns, type RecordedTurn, type StepsContext } from './chat-steps.js';
import { exchangeOf, type Exchange, type Fields } from './exchange.js';
import { readExportMember } from './export-member.js';
import { BadRow, type Format, type RowTrajectory } from './format.js';
import { rowMetadata } from './openai-chat.js';
import { turnsOfItems } from './openai-items.js';
import { openAiUsage } from './openai-usage.js';
import { runOf } from './run-row.js';

export const openAiResponses: Format = {
  name: 'openai-responses',
  detects: (row) => {
    const exchange = exchangeOf(row);
    return exchange !== undefined && 'input' in exchange.request && isAnswered(exchange);
  },
  read: (row) => {
    const exchange = exchangeOf(row);
    if (!isObject(row) || exchange === undefined || !('input' in exchange.request))
      throw new BadRow('the row has no `request.input`');
    if (!isAnswered(exchange))
      throw new BadRow('the row has no `response.output`, nor an error in its place');
    return { kind: 'trajectory', trajectory: trajectoryOf(row, exchange) };
  },
};

function isAnswered({ response, error }: Exchange): boolean {
  return Array.isArray(response['output']) || error !== undefined;
}

function trajectoryOf(row: Fields, exchange: Exchange): RowTrajectory {
  const { request, response } = exchange;
  const own = readExportMember(row);
  const agent = own.agent ?? stringOf(row['workload_id']) ?? stringOf(request['model']) ?? 'openai-responses';
  const { steps, tools } = readResponses(exchange, { rowId: contentHash(row), agent });
  if (steps.length === 0) throw new BadRow('neither `input` nor `output` holds a message');
  const answered = 'id' in response || 'usage' in response;
  const last = steps.findLast((step) => step.kind === 'model_call');
  if (answered && last !== undefined)
    Object.assign(last, { ...callFacts(exchange), usage: openAiUsage(response['usage']) });
  return runOf({
    externalId: stringOf(response['id']) ?? contentHash(row, 16),
    agent,
    tools,
    steps,
    metadata: { ...rowMetadata(row), ...(exchange.uri === undefined ? {} : { uri: exchange.uri }) },
    usage: openAiUsage(response['usage']),
    ...own,
  });
}

/** Instructions, then what went in, then what came out; an error in its place is a call that said nothing. */
export function readResponses(
  exchange: Exchange,
  context: StepsContext,
): { steps: Step[]; tools: ToolDefinition[] } {
  const { request, response, error } = exchange;
  const { input, instructions } = request;
  const system: RecordedTurn[] =
    typeof instructions === 'string' && instructions !== ''
      ? [{ message: { role: 'system', content: instructions }, sourceIndex: 0 }]
      : [];
  const given = Array.isArray(input) ? input : input === undefined ? [] : [input];
  const answer = Array.isArray(response['output']) ? response['output'] : [];
  const turns = [...system, ...turnsOfItems([...given, ...answer], system.length)];
  if (answer.length === 0 && error !== undefined)
    turns.push({ message: { role: 'assistant', content: null }, error });
  return {
    steps: stepsOfTurns(turns, context),
    tools: toolDefinitionsOf(request['tools'] ?? response['tools'] ?? []),
  };
}

/** What the request and the answer say of their one model call. */
export function callFacts({ request, response }: Exchange): Partial<Step> {
  const status = stringOf(response['status']);
  return definedOnly({
    model: stringOf(request['model']),
    responseModel: stringOf(response['model']),
    responseId: stringOf(response['id']),
    finishReasons: status === undefined ? undefined : [status],
  });
}
