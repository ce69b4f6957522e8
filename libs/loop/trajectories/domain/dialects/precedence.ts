/**
 * Which dialect wins for each fact of a span that speaks several. The first of a row that tells the fact is believed;
 * a dialect that a row does not name comes after those it names, in the order of the general row.
 */
import type { Usage } from '../contract.js';
import { definedOnly } from '../json.js';
import type { SpanFacts } from '../span-facts.js';
import type { DialectFacts, SpanIdentity } from './dialect.js';

/** Standards first: two tracers that write them mean the same. */
export const GENERAL = [
  'gen_ai',
  'openinference',
  'langfuse',
  'ai_sdk',
  'pydantic_ai',
  'google_adk',
  'mlflow',
  'langsmith',
  'livekit',
  'codex',
  'traceloop',
  'gen_ai_legacy',
  'plain',
] as const;

/**
 * What a framework knows of itself and a standard name only approximates: LangSmith's exporter calls a prompt template
 * `chat`, ADK reports one tool call again as `execute_tool (merged tools)`.
 */
const FRAMEWORKS = [
  'langfuse',
  'ai_sdk',
  'pydantic_ai',
  'google_adk',
  'mlflow',
  'langsmith',
  'livekit',
  'codex',
  'openinference',
] as const;

const PRECEDENCE: Partial<Record<keyof DialectFacts, readonly string[]>> = {
  kind: FRAMEWORKS,
  toolCallId: ['google_adk'],
  // ADK puts Google's count without thoughts under the standard name, whose count includes them.
  outputTokens: ['google_adk'],
  // An explicit error message says more than the status of OpenTelemetry.
  error: FRAMEWORKS,
  // LangSmith guesses the system from the model's name, and knows the provider.
  provider: ['langsmith'],
  // `input.value` may be any text; numbered keys, JSON lists and events hold messages. Pydantic AI puts the system's
  // message of a run under gen_ai's name and all others under its own.
  input: ['pydantic_ai', 'gen_ai', 'traceloop', 'langfuse', 'ai_sdk', 'google_adk', 'mlflow', 'livekit'],
  output: ['gen_ai', 'traceloop', 'langfuse', 'ai_sdk', 'pydantic_ai', 'google_adk', 'mlflow', 'livekit'],
};

const FACTS = [
  'kind',
  'agentName',
  'sessionId',
  'model',
  'responseModel',
  'responseId',
  'provider',
  'finishReasons',
  'input',
  'output',
  'tools',
  'toolName',
  'toolCallId',
  'arguments',
  'result',
  'error',
  'evaluations',
] as const satisfies readonly (keyof DialectFacts)[];

const COUNTS = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'reasoningTokens',
] as const satisfies readonly (keyof DialectFacts)[];

/** What is asked at receipt. */
const IDENTITY = ['kind', 'responseId'] as const satisfies readonly Fact[];

type Fact = (typeof FACTS)[number] | (typeof COUNTS)[number];
/** Per fact the positions of the dialects, best first. */
type Plan = readonly (readonly [Fact, readonly number[]])[];

/** Merges what these dialects tell of one span. The order of each fact is worked out once for all spans they share. */
export class FactMerger {
  private readonly facts: Plan;
  private readonly counts: Plan;
  private readonly identities: Plan;

  constructor(private readonly names: readonly string[]) {
    this.facts = planOf(FACTS, names);
    this.counts = planOf(COUNTS, names);
    this.identities = planOf(IDENTITY, names);
  }

  /** Fact by fact from the first dialect that tells it. `told` stands in the order of the names. */
  merge(told: readonly DialectFacts[]): SpanFacts {
    const dialects: Record<string, string> = {};
    const facts = this.best(told, this.facts, dialects);
    const counts = this.best(told, this.counts, dialects);
    facts['kind'] ??= this.impliedKind(told, dialects);
    for (const list of ['input', 'output', 'tools', 'evaluations']) facts[list] ??= [];
    if ('inputTokens' in counts || 'outputTokens' in counts) facts['usage'] = usageOf(counts);
    facts['dialects'] = dialects;
    return facts as unknown as SpanFacts;
  }

  /** The same for the two facts that receipt asks for. */
  identity(told: readonly SpanIdentity[]): Pick<SpanFacts, 'kind' | 'responseId'> {
    const facts = this.best(told, this.identities, {});
    facts['kind'] ??= this.impliedKind(told, {});
    return facts as unknown as Pick<SpanFacts, 'kind' | 'responseId'>;
  }

  private best(
    told: readonly DialectFacts[],
    plan: Plan,
    dialects: Record<string, string>,
  ): Record<string, unknown> {
    const best: Record<string, unknown> = {};
    for (const [fact, order] of plan) {
      const winner = order.find((at) => isTold(told[at]?.[fact]));
      if (winner === undefined) continue;
      best[fact] = told[winner]?.[fact];
      dialects[fact] = this.names[winner] ?? '';
    }
    return best;
  }

  private impliedKind(told: readonly SpanIdentity[], dialects: Record<string, string>): SpanFacts['kind'] {
    const at = told.findIndex((facts) => facts.impliedKind !== undefined);
    if (at < 0) return 'other';
    dialects['kind'] = this.names[at] ?? '';
    return told[at]?.impliedKind ?? 'other';
  }
}

function planOf(facts: readonly Fact[], names: readonly string[]): Plan {
  return facts.map((fact) => {
    const order = [...new Set([...(PRECEDENCE[fact] ?? []), ...GENERAL])];
    return [fact, order.map((name) => names.indexOf(name)).filter((at) => at >= 0)] as const;
  });
}

function isTold(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens, reasoningTokens }: DialectFacts): Usage {
  return definedOnly({
    inputTokens: wholeOf(inputTokens, cacheReadTokens),
    outputTokens: wholeOf(outputTokens, reasoningTokens),
    cacheReadTokens,
    reasoningTokens,
  });
}

/**
 * A part is a subset of the whole and never added. Where it is larger than the whole, the source did not count it in
 * (Anthropic's and Google's own counts), and only the sum is the whole.
 */
function wholeOf(whole: number | undefined, part = 0): number | null {
  if (whole === undefined) return null;
  return part > whole ? whole + part : whole;
}
