import type { Finding, Rule } from '../finding.js';
import { refOf, type RunView } from '../run-view.js';
import { effectOf, type ToolPolicy } from '../tool-policy.js';
import { worked } from '../tool-result.js';
import { clip } from '../text.js';

const GAVE_UP =
  /\b(sorry|apologi[sz]e|i (can ?not|can't|could ?n[o']t|couldn't|am (not able|unable)|give up)|unable to|not able to|no way to|impossible)\b/i;

/** Nothing said at the end. Silent where the trace does not carry what was said at all. */
export const emptyAnswer: Rule = {
  name: 'rule.empty-answer',
  version: '1',
  inspect: (run) => {
    const { final } = run;
    if (final === null || final.text.trim() !== '' || !carriesContent(run)) return [];
    return [
      {
        category: 'empty_answer',
        step: final.step,
        severity: 'medium',
        confidence: run.outcome === 'success' ? 0.5 : 0.9,
        evidence: 'the last answer is empty',
        cause: 'stall',
      },
    ];
  },
};

function carriesContent(run: RunView): boolean {
  return run.steps.some(
    (step) => step.role === 'assistant' && ((step.content ?? '') !== '' || step.toolCalls !== undefined),
  );
}

/** The agent says that it cannot, or ends without having changed anything where its tools are there to change things. */
export const gaveUp: Rule = {
  name: 'rule.gave-up',
  version: '1',
  inspect: (run, policy) => {
    const { final } = run;
    if (run.outcome === 'success' || final === null || final.text.trim() === '') return [];
    const said = GAVE_UP.exec(final.text.slice(0, 4_000));
    const failed = run.outcome === 'failure';
    // A refusal can be right, so without a known outcome it is only a hint.
    if (said !== null)
      return [
        gaveUpAt(run, {
          confidence: failed ? 0.8 : 0.4,
          evidence: `the last words are "${clip(final.text)}"`,
        }),
      ];
    if (!failed || actedAtAll(run, policy) || !couldAct(run, policy)) return [];
    const evidence = `the run ends with "${clip(final.text, 40)}" after ${run.calls.length} calls that change nothing`;
    return [{ ...gaveUpAt(run, { confidence: 0.6, evidence }), detail: 'no_action' }];
  },
};

function gaveUpAt(run: RunView, { confidence, evidence }: { confidence: number; evidence: string }): Finding {
  const step = run.final?.step ?? { id: run.trajectoryId, index: 0 };
  return {
    category: 'gave_up',
    step,
    severity: 'medium',
    confidence,
    evidence,
    cause: 'stall',
    ...lastTool(run),
  };
}

/** The tool it gave up after: what tells one way of giving up from another. */
function lastTool(run: RunView): { tool?: string } {
  const name = run.calls.at(-1)?.name;
  return name === undefined ? {} : { tool: name };
}

function actedAtAll(run: RunView, policy: ToolPolicy): boolean {
  return run.calls.some(
    (call) => effectOf(policy, call.name) !== 'read' && (worked(call) || call.result === null),
  );
}

function couldAct(run: RunView, policy: ToolPolicy): boolean {
  return run.tools.some((tool) => effectOf(policy, tool.function.name) !== 'read');
}

/** A person stepped in. */
export const humanTakeover: Rule = {
  name: 'rule.human-takeover',
  version: '1',
  inspect: (run) =>
    run.steps
      .filter((step) => step.kind === 'intervention')
      .map((step) => ({
        category: 'human_takeover',
        step: refOf(step),
        severity: 'medium',
        confidence: 0.95,
        evidence: 'a person stepped in',
        cause: 'stall',
      })),
};
