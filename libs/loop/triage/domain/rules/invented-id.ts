import type { Finding, Rule } from '../finding.js';
import { leavesOf, type Leaf } from '../json-values.js';
import { provenanceOf } from '../provenance.js';
import { recoveredLater, type RunCall, type RunView } from '../run-view.js';
import { errorOf, worked } from '../tool-result.js';
import { clip } from '../text.js';
import { isIdLike } from './id-like.js';
import { nearestSaid } from './nearest-said.js';

const LEAVES_A_CALL = 64;

/** An id that neither the user nor the system prompt nor any observation gave. */
export const inventedId: Rule = {
  name: 'rule.invented-id',
  version: '1',
  inspect: (run) => run.calls.flatMap((call) => firstInvented(run, call)),
};

function firstInvented(run: RunView, call: RunCall): Finding[] {
  const refused = errorOf(call.result) !== null;
  // A run that succeeded with the value (a key that the client may choose) did not invent anything that mattered.
  if (run.outcome === 'success' && !refused) return [];
  const provenance = provenanceOf(run);
  const leaf = leavesOf(call.args, LEAVES_A_CALL).find(
    (candidate) =>
      isIdLike(candidate) &&
      provenance.isFromNowhere(candidate.value, call.step.index) &&
      nearestSaid(run, String(candidate.value), call.step.index) === null,
  );
  return leaf === undefined ? [] : [invented(run, call, { leaf, refused })];
}

function invented(run: RunView, call: RunCall, { leaf, refused }: { leaf: Leaf; refused: boolean }): Finding {
  const recovered = refused && recoveredLater(run, call, worked);
  return {
    category: 'invented_information',
    detail: 'id',
    step: call.step,
    severity: refused ? 'medium' : 'high',
    confidence: refused ? 0.92 : 0.7,
    evidence: `${clip(call.name, 60)}: ${clip(leaf.key, 40)} "${clip(String(leaf.value), 40)}" stands in nothing the agent was told`,
    tool: call.name,
    cause: recovered ? 'recovered' : 'fault',
  };
}
