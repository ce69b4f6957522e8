import type { FailureCategory } from '#contracts/failure';
import type { Finding, Rule } from '../finding.js';
import { refOf, type RunView } from '../run-view.js';
import { isHandover } from '../tool-policy.js';
import { clip } from '../text.js';

const OUT_OF_STEPS =
  /max[_ ]?(steps|turns|iterations|rounds|calls)|(step|turn|iteration|recursion)[_ ]?limit/i;
const OUT_OF_TOKENS = /^(length|max_tokens|max_output_tokens)$/i;
const FILTERED = /^(content_filter|safety|refusal|blocklist|prohibited_content)$/i;

/** A run stopped by its step limit: as its source says, or because it ends at a tool's answer with nothing said after. */
export const stepLimit: Rule = {
  name: 'rule.step-limit',
  version: '1',
  inspect: (run, policy) => {
    const last = run.steps.at(-1);
    if (last === undefined) return [];
    const limit = { category: 'step_limit', step: refOf(last), severity: 'medium', cause: 'stall' } as const;
    const reason = run.stopReasons.find((text) => OUT_OF_STEPS.test(text));
    if (reason !== undefined)
      return [{ ...limit, confidence: 0.97, evidence: `the run stopped with "${clip(reason)}"` }];
    const lastCall = run.calls.at(-1);
    const handedOver = lastCall !== undefined && isHandover(policy, lastCall.name);
    if (run.outcome === 'success' || !run.endsOpen || lastCall === undefined || handedOver) return [];
    return [
      {
        ...limit,
        detail: 'no_answer',
        confidence: run.outcome === 'failure' ? 0.6 : 0.4,
        evidence: `the run ends at ${clip(lastCall.name, 60)} after ${run.calls.length} calls, with no answer`,
      },
    ];
  },
};

/** The model ran out of tokens in the middle of an answer. */
export const truncated: Rule = {
  name: 'rule.truncated',
  version: '1',
  inspect: (run) => byFinishReason(run, { pattern: OUT_OF_TOKENS, category: 'truncated', confidence: 0.95 }),
};

/** The provider's filter ended an answer. */
export const guardrail: Rule = {
  name: 'rule.guardrail',
  version: '1',
  inspect: (run) =>
    byFinishReason(run, { pattern: FILTERED, category: 'guardrail_triggered', confidence: 0.9 }),
};

interface FinishRule {
  pattern: RegExp;
  category: FailureCategory;
  confidence: number;
}

function byFinishReason(run: RunView, { pattern, category, confidence }: FinishRule): Finding[] {
  return run.steps.flatMap((step): Finding[] => {
    const reason = step.finishReasons?.find((text) => pattern.test(text));
    if (reason === undefined) return [];
    return [
      {
        category,
        step: refOf(step),
        severity: 'medium',
        confidence,
        evidence: `the model's answer ended with "${clip(reason, 40)}"`,
        cause: 'fault',
      },
    ];
  });
}
