/** The story as agent frameworks tell it. */
import { ANSWER, ARGUMENTS, PARAMETERS, QUESTION, RESULT, run, type Telling } from './story.js';

const part = (type: string, more: object) => ({ type, toolCallId: 'c1', toolName: 'weather', ...more });

function generation(messages: unknown[], response: object, reason: string): Parameters<typeof run>[0] {
  return {
    name: 'ai.generateText.doGenerate',
    attributes: {
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.model.id': 'm-1',
      'ai.model.provider': 'acme.chat',
      'ai.prompt.messages': messages,
      'ai.prompt.tools': [JSON.stringify({ type: 'function', name: 'weather', inputSchema: PARAMETERS })],
      'ai.usage.inputTokens': 40,
      'ai.usage.outputTokens': 12,
      'ai.usage.cachedInputTokens': 10,
      'ai.usage.reasoningTokens': 5,
      'ai.response.id': `r-${reason}`,
      'ai.response.model': 'm-1-0601',
      'ai.response.finishReason': reason,
      'gen_ai.system': 'acme',
      'gen_ai.request.model': 'm-1',
      'gen_ai.usage.input_tokens': 40,
      'gen_ai.usage.output_tokens': 12,
      ...response,
    },
  };
}

const asked = { role: 'user', content: [{ type: 'text', text: QUESTION }] };

/** The parent repeats the answer and the sum of the counts. */
export const aiSdk: Telling = {
  dialect: 'ai_sdk',
  spans: run(
    {
      name: 'ai.generateText',
      attributes: {
        'ai.operationId': 'ai.generateText',
        'ai.telemetry.functionId': 'guide',
        'ai.telemetry.metadata.sessionId': 's-1',
        'ai.prompt': { prompt: QUESTION },
        'ai.response.text': ANSWER,
        'ai.usage.inputTokens': 80,
        'ai.usage.outputTokens': 24,
      },
    },
    generation(
      [asked],
      { 'ai.response.toolCalls': [{ toolCallId: 'c1', toolName: 'weather', input: ARGUMENTS }] },
      'tool_calls',
    ),
    {
      name: 'ai.toolCall',
      attributes: {
        'ai.operationId': 'ai.toolCall',
        'ai.toolCall.name': 'weather',
        'ai.toolCall.id': 'c1',
        'ai.toolCall.args': ARGUMENTS,
        'ai.toolCall.result': JSON.stringify(RESULT),
      },
    },
    generation(
      [
        asked,
        { role: 'assistant', content: [part('tool-call', { input: { city: 'Oslo' } })] },
        { role: 'tool', content: [part('tool-result', { output: { type: 'text', value: RESULT } })] },
      ],
      { 'ai.response.text': ANSWER },
      'stop',
    ),
  ),
};

function pydanticChat(events: object[]): Parameters<typeof run>[0] {
  return {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'acme',
      'gen_ai.request.model': 'm-1',
      'gen_ai.response.model': 'm-1-0601',
      'gen_ai.usage.input_tokens': 40,
      'gen_ai.usage.output_tokens': 12,
      model_request_parameters: {
        function_tools: [{ name: 'weather', parameters_json_schema: PARAMETERS }],
      },
      events,
    },
  };
}

const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: ARGUMENTS } };
const pydanticAsked = { 'event.name': 'gen_ai.user.message', role: 'user', content: QUESTION };

export const pydanticAi: Telling = {
  dialect: 'pydantic_ai',
  differs: { sessionId: null, cacheReadTokens: null, reasoningTokens: null },
  spans: run(
    {
      name: 'agent run',
      attributes: {
        agent_name: 'guide',
        model_name: 'm-1',
        'gen_ai.usage.input_tokens': 80,
        'gen_ai.usage.output_tokens': 24,
        all_messages_events: [pydanticAsked],
        final_result: ANSWER,
      },
    },
    pydanticChat([
      pydanticAsked,
      {
        'event.name': 'gen_ai.choice',
        finish_reason: 'tool_calls',
        message: { role: 'assistant', tool_calls: [call] },
      },
    ]),
    {
      name: 'running tool',
      attributes: {
        'gen_ai.tool.name': 'weather',
        'gen_ai.tool.call.id': 'c1',
        tool_arguments: ARGUMENTS,
        tool_response: RESULT,
      },
    },
    pydanticChat([
      pydanticAsked,
      { 'event.name': 'gen_ai.assistant.message', role: 'assistant', tool_calls: [call] },
      { 'event.name': 'gen_ai.tool.message', role: 'tool', id: 'c1', name: 'weather', content: RESULT },
      {
        'event.name': 'gen_ai.choice',
        finish_reason: 'stop',
        message: { role: 'assistant', content: ANSWER },
      },
    ]),
  ),
};
