import type { Finding, Rule } from '../finding.js';
import { recoveredLater } from '../run-view.js';
import { argumentProblem } from '../schema-check.js';
import { worked } from '../tool-result.js';
import { clip } from '../text.js';

/** Arguments that do not fit the JSON Schema of the tool. */
export const wrongArguments: Rule = {
  name: 'rule.arguments-schema',
  version: '1',
  inspect: (run) => {
    const tools = new Map(run.tools.map((tool) => [tool.function.name, tool]));
    return run.calls.flatMap((call): Finding[] => {
      const tool = tools.get(call.name);
      if (tool === undefined || call.args === null) return [];
      const problem = argumentProblem(tool, call.args);
      if (problem === null) return [];
      // A runtime that took the call anyway knows its tool better than the schema does.
      const accepted = worked(call);
      return [
        {
          category: 'wrong_arguments',
          detail: 'schema',
          step: call.step,
          severity: accepted ? 'low' : 'medium',
          confidence: accepted ? 0.6 : 0.97,
          evidence: `${clip(call.name, 60)}: ${problem}`,
          tool: call.name,
          cause: accepted || recoveredLater(run, call, worked) ? 'recovered' : 'fault',
        },
      ];
    });
  },
};
