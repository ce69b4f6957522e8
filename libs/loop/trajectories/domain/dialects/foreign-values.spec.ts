import fc from 'fast-check';
import { spanIdOf, traceIdOf } from '../../testing/otlp.js';
import { assembleTrace } from '../assemble.js';
import type { Json, JsonObject } from '../json.js';
import type { StoredSpan } from '../span.js';
import * as kits from './golden/agent-kits.js';
import * as frameworks from './golden/frameworks.js';
import * as standards from './golden/standards.js';
import * as tracers from './golden/tracers.js';
import { dialectOf } from './index.js';

const KEYS = [
  ...new Set(
    Object.values({ ...standards, ...frameworks, ...kits, ...tracers }).flatMap(({ spans }) =>
      spans.flatMap((span) => [
        ...Object.keys(span.attributes ?? {}),
        ...(span.events ?? []).flatMap((event) => Object.keys(event.attributes)),
      ]),
    ),
  ),
];
const EVENTS = [
  'gen_ai.choice',
  'gen_ai.user.message',
  'gen_ai.content.prompt',
  'gen_ai.client.inference.operation.details',
];
/** Members that the readers look for, so that random values get past their first checks. */
const MEMBERS = [
  'messages',
  'role',
  'content',
  'parts',
  'type',
  'text',
  'tool_calls',
  'function',
  'function_call',
  'kwargs',
  'id',
  'lc',
  'choices',
  'message',
  'output',
  'input',
  'items',
  'tools',
  'config',
  'usage_metadata',
  'toString',
  '__proto__',
];
const TYPES = [
  'tool_call',
  'tool-result',
  'function_call',
  'function_call_output',
  'message',
  'text',
  'tool',
];

const { tree } = fc.letrec<{ tree: Json; object: JsonObject }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, 7, -0.5, '', 'text', ...TYPES),
    fc.array(tie('tree'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom(...MEMBERS), tie('tree'), { maxKeys: 4 }),
}));
/** As text too, which is how attributes hold JSON; cut off, as exporters do. */
const value = fc.oneof(
  tree,
  tree.map((json) => JSON.stringify(json)),
  tree.map((json) => JSON.stringify(json).slice(0, -1)),
);
const attributes = fc.dictionary(fc.constantFrom(...KEYS), value, { minKeys: 1, maxKeys: 8 });

describe('values nobody expects under the names of any dialect', () => {
  it('are read without an error into a trajectory that is plain JSON', () => {
    const spanOf = (at: number, own: JsonObject, told: JsonObject, event: string): StoredSpan => ({
      traceId: traceIdOf(1),
      spanId: spanIdOf(at + 1),
      parentSpanId: at === 0 ? null : spanIdOf(at),
      name: 'span',
      kind: 1,
      startNs: String(1_000 + at),
      endNs: '2000',
      attributes: own,
      events: [{ name: event, timeNs: '1000', attributes: told }],
      resource: {},
      scope: '',
      status: { code: 0, message: '' },
      receivedSeq: String(at),
    });
    const trace = fc.array(fc.tuple(attributes, attributes, fc.constantFrom(...EVENTS)), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(trace, (drawn) => {
        const spans = drawn.map(([own, told, event], at) => spanOf(at, own, told, event));
        const input = { projectId: 'p', traceId: traceIdOf(1), spans, captures: new Map() };
        const trajectories = assembleTrace(input);
        expect(trajectories.length).toBeGreaterThan(0);
        expect(JSON.parse(JSON.stringify(trajectories))).toEqual(trajectories);
        for (const span of spans)
          expect(dialectOf(span).read(span)).toMatchObject(dialectOf(span).identify(span));
        for (const step of trajectories.flatMap(({ steps }) => steps))
          expect(step.content === null || typeof step.content === 'string').toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
