import { z } from 'zod';
import { isObject } from '../domain/json.js';
import { EXPORT_MEMBER } from './export-member.js';

const Result = z.object({
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
  error: z.string().optional(),
});

const Extra = z.object({
  /** The step said nothing, which ATIF can only write as an empty message. */
  contentIsNull: z.boolean().optional(),
  /** Results whose calls are in no step before them. */
  resultsOnly: z.boolean().optional(),
  agent: z.string().optional(),
  error: z.string().optional(),
  /** The calls' own texts, where they are not what the objects give when written as JSON. */
  arguments: z.array(z.string().nullable()).optional(),
  /** What ATIF cannot say of a result, by its place. */
  results: z.array(Result).optional(),
});
export type AtifStepExtra = z.infer<typeof Extra>;

/** What our ATIF steps keep in `extra`, beside what the format has a place for. */
export const AtifStepExtra = {
  of: (extra: unknown): AtifStepExtra => {
    const parsed = Extra.safeParse(isObject(extra) ? extra[EXPORT_MEMBER] : undefined);
    return parsed.success ? parsed.data : {};
  },
};
