/** The story as tracing products tell it. */
import { ANSWER, ARGUMENTS, HISTORY, QUESTION, RESULT, run, TOOL, type Telling } from './story.js';

function traceloopCall(prompt: object, completion: object, reason: string): Parameters<typeof run>[0] {
  return {
    name: 'acme.chat',
    attributes: {
      'llm.request.type': 'chat',
      'traceloop.association.properties.session_id': 's-1',
      'gen_ai.system': 'acme',
      'gen_ai.request.model': 'm-1',
      'gen_ai.response.model': 'm-1-0601',
      'gen_ai.usage.prompt_tokens': 40,
      'gen_ai.usage.completion_tokens': 12,
      'gen_ai.usage.cache_read_input_tokens': 10,
      'gen_ai.usage.reasoning_tokens': 5,
      'llm.usage.total_tokens': 52,
      'llm.request.functions.0.name': 'weather',
      'llm.request.functions.0.parameters': TOOL.function.parameters,
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': [{ type: 'text', text: QUESTION }],
      ...prompt,
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.finish_reason': reason,
      ...completion,
    },
  };
}

const flatCall = (at: string) => ({
  [`${at}.tool_calls.0.id`]: 'c1',
  [`${at}.tool_calls.0.name`]: 'weather',
  [`${at}.tool_calls.0.arguments`]: ARGUMENTS,
});

export const traceloop: Telling = {
  dialect: 'traceloop',
  spans: run(
    {
      attributes: {
        'traceloop.span.kind': 'agent',
        'traceloop.entity.name': 'guide',
        'traceloop.entity.input': { args: [QUESTION], kwargs: {} },
        'traceloop.entity.output': JSON.stringify(ANSWER),
      },
    },
    traceloopCall({}, flatCall('gen_ai.completion.0'), 'tool_calls'),
    {
      attributes: {
        'traceloop.span.kind': 'tool',
        'traceloop.entity.name': 'weather',
        'traceloop.entity.input': { args: [], kwargs: { city: 'Oslo' } },
        'traceloop.entity.output': JSON.stringify(RESULT),
      },
    },
    traceloopCall(
      {
        'gen_ai.prompt.1.role': 'assistant',
        ...flatCall('gen_ai.prompt.1'),
        'gen_ai.prompt.2.role': 'tool',
        'gen_ai.prompt.2.tool_call_id': 'c1',
        'gen_ai.prompt.2.content': RESULT,
      },
      { 'gen_ai.completion.0.content': ANSWER },
      'stop',
    ),
  ),
};

function langfuseCall(messages: unknown[], output: unknown): Parameters<typeof run>[0] {
  return {
    name: 'acme-chat',
    attributes: {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.model.name': 'm-1',
      'langfuse.observation.input': { messages, tools: [TOOL] },
      'langfuse.observation.output': output,
      'langfuse.observation.usage_details': {
        input: 30,
        input_cached_tokens: 10,
        output: 7,
        output_reasoning_tokens: 5,
        total: 52,
      },
    },
  };
}

export const langfuse: Telling = {
  dialect: 'langfuse',
  differs: { provider: '' },
  spans: run(
    {
      name: 'guide',
      attributes: {
        'langfuse.observation.type': 'agent',
        'session.id': 's-1',
        'langfuse.observation.input': QUESTION,
        'langfuse.observation.output': ANSWER,
      },
    },
    langfuseCall(HISTORY.slice(0, 1), HISTORY[1]),
    {
      name: 'weather',
      attributes: {
        'langfuse.observation.type': 'tool',
        'langfuse.observation.input': { args: [], kwargs: { city: 'Oslo' } },
        'langfuse.observation.output': RESULT,
      },
    },
    langfuseCall(HISTORY, { role: 'assistant', content: ANSWER }),
  ),
};

const json = (value: unknown): string => JSON.stringify(value);

function mlflowCall(messages: unknown[], message: unknown, reason: string): Parameters<typeof run>[0] {
  return {
    name: 'Completions',
    attributes: {
      'mlflow.spanType': json('CHAT_MODEL'),
      'mlflow.spanInputs': json({ model: 'm-1', messages }),
      'mlflow.spanOutputs': json({
        id: `r-${reason}`,
        model: 'm-1-0601',
        choices: [{ index: 0, message, finish_reason: reason }],
      }),
      'mlflow.chat.tools': json([TOOL]),
      'mlflow.llm.provider': json('acme'),
      'mlflow.chat.tokenUsage': json({
        input_tokens: 40,
        output_tokens: 12,
        total_tokens: 52,
        cache_read_input_tokens: 10,
      }),
    },
  };
}

export const mlflow: Telling = {
  dialect: 'mlflow',
  differs: { reasoningTokens: null },
  spans: run(
    {
      name: 'guide',
      attributes: {
        'mlflow.spanType': json('AGENT'),
        'mlflow.spanInputs': json({ question: QUESTION }),
        'mlflow.trace.session': json('s-1'),
      },
    },
    mlflowCall(HISTORY.slice(0, 1), HISTORY[1], 'tool_calls'),
    {
      name: 'weather',
      attributes: {
        'mlflow.spanType': json('TOOL'),
        'mlflow.spanInputs': json({ city: 'Oslo' }),
        'mlflow.spanOutputs': json(RESULT),
      },
    },
    mlflowCall(HISTORY, { role: 'assistant', content: ANSWER }, 'stop'),
  ),
};

const serialised = (type: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'schema', 'messages', `${type}Message`],
  kwargs,
});
const human = serialised('Human', { content: QUESTION, type: 'human' });
const calling = serialised('AI', {
  content: '',
  type: 'ai',
  tool_calls: [{ id: 'c1', name: 'weather', args: { city: 'Oslo' }, type: 'tool_call' }],
});
const toolSaid = serialised('Tool', { content: RESULT, type: 'tool', tool_call_id: 'c1' });

function langsmithCall(messages: object[], message: object, reason: string): Parameters<typeof run>[0] {
  const generation = { text: '', message, generation_info: { finish_reason: reason } };
  return {
    attributes: {
      'langsmith.span.kind': 'llm',
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'langchain',
      'gen_ai.request.model': 'm-1',
      'gen_ai.usage.input_tokens': 40,
      'gen_ai.usage.output_tokens': 12,
      'gen_ai.usage.input_token_details': "{'cache_read': 10}",
      'langsmith.metadata.ls_provider': 'acme',
      'langsmith.metadata.usage_metadata': {
        input_token_details: { cache_read: 10 },
        output_token_details: { reasoning: 5 },
      },
      'gen_ai.response.finish_reasons': [reason],
      'langsmith.metadata.thread_id': 's-1',
      'gen_ai.prompt': { messages: [messages] },
      'gen_ai.completion': { generations: [[generation]] },
    },
  };
}

/** A prompt template comes as a `chat` that is none. */
export const langsmith: Telling = {
  dialect: 'langsmith',
  differs: { agent: 'test-service', tools: null },
  spans: run(
    {
      attributes: {
        'langsmith.span.kind': 'chain',
        'gen_ai.operation.name': 'chain',
        'langsmith.trace.name': 'LangGraph',
      },
    },
    langsmithCall([human], calling, 'tool_calls'),
    {
      attributes: {
        'langsmith.span.kind': 'tool',
        'gen_ai.operation.name': 'execute_tool',
        'langsmith.trace.name': 'weather',
        'gen_ai.prompt': { input_str: "{'city': 'Oslo'}", inputs: { city: 'Oslo' } },
        'gen_ai.completion': { output: toolSaid },
      },
    },
    langsmithCall([human, calling, toolSaid], serialised('AI', { content: ANSWER, type: 'ai' }), 'stop'),
    {
      startMs: 5,
      attributes: {
        'langsmith.span.kind': 'prompt',
        'gen_ai.operation.name': 'chat',
        'gen_ai.prompt': { question: QUESTION },
        'gen_ai.completion': { output: 'a template' },
      },
    },
  ),
};
