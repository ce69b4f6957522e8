/** A program that traces with OpenTelemetry's own SDK. Endpoint and headers come from the environment, once for each encoding. */
import { SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const exporters = [new JsonExporter(), new ProtobufExporter({ compression: 'gzip' })];
const provider = new NodeTracerProvider({
  spanProcessors: exporters.map((one) => new BatchSpanProcessor(one)),
});
provider.register();
const tracer = trace.getTracer('program');
const message = (role, ...parts) => ({ role, parts });
const question = message('user', { type: 'text', content: 'Where is order 7?' });
const asked = message('assistant', { type: 'tool_call', id: 'c1', name: 'find', arguments: '{"order": 7}' });
const answer = message('tool', { type: 'tool_call_response', id: 'c1', response: '{"state":"sent"}' });
const chat = (input, output, [inputTokens, outputTokens]) =>
  tracer
    .startSpan('chat tiny', {
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'tiny',
        'gen_ai.usage.input_tokens': inputTokens,
        'gen_ai.usage.output_tokens': outputTokens,
        'gen_ai.input.messages': JSON.stringify(input),
        'gen_ai.output.messages': JSON.stringify([output]),
      },
    })
    .end();
const attributes = {
  'gen_ai.operation.name': 'invoke_agent',
  'gen_ai.agent.name': 'support',
  'gen_ai.conversation.id': 'npm-opentelemetry',
};
tracer.startActiveSpan('invoke_agent support', { attributes }, (agent) => {
  chat([question], asked, [12, 3]);
  const tool = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'find',
    'gen_ai.tool.call.id': 'c1',
  };
  const values = {
    'gen_ai.tool.call.arguments': '{"order": 7}',
    'gen_ai.tool.call.result': '{"state":"sent"}',
  };
  tracer.startSpan('execute_tool find', { attributes: { ...tool, ...values } }).end();
  chat([question, asked, answer], message('assistant', { type: 'text', content: 'It was sent.' }), [20, 5]);
  const event = { 'gen_ai.evaluation.name': 'outcome', 'gen_ai.evaluation.score.value': 1 };
  agent.addEvent('gen_ai.evaluation.result', event);
  agent.setStatus({ code: SpanStatusCode.OK });
  agent.end();
});
await provider.shutdown();
