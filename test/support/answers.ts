/** Holds what an app really answers against what its own OpenAPI document says. */
import { Ajv2020 } from 'ajv/dist/2020.js';

interface Operation {
  parameters?: { name: string; in: string; required?: boolean }[];
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>;
}
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

export interface CheckedApi {
  url: string;
  headers: Record<string, string>;
  /** Values of parameters that no list answers with, by name. */
  values: Record<string, string>;
}

const MOST_OF_A_LIST = 3;

/** What a form says against a value; null where nothing. Forms are closed: a member too many is a fault. */
export type FormCheck = (ref: string, value: unknown) => string | null;

export function formCheck(document: ApiDocument): FormCheck {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'api');
  return (ref, value) => {
    const valid = ajv.validate({ $ref: `api${ref}` }, value);
    return valid ? null : `${ref}: ${ajv.errorsText()}`;
  };
}

/** `GET /path` → the forms it can answer with, for every operation. */
export function operationsOf(document: ApiDocument): { name: string; path: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );
}

export const refOf = (operation: Operation, status: number): string | undefined =>
  operation.responses[String(status)]?.content?.['application/json']?.schema.$ref;

/**
 * Asks every GET route that answers with JSON, each path parameter filled with what its list holds, and checks the answers.
 * @returns the routes asked, and what was wrong with their answers.
 */
export async function checkAnswers(api: CheckedApi): Promise<{ asked: string[]; faults: string[] }> {
  const document = await read<ApiDocument>(api, '/openapi.json');
  const check = formCheck(document);
  const asked: string[] = [];
  const faults: string[] = [];
  for (const { name, path, operation } of operationsOf(document)) {
    if (!name.startsWith('GET ') || refOf(operation, 200) === undefined) continue;
    for (const place of await placesOf(api, path, operation)) {
      const response = await fetch(`${api.url}${place}`, { headers: api.headers });
      const ref = refOf(operation, response.status);
      const fault = ref === undefined ? `answered ${response.status}` : check(ref, await response.json());
      if (fault !== null) faults.push(`${place}: ${fault}`);
      if (!asked.includes(name)) asked.push(name);
    }
  }
  return { asked, faults };
}

async function read<T>(api: CheckedApi, place: string): Promise<T> {
  return (await (await fetch(`${api.url}${place}`, { headers: api.headers })).json()) as T;
}

/** Real addresses of a route: one, or one for each of the first items of the list above it. */
async function placesOf(api: CheckedApi, path: string, operation: Operation): Promise<string[]> {
  const needed = (operation.parameters ?? []).filter((one) => one.in === 'query' && one.required === true);
  const query = new URLSearchParams(
    needed.map(({ name }): [string, string] => [name, api.values[name] ?? '']),
  );
  const suffix = needed.length > 0 ? `?${query}` : '';
  const [list, parameter] = /^(.*)\/\{(\w+)\}/.exec(path)?.slice(1) ?? [];
  if (list === undefined || parameter === undefined) return [path + suffix];
  const given = api.values[parameter];
  const ids = given === undefined ? await idsOf(api, list) : [given];
  return ids.map((id) => path.replace(`{${parameter}}`, encodeURIComponent(id)) + suffix);
}

async function idsOf(api: CheckedApi, list: string): Promise<string[]> {
  const { items, data } = await read<{ items?: { id: string }[]; data?: { id: string }[] }>(api, list);
  return (items ?? data ?? []).slice(0, MOST_OF_A_LIST).map(({ id }) => id);
}
