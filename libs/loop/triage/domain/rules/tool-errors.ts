import type { FailureCategory } from '#contracts/failure';
import type { Finding, Rule } from '../finding.js';
import { recoveredLater, refOf, type RunCall, type RunView } from '../run-view.js';
import { argumentProblem } from '../schema-check.js';
import { errorOf, worked, type ErrorKind } from '../tool-result.js';
import { clip } from '../text.js';

const CATEGORY_OF: Readonly<Record<ErrorKind, FailureCategory>> = {
  unknown_tool: 'unknown_tool',
  wrong_arguments: 'wrong_arguments',
  timeout: 'timeout',
  not_found: 'execution_error',
  refused: 'execution_error',
  other: 'execution_error',
};

/** A tool answered with an error: whose fault it is, by what the error says. */
export const toolErrors: Rule = {
  name: 'rule.tool-error',
  version: '1',
  inspect: (run) =>
    run.calls.flatMap((call): Finding[] => {
      const error = errorOf(call.result);
      if (error === null || call.result === null || isToldByTheCall(run, call, error.kind)) return [];
      const category = CATEGORY_OF[error.kind];
      const recovered = recoveredLater(run, call, worked);
      const detail = error.kind === 'not_found' || error.kind === 'refused' ? error.kind : undefined;
      return [
        {
          category,
          ...(detail === undefined ? {} : { detail }),
          step: call.result.step,
          severity: recovered ? 'low' : 'medium',
          confidence: 0.9,
          evidence: `${clip(call.name, 60)} answered: ${error.text}`,
          ...(category === 'unknown_tool' ? {} : { tool: call.name }),
          cause: recovered ? 'recovered' : 'stall',
        },
      ];
    }),
};

/** Where the call itself shows the fault, another rule reports it at the call. */
function isToldByTheCall(run: RunView, call: RunCall, kind: ErrorKind): boolean {
  if (kind !== 'unknown_tool' && kind !== 'wrong_arguments') return false;
  if (call.args === null) return true;
  const tool = run.tools.find((offered) => offered.function.name === call.name);
  return tool === undefined ? run.tools.length > 0 : argumentProblem(tool, call.args) !== null;
}

const CONTEXT_FULL = /context.{0,20}(length|window|size)|maximum context|too many tokens|prompt is too long/i;

/** The model could not be asked: the provider's doing, but for a conversation that outgrew the model. */
export const modelErrors: Rule = {
  name: 'rule.model-error',
  version: '1',
  inspect: (run) =>
    run.steps.flatMap((step): Finding[] => {
      if (step.kind !== 'model_call' || step.error === undefined) return [];
      const answeredLater = run.steps.slice(-1)[0]?.index !== step.index;
      const isFull = CONTEXT_FULL.test(step.error.slice(0, 2_000));
      return [
        {
          category: isFull
            ? 'truncated'
            : /tim(e|ed) ?-?out/i.test(step.error)
              ? 'timeout'
              : 'execution_error',
          detail: isFull ? 'context_full' : 'model',
          step: refOf(step),
          severity: answeredLater ? 'low' : 'medium',
          confidence: 0.9,
          evidence: `the model could not be asked: ${clip(step.error, 120)}`,
          cause: answeredLater ? 'recovered' : isFull ? 'fault' : 'stall',
        },
      ];
    }),
};
