/** The story as the standards tell it. */
import {
  ANSWER,
  ARGUMENTS,
  CALL,
  HISTORY,
  PARAMETERS,
  QUESTION,
  RESULT,
  run,
  TOOL,
  type Telling,
} from './story.js';

const agent = {
  attributes: {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'guide',
    'gen_ai.conversation.id': 's-1',
  },
};
const tool = {
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'weather',
    'gen_ai.tool.call.id': 'c1',
    'gen_ai.tool.call.arguments': ARGUMENTS,
    'gen_ai.tool.call.result': RESULT,
  },
};
const asked = { role: 'user', parts: [{ type: 'text', content: QUESTION }] };
const called = {
  role: 'assistant',
  parts: [
    { type: 'reasoning', content: 'I had better look.' },
    { type: 'tool_call', id: 'c1', name: 'weather', arguments: { city: 'Oslo' } },
  ],
};
const answered = { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: RESULT }] };
const said = { role: 'assistant', parts: [{ type: 'text', content: ANSWER }] };

function chat(input: unknown[], output: unknown, reason: string): Record<string, unknown> {
  return {
    'gen_ai.input.messages': input,
    'gen_ai.output.messages': [output],
    'gen_ai.tool.definitions': [{ type: 'function', name: 'weather', parameters: PARAMETERS }],
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'acme',
    'gen_ai.request.model': 'm-1',
    'gen_ai.response.model': 'm-1-0601',
    'gen_ai.response.id': `r-${reason}`,
    'gen_ai.response.finish_reasons': [reason],
    'gen_ai.usage.input_tokens': 40,
    'gen_ai.usage.output_tokens': 12,
    'gen_ai.usage.cache_read.input_tokens': 10,
    'gen_ai.usage.reasoning.output_tokens': 5,
  };
}

/** Content on the event, everything else on the span. */
function onEvent(attributes: Record<string, unknown>): (typeof agent & { events: unknown[] }) | object {
  const isContent = (key: string): boolean => /messages$|definitions$/.test(key);
  const part = (wanted: boolean): Record<string, unknown> =>
    Object.fromEntries(Object.entries(attributes).filter(([key]) => isContent(key) === wanted));
  const event = { name: 'gen_ai.client.inference.operation.details', attributes: part(true) };
  return { attributes: part(false), events: [event] };
}

const first = chat([asked], called, 'tool_calls');
const second = chat([asked, called, answered], said, 'stop');
export const genAi: Telling = {
  dialect: 'gen_ai',
  spans: run(agent, { attributes: first }, tool, { attributes: second }),
};
export const genAiEvents: Telling = {
  dialect: 'gen_ai',
  spans: run(agent, onEvent(first) as typeof agent, tool, onEvent(second) as typeof agent),
};

function legacyChat(events: object[], reason: string): Parameters<typeof run>[0] {
  return {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'acme',
      'gen_ai.request.model': 'm-1',
      'gen_ai.response.model': 'm-1-0601',
      'gen_ai.response.id': `r-${reason}`,
      'gen_ai.response.finish_reasons': [reason],
      'gen_ai.usage.prompt_tokens': 40,
      'gen_ai.usage.completion_tokens': 12,
      'gen_ai.usage.cached_tokens': 10,
      'gen_ai.usage.reasoning_tokens': 5,
      'gen_ai.tool.definitions': [TOOL],
    },
    events: events as { name: string; attributes: Record<string, unknown> }[],
  };
}

export const genAiLegacy: Telling = {
  dialect: 'gen_ai_legacy',
  spans: run(
    agent,
    legacyChat(
      [
        { name: 'gen_ai.user.message', attributes: { content: QUESTION } },
        {
          name: 'gen_ai.choice',
          attributes: { index: 0, message: { role: 'assistant', tool_calls: [CALL] } },
        },
      ],
      'tool_calls',
    ),
    tool,
    legacyChat(
      [
        { name: 'gen_ai.user.message', attributes: { content: QUESTION } },
        { name: 'gen_ai.assistant.message', attributes: { tool_calls: [CALL] } },
        { name: 'gen_ai.tool.message', attributes: { id: 'c1', content: RESULT } },
        { name: 'gen_ai.choice', attributes: { index: 0, message: { content: ANSWER } } },
      ],
      'stop',
    ),
  ),
};

function dumpedChat(prompt: unknown, message: unknown, reason: string): Parameters<typeof run>[0] {
  const choice = { index: 0, message, finish_reason: reason };
  return {
    attributes: {
      ...legacyChat([], reason).attributes,
      'gen_ai.prompt': { model: 'm-1', messages: prompt },
      'gen_ai.completion': { id: 'x', model: 'm-1-0601', choices: [choice] },
    },
  };
}

export const genAiDumped: Telling = {
  dialect: 'gen_ai_legacy',
  spans: run(
    agent,
    dumpedChat(HISTORY.slice(0, 1), HISTORY[1], 'tool_calls'),
    tool,
    dumpedChat(HISTORY, { role: 'assistant', content: ANSWER }, 'stop'),
  ),
};

function openInferenceCall(messages: Record<string, unknown>, reason: string): Parameters<typeof run>[0] {
  return {
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.provider': 'acme',
      'llm.request.model_name': 'm-1',
      'llm.response.model_name': 'm-1-0601',
      'llm.finish_reason': reason,
      'llm.token_count.prompt': 40,
      'llm.token_count.completion': 12,
      'llm.token_count.prompt_details.cache_read': 10,
      'llm.token_count.completion_details.reasoning': 5,
      'llm.tools.0.tool.json_schema': TOOL,
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': QUESTION,
      ...messages,
    },
  };
}

const flatCall = (at: string): Record<string, unknown> => ({
  [`${at}.message.role`]: 'assistant',
  [`${at}.message.tool_calls.0.tool_call.id`]: 'c1',
  [`${at}.message.tool_calls.0.tool_call.function.name`]: 'weather',
  [`${at}.message.tool_calls.0.tool_call.function.arguments`]: ARGUMENTS,
});

export const openInference: Telling = {
  dialect: 'openinference',
  spans: run(
    { attributes: { 'openinference.span.kind': 'AGENT', 'agent.name': 'guide', 'session.id': 's-1' } },
    openInferenceCall(flatCall('llm.output_messages.0'), 'tool_calls'),
    {
      attributes: {
        'openinference.span.kind': 'TOOL',
        'tool.name': 'weather',
        'tool_call.id': 'c1',
        'input.value': ARGUMENTS,
        'output.value': RESULT,
      },
    },
    openInferenceCall(
      {
        ...flatCall('llm.input_messages.1'),
        'llm.input_messages.2.message.role': 'tool',
        'llm.input_messages.2.message.tool_call_id': 'c1',
        'llm.input_messages.2.message.content': RESULT,
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.content': ANSWER,
      },
      'stop',
    ),
  ),
};
