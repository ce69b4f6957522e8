/** Whether a call can be run at all, by the tools offered: known name, JSON object, arguments that fit the schema. */
import { Ajv, type ValidateFunction } from 'ajv';
import type { ChatToolCall, ToolDefinition } from '#contracts/chat';
import { parseJsonObject } from '#kernel/json-object';

export interface CheckedCall {
  /** Null where they are no JSON object. */
  arguments: Record<string, unknown> | null;
  /** Null where the call can be run. */
  problem: 'not_json' | 'unknown_tool' | 'outside_schema' | null;
}
export type CallCheck = (call: ChatToolCall) => CheckedCall;

/** Compiles the schemas once; tools come from many places, so unknown keywords of a schema are let be. */
export function callCheck(tools: readonly ToolDefinition[]): CallCheck {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const validators = new Map<string, ValidateFunction>(
    tools.map((tool) => [tool.function.name, ajv.compile(tool.function.parameters)]),
  );
  return (call) => {
    const args = parseJsonObject(call.function.arguments);
    if (args === null) return { arguments: null, problem: 'not_json' };
    const fits = validators.get(call.function.name);
    if (!fits) return { arguments: args, problem: 'unknown_tool' };
    return { arguments: args, problem: fits(args) ? null : 'outside_schema' };
  };
}
