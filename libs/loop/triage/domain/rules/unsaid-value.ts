import type { Finding, Rule } from '../finding.js';
import { leavesOf } from '../json-values.js';
import { provenanceOf } from '../provenance.js';
import { effectOf } from '../tool-policy.js';
import { clip } from '../text.js';
import { isIdLike } from './id-like.js';

const MAX_LENGTH = 24;
const LEAVES_A_CALL = 16;

/** A guess for failed runs only: one word that a writing call was given, and that nobody had said. */
export const unsaidValue: Rule = {
  name: 'rule.unsaid-value',
  version: '1',
  inspect: (run, policy) => {
    if (run.outcome !== 'failure') return [];
    const provenance = provenanceOf(run);
    return run.calls.flatMap((call): Finding[] => {
      if (effectOf(policy, call.name) === 'read') return [];
      const leaf = leavesOf(call.args, LEAVES_A_CALL).find(
        (candidate) =>
          typeof candidate.value === 'string' &&
          candidate.value.length <= MAX_LENGTH &&
          /^[\p{L}\p{N}]+$/u.test(candidate.value) &&
          !isIdLike(candidate) &&
          provenance.isFromNowhere(candidate.value, call.step.index),
      );
      if (leaf === undefined) return [];
      return [
        {
          category: 'wrong_arguments',
          detail: 'unsaid',
          step: call.step,
          severity: 'low',
          confidence: 0.4,
          evidence: `${clip(call.name, 60)}: nobody said ${clip(leaf.key, 40)} "${clip(String(leaf.value), 40)}"`,
          tool: call.name,
          cause: 'guess',
        },
      ];
    });
  },
};
