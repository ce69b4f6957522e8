import type { Finding, Rule } from '../finding.js';
import type { RunCall } from '../run-view.js';
import { clip } from '../text.js';

const LONGEST_PERIOD = 4;
const REPEATS = 3;

/** The same calls with the same answers, three times over: one call, or a round of up to four. */
export const loop: Rule = {
  name: 'rule.loop',
  version: '1',
  inspect: (run) => {
    const signatures = run.calls.map(signatureOf);
    for (let end = REPEATS; end <= signatures.length; end++) {
      for (let period = 1; period <= LONGEST_PERIOD && period * REPEATS <= end; period++) {
        if (repeats(signatures, { end, period })) return [found(run.calls, { end, period })];
      }
    }
    return [];
  },
};

function signatureOf(call: RunCall): string {
  const answer = call.result === null ? '' : (call.result.error ?? call.result.text ?? '');
  return `${call.name}\n${call.argumentsText.trim()}\n${answer}`;
}

function repeats(signatures: readonly string[], { end, period }: { end: number; period: number }): boolean {
  const begin = end - period * REPEATS;
  for (let at = begin; at < end - period; at++) if (signatures[at] !== signatures[at + period]) return false;
  return true;
}

/** The fault is the first call of the last round: until then a retry could be meant. */
function found(calls: readonly RunCall[], { end, period }: { end: number; period: number }): Finding {
  const call = calls[end - period] as RunCall;
  const round = calls.slice(end - period, end).map(({ name }) => clip(name, 40));
  return {
    category: 'loop',
    step: call.step,
    severity: 'medium',
    confidence: 0.9,
    evidence: `${round.join(', ')} ${REPEATS} times with the same arguments and the same answer`,
    tool: call.name,
    cause: 'stall',
  };
}
