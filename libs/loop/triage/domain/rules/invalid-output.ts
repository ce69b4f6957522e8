import type { Finding, Rule } from '../finding.js';
import { recoveredLater, type RunCall, type RunView } from '../run-view.js';
import { clip } from '../text.js';

/** What common tool parsers put around a call: left in a final text, the call could not be parsed. */
const CALL_MARKS = /<\/?tool_calls?>|<\|tool_calls?|<\|python_tag\|>|\[TOOL_CALLS\]|<function=|✿FUNCTION✿/;
const BARE_CALL = /^\s*(?:```(?:json)?\s*)?\[?\s*\{\s*"(?:name|function|tool|tool_name|arguments)"\s*:/;

/** A call that is no JSON object, or that came back as plain text because no server could parse it. */
export const invalidOutput: Rule = {
  name: 'rule.invalid-output',
  version: '1',
  inspect: (run) => [...brokenArguments(run), ...unparsedText(run)],
};

function brokenArguments(run: RunView): Finding[] {
  return run.calls
    .filter((call) => call.args === null)
    .map((call) => ({
      category: 'invalid_output',
      detail: 'arguments',
      step: call.step,
      severity: 'medium',
      confidence: 0.98,
      evidence: `the arguments of ${clip(call.name, 60)} are no JSON object: ${clip(call.argumentsText)}`,
      cause: recoveredLater(run, call, hasArguments) ? 'recovered' : 'fault',
    }));
}

function hasArguments(call: RunCall): boolean {
  return call.args !== null;
}

/** In the middle of a run the agent went on, so only the last words count. */
function unparsedText(run: RunView): Finding[] {
  const { final } = run;
  if (final === null || !(CALL_MARKS.test(final.text) || BARE_CALL.test(final.text))) return [];
  return [
    {
      category: 'invalid_output',
      detail: 'unparsed_call',
      step: final.step,
      severity: 'high',
      confidence: 0.95,
      evidence: `the run ends in a tool call that could not be parsed: ${clip(final.text)}`,
      cause: 'fault',
    },
  ];
}
