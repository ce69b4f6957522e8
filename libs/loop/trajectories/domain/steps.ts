/** The nodes of a run → its steps: what was said, which model calls and which tool calls were made, in order, each once. */
import type { ModelCallCapture } from '#contracts/gateway';
import { contentHash } from '#kernel/ids';
import { definedOnly } from './json.js';
import { MessageLedger, type NewMessage } from './message-ledger.js';
import type { TurnMessage } from './span-facts.js';
import { compareNs, type Run, type SpanNode } from './span-tree.js';
import { uniqueCalls } from './unique-calls.js';
import type { Step, Usage } from './contract.js';

type Draft = Omit<Step, 'index'>;
type Captures = ReadonlyMap<string, ModelCallCapture>;

export interface RunSteps {
  steps: Step[];
  /** The gateway's capture of each model-call step, in order; undefined where there is none. */
  captures: (ModelCallCapture | undefined)[];
}

/** `agentOf` names the agent that a node works for. */
export function stepsOf(run: Run, agentOf: (node: SpanNode) => string, captures: Captures): RunSteps {
  const calls = uniqueCalls(run.nodes);
  const ledger = new MessageLedger();
  for (const { facts } of calls)
    if (facts.kind === 'tool_call') ledger.noteToolResult(facts.toolCallId, facts.result);
  const writer = new StepWriter(ledger);
  const told = calls.some(
    ({ facts }) => facts.kind === 'model_call' && facts.input.length + facts.output.length > 0,
  );
  const used: (ModelCallCapture | undefined)[] = [];
  if (!told) writer.say(run.entry, run.entry.facts.input, agentOf(run.entry));
  for (const node of calls) {
    if (node.facts.kind === 'tool_call') {
      writer.push(toolCallStep(node, agentOf(node)));
      continue;
    }
    const capture = node.facts.responseId === undefined ? undefined : captures.get(node.facts.responseId);
    used.push(capture);
    writer.say(node, node.facts.input, agentOf(node));
    writer.push(modelCallStep(node, agentOf(node), capture));
    ledger.noteOutput(node.facts.output);
  }
  if (!told) writer.say(run.entry, run.entry.facts.output, agentOf(run.entry));
  return { steps: writer.drafts.map((draft, index) => ({ ...draft, index })), captures: used };
}

class StepWriter {
  readonly drafts: Draft[] = [];
  /** Model calls whose answer no span told: the next prompt tells it. */
  private readonly silent: Draft[] = [];

  constructor(private readonly ledger: MessageLedger) {}

  push(draft: Draft): void {
    this.drafts.push(draft);
    if (draft.kind === 'model_call' && draft.content === null && draft.toolCalls === undefined)
      this.silent.push(draft);
  }

  say(node: SpanNode, messages: readonly TurnMessage[], agent: string): void {
    for (const fresh of this.ledger.takeNew(messages)) {
      const { message } = fresh;
      const silent = message.role === 'assistant' ? this.silent.shift() : undefined;
      if (silent === undefined) this.push(messageStep(node, fresh, agent));
      else Object.assign(silent, definedOnly({ content: message.content, toolCalls: message.toolCalls }));
    }
  }
}

function messageStep(node: SpanNode, fresh: NewMessage, agent: string): Draft {
  const { message } = fresh;
  return definedOnly({
    stepId: contentHash(['message', node.span.traceId, fresh.signature, fresh.occurrence], 24),
    kind: message.role === 'tool' ? ('observation' as const) : ('message' as const),
    role: message.role,
    agent,
    content: message.content,
    toolCalls: message.toolCalls,
    toolName: message.role === 'tool' ? message.name : undefined,
    toolCallId: message.toolCallId,
    startNs: node.span.startNs,
  });
}

function modelCallStep(node: SpanNode, agent: string, capture: ModelCallCapture | undefined): Draft {
  const { facts } = node;
  const texts = facts.output.flatMap((message) => (message.content === null ? [] : [message.content]));
  const toolCalls = facts.output.flatMap((message) => message.toolCalls ?? []);
  return definedOnly({
    stepId: spanStepId(node),
    kind: 'model_call' as const,
    role: 'assistant' as const,
    agent,
    content: texts.length > 0 ? texts.join('\n') : null,
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    error: facts.error,
    model: facts.model,
    responseModel: capture?.policy ?? facts.responseModel,
    responseId: facts.responseId,
    provider: facts.provider,
    finishReasons: facts.finishReasons,
    usage: capture === undefined ? facts.usage : usageOf(capture, facts.usage),
    startNs: capture?.servedAtNs ?? node.span.startNs,
    endNs: capture === undefined ? endOf(node) : answeredNs(capture),
  });
}

/** The gateway's counts; the subsets it does not count stay the span's. */
function usageOf(capture: ModelCallCapture, told: Usage | undefined): Usage {
  return { ...told, inputTokens: capture.promptTokens, outputTokens: capture.completionTokens };
}

function answeredNs(capture: ModelCallCapture): string {
  return (BigInt(capture.servedAtNs) + BigInt(Math.round(capture.latencyMs * 1e6))).toString();
}

function toolCallStep(node: SpanNode, agent: string): Draft {
  const { facts } = node;
  return definedOnly({
    stepId: spanStepId(node),
    kind: 'tool_call' as const,
    role: 'tool' as const,
    agent,
    content: facts.result ?? null,
    toolName: facts.toolName ?? node.span.name,
    toolCallId: facts.toolCallId,
    arguments: facts.arguments,
    error: facts.error,
    startNs: node.span.startNs,
    endNs: endOf(node),
  });
}

/** By span, not by place: a late span moves steps but renames none. */
function spanStepId(node: SpanNode): string {
  return spanStepIdOf(node.span.traceId, node.span.spanId);
}

/** The step that a span becomes. */
export function spanStepIdOf(traceId: string, spanId: string): string {
  return contentHash(['span', traceId, spanId], 24);
}

/** A span that ends before it starts is clamped here and flagged on the trajectory. */
export function endOf(node: SpanNode): string {
  return isClamped(node) ? node.span.startNs : node.span.endNs;
}

export function isClamped(node: SpanNode): boolean {
  return compareNs(node.span.endNs, node.span.startNs) < 0;
}
