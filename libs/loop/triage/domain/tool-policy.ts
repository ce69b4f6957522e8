/**
 * What each tool may do and which rows are protected: a small data structure with defaults by name, so that triage knows
 * a destructive call of a tool it has never seen; what a tool set declares about itself comes first.
 */
import type { ToolDefinition } from '#contracts/chat';
import { isObject, type JsonObject } from './json-values.js';

export type ToolEffect = 'read' | 'write' | 'destructive';

export interface ToolPolicy {
  /** Effects by tool name, as declared. Tools not named here are judged by the first word of their name. */
  effects: Readonly<Record<string, ToolEffect>>;
  readWords: readonly string[];
  destructiveWords: readonly string[];
  /** Tools that end a run on purpose when called, by a word of their name. */
  handoverWords: readonly string[];
  /** Members of an observed row that say that it is protected. */
  flagKeys: readonly string[];
  /** Lower-case values of those members that mean protected. */
  flagValues: readonly string[];
}

export const DEFAULT_TOOL_POLICY: ToolPolicy = {
  effects: {},
  readWords: [
    'calculate',
    'check',
    'count',
    'describe',
    'fetch',
    'find',
    'get',
    'inspect',
    'list',
    'load',
    'lookup',
    'look',
    'open',
    'query',
    'read',
    'retrieve',
    'search',
    'show',
    'think',
    'view',
  ],
  destructiveWords: [
    'cancel',
    'clear',
    'delete',
    'destroy',
    'drop',
    'erase',
    'kill',
    'purge',
    'remove',
    'reset',
    'revoke',
    'rm',
    'terminate',
    'truncate',
    'uninstall',
    'wipe',
  ],
  handoverWords: ['escalate', 'finish', 'handoff', 'handover', 'human', 'submit', 'transfer'],
  flagKeys: [
    'flag',
    'flags',
    'lock',
    'locked',
    'protected',
    'protection',
    'readonly',
    'read_only',
    'state',
    'status',
  ],
  flagValues: [
    'frozen',
    'legal_hold',
    'locked',
    'on_hold',
    'protected',
    'read-only',
    'read_only',
    'readonly',
  ],
};

/**
 * The policy for a run: what `declared` says first, then the tools' own annotations (`readOnlyHint`, `destructiveHint`
 * of the Model Context Protocol, beside the tool or under `x-annotations` of its parameters), then the defaults.
 */
export function policyFor(tools: readonly ToolDefinition[], declared: Partial<ToolPolicy> = {}): ToolPolicy {
  const annotated = tools.flatMap((tool) => {
    const effect = annotatedEffect(tool);
    return effect === undefined ? [] : [[tool.function.name, effect] as const];
  });
  return {
    ...DEFAULT_TOOL_POLICY,
    ...declared,
    effects: { ...Object.fromEntries(annotated), ...declared.effects },
  };
}

export function effectOf(policy: ToolPolicy, tool: string): ToolEffect {
  const declared = Object.hasOwn(policy.effects, tool) ? policy.effects[tool] : undefined;
  if (declared !== undefined) return declared;
  const words = wordsOfName(tool);
  const first = words[0] ?? '';
  if (policy.destructiveWords.includes(first)) return 'destructive';
  return policy.readWords.includes(first) ? 'read' : 'write';
}

export function isHandover(policy: ToolPolicy, tool: string): boolean {
  return wordsOfName(tool).some((word) => policy.handoverWords.includes(word));
}

/** `sendEmail`, `send_email`, `mail.send-email` → lower-case words. */
export function wordsOfName(name: string): string[] {
  return name
    .slice(0, 200)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '');
}

function annotatedEffect(tool: ToolDefinition): ToolEffect | undefined {
  const places: unknown[] = [
    (tool as JsonObject)['annotations'],
    (tool.function as JsonObject)['annotations'],
    tool.function.parameters['x-annotations'],
  ];
  const hints = places.find(isObject);
  if (hints === undefined) return undefined;
  if (hints['destructiveHint'] === true) return 'destructive';
  if (hints['readOnlyHint'] === true) return 'read';
  return hints['readOnlyHint'] === false || hints['destructiveHint'] === false ? 'write' : undefined;
}
