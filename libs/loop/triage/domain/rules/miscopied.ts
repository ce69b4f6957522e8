import type { Finding, Rule } from '../finding.js';
import { leavesOf } from '../json-values.js';
import { provenanceOf } from '../provenance.js';
import { recoveredLater, type RunCall, type RunView } from '../run-view.js';
import { errorOf, worked } from '../tool-result.js';
import { clip } from '../text.js';
import { nearestSaid } from './nearest-said.js';

const LEAVES_A_CALL = 16;
/** Calls looked at: each costs a comparison with every word that was said. */
const CALLS_A_RUN = 200;

/** A name or id that is one or two letters away from one that was said, and itself was never said. */
export const miscopied: Rule = {
  name: 'rule.miscopied',
  version: '1',
  inspect: (run) => run.calls.slice(0, CALLS_A_RUN).flatMap((call) => firstMiscopied(run, call)),
};

function firstMiscopied(run: RunView, call: RunCall): Finding[] {
  const refused = errorOf(call.result) !== null;
  if (run.outcome === 'success' && !refused) return [];
  for (const { key, value } of leavesOf(call.args, LEAVES_A_CALL)) {
    if (typeof value !== 'string' || !provenanceOf(run).isFromNowhere(value, call.step.index)) continue;
    const meant = nearestSaid(run, value, call.step.index);
    if (meant === null) continue;
    return [
      {
        category: 'wrong_arguments',
        detail: 'miscopied',
        step: call.step,
        severity: 'medium',
        confidence: refused ? 0.9 : 0.6,
        evidence: `${clip(call.name, 60)}: ${clip(key, 40)} is "${clip(value, 40)}", what was said is "${clip(meant, 40)}"`,
        tool: call.name,
        cause: refused && recoveredLater(run, call, worked) ? 'recovered' : 'fault',
      },
    ];
  }
  return [];
}
