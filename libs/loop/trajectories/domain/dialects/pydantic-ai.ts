/** Pydantic AI (pydantic/pydantic-ai, models/instrumented.py and agent): messages in one attribute of JSON. */
import { isObject, labelOf, stringOf, textOf, unwrapJson, type JsonObject } from '../json.js';
import { messagesOf, systemMessagesOf } from '../messages.js';
import type { SpanFacts, TurnMessage } from '../span-facts.js';
import type { Span } from '../span.js';
import { toolDefinitionsOf } from '../tool-definitions.js';
import type { Dialect, DialectFacts, SpanIdentity } from './dialect.js';
import { eventFacts } from './legacy-events.js';
import { saidBy } from './payload.js';

const ALL_MESSAGES = 'pydantic_ai.all_messages';
/** Its name in the first version of the instrumentation: events instead of messages. */
const ALL_EVENTS = 'all_messages_events';

export const pydanticAi: Dialect = {
  name: 'pydantic_ai',
  marks: [
    'pydantic_ai.',
    ALL_EVENTS,
    'tool_arguments',
    'tool_response',
    'model_request_parameters',
    'final_result',
  ],
  content: [ALL_MESSAGES, ALL_EVENTS, 'events', 'final_result', 'model_request_parameters'],
  identify: identityOf,
  read: factsOf,
};

function identityOf({ attributes: a }: Span): SpanIdentity {
  return { impliedKind: impliedKind(a) };
}

function impliedKind(a: JsonObject): SpanFacts['kind'] | undefined {
  if (ALL_MESSAGES in a || ALL_EVENTS in a || 'final_result' in a) return 'agent';
  if ('tool_arguments' in a) return 'tool_call';
  return 'model_request_parameters' in a ? 'model_call' : undefined;
}

function factsOf(span: Span): DialectFacts {
  const a = span.attributes;
  const parameters = unwrapJson(a['model_request_parameters']);
  return {
    ...conversationOf(a),
    ...identityOf(span),
    agentName: stringOf(a['agent_name']),
    model: stringOf(a['model_name']),
    tools: isObject(parameters) ? toolDefinitionsOf(parameters['function_tools']) : [],
    arguments: textOf(a['tool_arguments']),
    result: textOf(a['tool_response']),
  };
}

function conversationOf(a: JsonObject): DialectFacts {
  const events = eventsOf(a[ALL_EVENTS] ?? a['events']);
  if (events.length > 0) return eventFacts(events);
  const messages = messagesOf(a[ALL_MESSAGES]);
  if (messages.length > 0)
    return splitOf([...systemMessagesOf(a['gen_ai.system_instructions']), ...messages]);
  return { output: 'final_result' in a ? saidBy('assistant', a['final_result']) : [] };
}

/** The last message of a run that ended is its answer. */
function splitOf(messages: TurnMessage[]): DialectFacts {
  if (messages.at(-1)?.role !== 'assistant') return { input: messages };
  return { input: messages.slice(0, -1), output: messages.slice(-1) };
}

function eventsOf(value: unknown): { name: string; body: Record<string, unknown> }[] {
  const list = unwrapJson(value);
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map((body) => ({ name: labelOf(body['event.name']), body }));
}
