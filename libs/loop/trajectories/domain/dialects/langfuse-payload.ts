/**
 * What Langfuse's integrations put into an observation's input and output where it is no shape of a model API:
 * LangChain's callback (tool definitions among the messages, calls under `additional_kwargs`) and the AI SDK's bare calls.
 */
import { isObject, unwrapJson, without } from '../json.js';

type Fields = Record<string, unknown>;

/** A list of messages with tool definitions in it becomes a request that has both. */
export function langfuseInput(value: unknown): unknown {
  const list = unwrapJson(value);
  if (!Array.isArray(list)) return value;
  const tools = list.filter(isToolDefinition).map((message) => message['content']);
  const messages = list.filter((item) => !isToolDefinition(item)).map(withLiftedCalls);
  return tools.length > 0 ? { messages, tools } : messages;
}

/** A list of calls alone, or a message with its calls put aside, becomes a plain message. */
export function langfuseOutput(value: unknown): unknown {
  const answer = unwrapJson(value);
  if (Array.isArray(answer) && answer.length > 0 && answer.every(isBareCall))
    return { role: 'assistant', content: null, tool_calls: answer };
  return isObject(answer) && 'additional_kwargs' in answer ? withLiftedCalls(answer) : value;
}

function isToolDefinition(item: unknown): item is Fields {
  if (!isObject(item) || item['role'] !== 'tool') return false;
  const definition = item['content'];
  return isObject(definition) && definition['type'] === 'function' && isObject(definition['function']);
}

function isBareCall(item: unknown): boolean {
  return isObject(item) && 'toolCallId' in item && 'toolName' in item;
}

function withLiftedCalls(message: unknown): unknown {
  if (!isObject(message) || !isObject(message['additional_kwargs'])) return message;
  const { tool_calls: aside, function_call: legacy } = message['additional_kwargs'];
  const own = message['tool_calls'];
  const calls = Array.isArray(own) && own.length > 0 ? own : aside;
  return {
    ...without(message, 'additional_kwargs'),
    ...(calls === undefined ? {} : { tool_calls: calls }),
    ...(isObject(legacy) ? { function_call: legacy } : {}),
  };
}
