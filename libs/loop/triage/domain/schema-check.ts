/** Checks arguments against a tool's JSON Schema. The schemas come out of traces, so they are somebody else's: kept small and tame. */
import { Ajv, type ValidateFunction } from 'ajv';
import type { ToolDefinition } from '#contracts/chat';
import { contentHash } from '#kernel/ids';
import { isObject, type JsonObject } from './json-values.js';
import { clip } from './text.js';

const MAX_SCHEMA_CHARS = 64 * 1024;
const MAX_SCHEMA_DEPTH = 16;
const CACHED = 500;

/** Not followed: what names other documents, and what a hostile pattern could make run for minutes. */
const DROPPED = new Set([
  '$id',
  'id',
  '$schema',
  '$async',
  'pattern',
  'patternProperties',
  'format',
  'uniqueItems',
]);
/** Members whose own members are names, not keywords. */
const MAPS = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** Members that hold data, not schemas. */
const DATA = new Set(['enum', 'const', 'default', 'examples', 'required']);

let cache = new Map<string, ValidateFunction | null>();

/** Why the arguments do not fit, or null where they do, or where the schema itself cannot be used. */
export function argumentProblem(tool: ToolDefinition, args: JsonObject): string | null {
  const validate = validatorOf(tool.function.parameters);
  if (validate === null || validate(args) === true) return null;
  const error = validate.errors?.[0];
  if (error === undefined) return 'does not fit the schema';
  const where = error.instancePath === '' ? 'the arguments' : clip(error.instancePath.slice(1), 60);
  const what = extraOf(error.params) ?? clip(error.message ?? 'does not fit', 100);
  return `${where}: ${what}`;
}

function extraOf(params: Record<string, unknown>): string | null {
  const extra = params['additionalProperty'];
  if (typeof extra === 'string') return `has the unexpected member "${clip(extra, 40)}"`;
  const allowed = params['allowedValues'];
  return Array.isArray(allowed) ? `must be one of ${clip(allowed.map(String).join(', '), 80)}` : null;
}

function validatorOf(schema: JsonObject): ValidateFunction | null {
  const text = textOf(schema);
  if (text === null) return null;
  const key = contentHash(text);
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= CACHED) cache = new Map();
  const made = compile(schema);
  cache.set(key, made);
  return made;
}

/** Null where it is too large to be used, or nests deeper than a text can be made of. */
function textOf(schema: JsonObject): string | null {
  try {
    const text = JSON.stringify(schema);
    return text.length > MAX_SCHEMA_CHARS ? null : text;
  } catch {
    return null;
  }
}

function compile(schema: JsonObject): ValidateFunction | null {
  try {
    const ajv = new Ajv({
      strict: false,
      validateFormats: false,
      validateSchema: false,
      meta: false,
      logger: false,
    });
    return ajv.compile(tamed(schema, 0) as JsonObject);
  } catch {
    return null;
  }
}

function tamed(schema: unknown, depth: number): unknown {
  if (depth > MAX_SCHEMA_DEPTH) return true;
  if (Array.isArray(schema)) return schema.map((item) => tamed(item, depth + 1));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !DROPPED.has(key))
      .map(([key, value]) => {
        if (DATA.has(key)) return [key, value];
        if (!MAPS.has(key) || !isObject(value)) return [key, tamed(value, depth + 1)];
        const members = Object.entries(value).map(([name, member]) => [name, tamed(member, depth + 1)]);
        return [key, Object.fromEntries(members)];
      }),
  );
}
