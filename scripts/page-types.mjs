/** The page's TypeScript types, made of the OpenAPI document alone. */
import openapiTypescript, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';

const HEADER = '/** Generated from openapi.json: npm run docs:openapi */\n';

/** @param document text of an OpenAPI document. */
export async function pageTypesOf(document) {
  const types = astToString(await openapiTypescript(document, { alphabetize: true }));
  const options = await resolveConfig(new URL('../package.json', import.meta.url));
  return format(HEADER + types, { ...options, parser: 'typescript' });
}
