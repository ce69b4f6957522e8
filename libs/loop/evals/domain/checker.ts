/** Checkers of frozen next-action cases: what the one model turn after the prefix must, or must not, be. */
import { z } from 'zod';
import { ExpectedCall } from '#contracts/environment';

export const NextActionChecker = z.discriminatedUnion('type', [
  /** The turn calls this tool with these arguments (equal JSON) and no other. */
  z.object({ type: z.literal('expected_call'), call: ExpectedCall }),
  /** Every call of the turn fits the tools offered, and there is a call or something said. */
  z.object({ type: z.literal('schema') }),
  /** The turn does something, but not this. Without arguments: not this tool at all. */
  z.object({
    type: z.literal('forbidden'),
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).optional(),
  }),
]);
export type NextActionChecker = z.infer<typeof NextActionChecker>;
