import type { ToolDefinition } from '#contracts/chat';
import type { Finding, Rule } from '../finding.js';
import { isObject } from '../json-values.js';
import { provenanceOf } from '../provenance.js';
import type { RunCall } from '../run-view.js';
import { clip } from '../text.js';

/** A choice from a closed list that nobody named, while the user named another value of the same list. */
export const notAsAsked: Rule = {
  name: 'rule.not-as-asked',
  version: '1',
  inspect: (run) => {
    if (run.outcome === 'success') return [];
    const provenance = provenanceOf(run);
    const choices = new Map(run.tools.map((tool) => [tool.function.name, choicesOf(tool)]));
    const said = (value: string, call: RunCall) => provenance.of(value, call.step.index);
    return run.calls.flatMap((call) =>
      (choices.get(call.name) ?? []).flatMap(({ key, values }): Finding[] => {
        const given = call.args?.[key];
        if (typeof given !== 'string' || !values.includes(given)) return [];
        if (!provenance.isFromNowhere(given, call.step.index)) return [];
        const named = values.filter((value) => said(value, call)?.user !== undefined);
        if (named.length === 0) return [];
        return [
          {
            category: 'wrong_arguments',
            detail: 'not_as_asked',
            step: call.step,
            severity: 'medium',
            confidence: 0.75,
            evidence: `${clip(call.name, 60)}: ${clip(key, 40)} is "${clip(given, 40)}", the user said "${clip(named.join('", "'), 60)}"`,
            tool: call.name,
            cause: 'fault',
          },
        ];
      }),
    );
  },
};

/** Longer lists are catalogues: naming one entry of them says little about another argument. */
const MAX_VALUES = 50;

function choicesOf(tool: ToolDefinition): { key: string; values: string[] }[] {
  const properties = tool.function.parameters['properties'];
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([key, schema]) => {
    const listed = isObject(schema) ? schema['enum'] : undefined;
    if (!Array.isArray(listed) || listed.length > MAX_VALUES) return [];
    const values = listed.filter((value): value is string => typeof value === 'string');
    return values.length > 1 ? [{ key, values }] : [];
  });
}
