/** The story as agent kits tell it whose spans nest otherwise: tools below a model call, a call within a call. */
import { spanIdOf } from '../../../testing/otlp.js';
import { ANSWER, ARGUMENTS, PARAMETERS, QUESTION, RESULT, run, type Telling } from './story.js';

function adkCall(contents: object[], content: object, reason: string): Parameters<typeof run>[0] {
  const declaration = { name: 'weather', parameters: PARAMETERS };
  return {
    name: 'call_llm',
    attributes: {
      'gen_ai.system': 'acme',
      'gen_ai.request.model': 'm-1',
      'gen_ai.usage.input_tokens': 40,
      'gen_ai.usage.output_tokens': 7,
      'gen_ai.response.finish_reasons': [reason],
      'gcp.vertex.agent.session_id': 's-1',
      'gcp.vertex.agent.llm_request': {
        model: 'm-1',
        config: { tools: [{ function_declarations: [declaration] }] },
        contents,
      },
      'gcp.vertex.agent.llm_response': {
        content,
        finish_reason: 'STOP',
        usage_metadata: {
          prompt_token_count: 40,
          candidates_token_count: 7,
          thoughts_token_count: 5,
          cached_content_token_count: 10,
          total_token_count: 52,
        },
      },
    },
  };
}

const adkAsked = { role: 'user', parts: [{ text: QUESTION }] };
const adkCalled = {
  role: 'model',
  parts: [{ function_call: { id: 'c1', name: 'weather', args: { city: 'Oslo' } } }],
};
const adkAnswer = { function_response: { id: 'c1', name: 'weather', response: { result: RESULT } } };
const adkTool = (name: string, args: string) => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': name,
  'gen_ai.tool.call.id': 'c1',
  'gcp.vertex.agent.tool_call_args': args,
  'gcp.vertex.agent.tool_response': { result: RESULT },
  'gcp.vertex.agent.llm_request': '{}',
  'gcp.vertex.agent.llm_response': '{}',
});

/** Tools run below the model call that asked for them, and are told again by a merged span. */
export const googleAdk: Telling = {
  dialect: 'google_adk',
  spans: run(
    {
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'guide',
        'gen_ai.conversation.id': 's-1',
      },
    },
    adkCall([adkAsked], adkCalled, 'tool_calls'),
    { parentSpanId: spanIdOf(2), attributes: adkTool('weather', ARGUMENTS) },
    adkCall(
      [adkAsked, adkCalled, { role: 'user', parts: [adkAnswer] }],
      { role: 'model', parts: [{ text: 'Let me see.', thought: true }, { text: ANSWER }] },
      'stop',
    ),
    { parentSpanId: spanIdOf(2), startMs: 25, attributes: adkTool('(merged tools)', 'N/A') },
  ),
};

const lkItem = { type: 'message', role: 'user', content: [QUESTION] };
const lkCall = { type: 'function_call', call_id: 'c1', name: 'weather', arguments: ARGUMENTS };

/** The node of the pipeline and the request inside it are one call; only the inner one is counted. */
function livekitCall(at: number, items: object[], response: object): Parameters<typeof run>[0][] {
  return [
    {
      spanId: spanIdOf(at),
      startMs: at,
      name: 'llm_node',
      attributes: {
        'lk.chat_ctx': { items },
        'lk.function_tools': [{ type: 'function', name: 'weather', parameters: PARAMETERS }],
        ...response,
      },
    },
    {
      spanId: spanIdOf(at + 1),
      parentSpanId: spanIdOf(at),
      startMs: at + 1,
      name: 'llm_request',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'acme',
        'gen_ai.request.model': 'm-1',
        'gen_ai.response.model': 'm-1-0601',
        'gen_ai.usage.input_tokens': 40,
        'gen_ai.usage.output_tokens': 12,
        'gen_ai.usage.cache_read.input_tokens': 10,
        'gen_ai.usage.reasoning.output_tokens': 5,
      },
    },
  ];
}

export const livekit: Telling = {
  dialect: 'livekit',
  spans: run(
    { name: 'agent_session', attributes: { 'lk.agent_name': 'guide', 'session.id': 's-1' } },
    ...livekitCall(10, [lkItem], { 'lk.response.function_calls': [lkCall] }),
    {
      name: 'function_tool',
      startMs: 15,
      attributes: {
        'lk.function_tool.name': 'weather',
        'lk.function_tool.id': 'c1',
        'lk.function_tool.arguments': ARGUMENTS,
        'lk.function_tool.output': RESULT,
      },
    },
    ...livekitCall(20, [lkItem, lkCall, { type: 'function_call_output', call_id: 'c1', output: RESULT }], {
      'lk.pii.response.text': ANSWER,
    }),
  ),
};
