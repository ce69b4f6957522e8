/**
 * OpenTelemetry GenAI conventions up to 1.36, which SDKs keep unless told otherwise (semantic-conventions v1.36,
 * docs/gen-ai): `gen_ai.prompt`, `gen_ai.completion`, other names of counts, one span event a message.
 */
import { countOf, type JsonObject } from '../json.js';
import type { Span } from '../span.js';
import type { Dialect, DialectFacts, SpanIdentity } from './dialect.js';
import { eventFacts } from './legacy-events.js';
import { answerFacts, requestFacts } from './payload.js';

const PROMPT_EVENT = 'gen_ai.content.prompt';
const COMPLETION_EVENT = 'gen_ai.content.completion';

export const genAiLegacy: Dialect = {
  name: 'gen_ai_legacy',
  marks: [
    'gen_ai.prompt',
    'gen_ai.completion',
    'gen_ai.usage.prompt_tokens',
    'gen_ai.usage.completion_tokens',
    'gen_ai.usage.cached_tokens',
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.system.message',
    'gen_ai.user.message',
    'gen_ai.assistant.message',
    'gen_ai.tool.message',
    'gen_ai.choice',
    PROMPT_EVENT,
    COMPLETION_EVENT,
  ],
  content: ['gen_ai.prompt', 'gen_ai.completion'],
  identify: identityOf,
  read: factsOf,
};

function identityOf(span: Span): SpanIdentity {
  const tellsCall =
    'gen_ai.completion' in span.attributes || span.events.some((event) => event.name === 'gen_ai.choice');
  return tellsCall ? { impliedKind: 'model_call' } : {};
}

function factsOf(span: Span): DialectFacts {
  const a = span.attributes;
  const events = span.events.map(({ name, attributes }) => ({ name, body: attributes }));
  return {
    ...dumped(
      contentOf(span, 'gen_ai.prompt', PROMPT_EVENT),
      contentOf(span, 'gen_ai.completion', COMPLETION_EVENT),
    ),
    ...told(eventFacts(events)),
    ...identityOf(span),
    inputTokens: countOf(a['gen_ai.usage.prompt_tokens']),
    outputTokens: countOf(a['gen_ai.usage.completion_tokens']),
    cacheReadTokens: countOf(a['gen_ai.usage.cached_tokens']),
    reasoningTokens: countOf(a['gen_ai.usage.reasoning_tokens']),
  };
}

function contentOf(span: Span, key: string, eventName: string): JsonObject[string] | undefined {
  return span.attributes[key] ?? span.events.find((event) => event.name === eventName)?.attributes[key];
}

function dumped(prompt: unknown, completion: unknown): DialectFacts {
  return {
    ...(prompt === undefined ? {} : requestFacts(prompt)),
    ...(completion === undefined ? {} : answerFacts(completion)),
  };
}

/** Without the empty lists, which would hide what the attributes tell. */
function told(facts: DialectFacts): DialectFacts {
  return Object.fromEntries(
    Object.entries(facts).filter(([, list]) => Array.isArray(list) && list.length > 0),
  );
}
