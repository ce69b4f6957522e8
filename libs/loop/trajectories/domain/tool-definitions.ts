import type { ToolDefinition } from '#contracts/chat';
import { definedOnly, isObject, stringOf, unwrapJson } from './json.js';

const PARAMETER_KEYS = ['parameters', 'input_schema', 'inputSchema', 'parameters_json_schema'];

function isObjectOrText(value: unknown): boolean {
  return isObject(value) || typeof value === 'string';
}

/** Tools offered, from gen_ai's flat form, OpenAI's nested form, or JSON text of either; unnamed ones are left out. */
export function toolDefinitionsOf(value: unknown): ToolDefinition[] {
  const list = unwrapJson(value);
  return (Array.isArray(list) ? list : []).flatMap((item) => toolDefinitionOf(item));
}

export function toolDefinitionOf(value: unknown): ToolDefinition[] {
  const item = unwrapJson(value);
  if (!isObject(item)) return [];
  const described = isObject(item['function']) ? item['function'] : item;
  const name = stringOf(described['name']);
  if (name === undefined) return [];
  const parameters = unwrapJson(PARAMETER_KEYS.map((key) => described[key]).find(isObjectOrText));
  const definition = {
    name,
    description: stringOf(described['description']),
    parameters: isObject(parameters) ? parameters : {},
  };
  return [{ type: 'function', function: definedOnly(definition) }];
}
