import type { z } from 'zod';

/** A query as a declared value: what goes in, what comes out, and the SQL between (`{name:Type}` placeholders). */
export interface QueryDefinition<P extends z.ZodType<Record<string, unknown>>, R extends z.ZodType> {
  /** `<stage>.<what>`: shown in logs and in the server's query log. */
  readonly name: string;
  readonly params: P;
  readonly row: R;
  readonly sql: string;
}

export function defineQuery<P extends z.ZodType<Record<string, unknown>>, R extends z.ZodType>(
  definition: QueryDefinition<P, R>,
): QueryDefinition<P, R> {
  return definition;
}
