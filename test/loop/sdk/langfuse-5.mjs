/** A program that traces with `@langfuse/tracing` 5 (npm) over OpenTelemetry. Host and keys come from the environment. */
import { LangfuseClient } from '@langfuse/client';
import { LangfuseSpanProcessor } from '@langfuse/otel';
import { propagateAttributes, startActiveObservation, startObservation } from '@langfuse/tracing';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const provider = new NodeTracerProvider({ spanProcessors: [new LangfuseSpanProcessor()] });
provider.register();
const question = { role: 'user', content: 'Where is order 7?' };
const call = { id: 'c1', type: 'function', function: { name: 'find', arguments: '{"order": 7}' } };
const asked = { role: 'assistant', content: null, tool_calls: [call] };
let traceId = '';
await propagateAttributes({ sessionId: 'npm-langfuse-5' }, () =>
  startActiveObservation(
    'support',
    async (agent) => {
      traceId = agent.traceId;
      agent.update({ input: question.content });
      const first = startObservation('llm', { model: 'tiny', input: [question] }, { asType: 'generation' });
      first.update({ output: asked, usageDetails: { input: 12, output: 3 } }).end();
      const tool = startObservation('find', { input: { order: 7 } }, { asType: 'tool' });
      tool.update({ output: { state: 'sent' } }).end();
      const answer = { role: 'tool', tool_call_id: 'c1', content: '{"state":"sent"}' };
      const second = startObservation(
        'llm',
        { model: 'tiny', input: [question, asked, answer] },
        { asType: 'generation' },
      );
      second.update({ output: 'It was sent.', usageDetails: { input: 20, output: 5 } }).end();
      agent.update({ output: 'It was sent.' });
    },
    { asType: 'agent' },
  ),
);
await provider.forceFlush();
const client = new LangfuseClient();
client.score.create({ traceId, name: 'outcome', value: 1, comment: 'right' });
await client.flush();
await provider.shutdown();
