import type { Finding, Rule } from '../finding.js';
import { recoveredLater } from '../run-view.js';
import { clip } from '../text.js';

/** A call of a tool that was not offered. Silent where the offered tools are not known. */
export const unknownTool: Rule = {
  name: 'rule.unknown-tool',
  version: '1',
  inspect: (run) => {
    const offered = new Set(run.tools.map((tool) => tool.function.name));
    if (offered.size === 0) return [];
    return run.calls
      .filter((call) => !offered.has(call.name))
      .map((call): Finding => {
        const next = run.calls[call.order + 1];
        const corrected = next !== undefined && offered.has(next.name);
        return {
          category: 'unknown_tool',
          step: call.step,
          severity: 'medium',
          confidence: 0.99,
          evidence: `"${clip(call.name, 60)}" is none of the ${offered.size} tools offered`,
          cause: corrected || recoveredLater(run, call, () => true) ? 'recovered' : 'fault',
        };
      });
  },
};
