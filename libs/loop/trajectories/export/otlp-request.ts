/**
 * A trajectory as one OTLP trace export request in the current GenAI conventions: a span of the agent, one of every model call
 * with its prompt and answer, one of every tool call. A trace of its own: the ids follow from the trajectory's.
 */
import type { Step, Trajectory } from '#contracts/trajectory';
import { contentHash } from '#kernel/ids';
import { definedOnly } from '../domain/json.js';
import { attributesOf, type SpanEventJson, type SpanJson } from './otlp-json.js';
import { genAiMessage, PromptHistory } from './prompt-history.js';

const SCOPE = 'ratchet.export';
const INTERNAL = 1;
const CLIENT = 3;
const ERROR = { code: 2 };

/**
 * It cannot hold step ids, and of what is said after the last model call only results. A result becomes the tool call that gave
 * it and stands before what others say after the same model call; without a tool's name it takes the span's, and an empty id is
 * none. Metadata comes back under `ratchet.metadata.`.
 */
export function otlpRequestOf(trajectory: Trajectory): Record<string, unknown> {
  const spans = new SpanWriter(trajectory).write();
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': trajectory.agent }) },
        scopeSpans: [{ scope: { name: SCOPE }, spans }],
      },
    ],
  };
}

class SpanWriter {
  private readonly traceId: string;
  private readonly entryId: string;
  private readonly history: PromptHistory;
  private readonly spans: SpanJson[] = [];
  /** The span of the other agent that is at work. */
  private working: { agent: string; spanId: string } | null = null;
  private clockNs: bigint;

  constructor(private readonly trajectory: Trajectory) {
    this.traceId = contentHash(['export', trajectory.projectId, trajectory.id, trajectory.revision], 32);
    this.entryId = this.idOf('entry');
    this.history = new PromptHistory(trajectory);
    this.clockNs = BigInt(trajectory.startedAtNs);
  }

  write(): SpanJson[] {
    const { steps } = this.trajectory;
    const lastCall = steps.findLastIndex((step) => step.kind === 'model_call');
    steps.forEach((step, at) => {
      if (step.kind === 'model_call') this.modelCall(step, at);
      else if (step.role === 'tool' && (lastCall >= 0 || step.kind === 'tool_call')) this.toolCall(step, at);
    });
    return [this.entry(lastCall < 0), ...this.spans];
  }

  private entry(saysAll: boolean): SpanJson {
    const { agent, sessionId, usage, steps } = this.trajectory;
    const counted = steps.some((step) => step.usage !== undefined);
    const messages = saysAll ? this.history.all() : [];
    const endNs = BigInt(this.trajectory.endedAtNs);
    return {
      traceId: this.traceId,
      spanId: this.entryId,
      name: `invoke_agent ${agent}`,
      kind: INTERNAL,
      startTimeUnixNano: this.trajectory.startedAtNs,
      endTimeUnixNano: (endNs > this.clockNs ? endNs : this.clockNs).toString(),
      attributes: attributesOf({
        ...metadataOf(this.trajectory),
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agent,
        'gen_ai.conversation.id': sessionId,
        'gen_ai.tool.definitions': toolsOf(this.trajectory),
        ...(messages.length > 0 ? { 'gen_ai.input.messages': JSON.stringify(messages) } : {}),
        ...(counted ? {} : usageAttributes(usage)),
      }),
      events: this.judgement(),
    };
  }

  private judgement(): SpanEventJson[] {
    const { outcome, reward, endedAtNs } = this.trajectory;
    if (outcome.value === 'unknown' || outcome.source === 'inferred') return [];
    return [
      {
        name: 'gen_ai.evaluation.result',
        timeUnixNano: endedAtNs,
        attributes: attributesOf({
          'gen_ai.evaluation.name': 'outcome',
          'gen_ai.evaluation.score.label': outcome.value,
          'gen_ai.evaluation.score.value': reward,
        }),
      },
    ];
  }

  private modelCall(step: Step, at: number): void {
    const said = genAiMessage(step, this.trajectory.agent);
    this.push(step, at, {
      name: step.model === undefined ? 'chat' : `chat ${step.model}`,
      kind: CLIENT,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': step.model,
        'gen_ai.response.model': step.responseModel,
        'gen_ai.response.id': step.responseId,
        'gen_ai.provider.name': step.provider,
        'gen_ai.response.finish_reasons': step.finishReasons,
        ...usageAttributes(step.usage),
        'gen_ai.input.messages': JSON.stringify(this.history.before(at)),
        'gen_ai.output.messages': JSON.stringify(said.parts.length > 0 ? [said] : []),
      },
    });
  }

  private toolCall(step: Step, at: number): void {
    this.push(step, at, {
      name: step.toolName ?? 'execute_tool',
      kind: INTERNAL,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': step.toolName,
        'gen_ai.tool.call.id': step.toolCallId,
        'gen_ai.tool.call.arguments': step.arguments,
        'gen_ai.tool.call.result': step.content,
      },
    });
  }

  /** Times grow from step to step, so that their order is the order of the spans. */
  private push(
    step: Step,
    at: number,
    span: { name: string; kind: number; attributes: Record<string, unknown> },
  ): void {
    const told = BigInt(step.startNs ?? 0);
    this.clockNs = told > this.clockNs ? told : this.clockNs + 1n;
    const ended = BigInt(step.endNs ?? 0);
    this.spans.push({
      traceId: this.traceId,
      spanId: this.idOf(at),
      parentSpanId: this.agentSpan(step.agent ?? this.trajectory.agent, at),
      name: span.name,
      kind: span.kind,
      startTimeUnixNano: this.clockNs.toString(),
      endTimeUnixNano: (ended > this.clockNs ? ended : this.clockNs).toString(),
      attributes: attributesOf(span.attributes),
      ...(step.error === undefined ? {} : { status: { ...ERROR, message: step.error } }),
    });
  }

  /** Another agent's steps stand below a span of that agent, one for every time it takes over. */
  private agentSpan(agent: string, at: number): string {
    if (agent === this.trajectory.agent) {
      this.working = null;
      return this.entryId;
    }
    if (this.working?.agent === agent) return this.working.spanId;
    const spanId = this.idOf(`agent:${at}`);
    this.working = { agent, spanId };
    this.spans.push({
      traceId: this.traceId,
      spanId,
      parentSpanId: this.entryId,
      name: `invoke_agent ${agent}`,
      kind: INTERNAL,
      startTimeUnixNano: this.clockNs.toString(),
      endTimeUnixNano: this.clockNs.toString(),
      attributes: attributesOf({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent }),
    });
    return spanId;
  }

  private idOf(part: string | number): string {
    return contentHash([this.traceId, part], 16);
  }
}

function usageAttributes(usage: Step['usage']): Record<string, unknown> {
  return {
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cacheReadTokens,
    'gen_ai.usage.reasoning.output_tokens': usage?.reasoningTokens,
  };
}

function toolsOf({ tools }: Trajectory): string | undefined {
  if (tools.length === 0) return undefined;
  return JSON.stringify(tools.map(({ type, function: described }) => ({ type, ...described })));
}

/** Attributes of another exporter would be read as such: metadata goes under our own prefix, answers stay labels. */
function metadataOf({ metadata, externalId, source }: Trajectory): Record<string, unknown> {
  const members = Object.entries(metadata).filter(([key]) => key !== 'line' && key !== 'dialects');
  return {
    ...definedOnly({ 'ratchet.external_id': externalId, 'ratchet.source': source }),
    ...Object.fromEntries(
      members.map(([key, value]) => [key.startsWith('label.') ? key : `ratchet.metadata.${key}`, value]),
    ),
  };
}
