/**
 * What our exports say of a trajectory beside its messages, in one member of its own that other readers pass over; the
 * import of such a file takes it back.
 */
import { z } from 'zod';
import { Outcome, Usage, type Trajectory } from '#contracts/trajectory';
import { isObject, without } from '../domain/json.js';
import type { RowTrajectory } from './format.js';

export const EXPORT_MEMBER = 'ratchet';

const ExportMember = z.object({
  externalId: z.string(),
  agent: z.string(),
  source: z.string(),
  sessionId: z.string().nullable(),
  outcome: Outcome,
  reward: z.number().nullable(),
  usage: Usage,
  costUsd: z.number().nullable(),
  metadata: z.record(z.string(), z.unknown()),
});
export type ExportMember = z.infer<typeof ExportMember>;

/** Subset counts that nobody counted are absent, as an import leaves them. */
export function exportMemberOf(trajectory: Trajectory): ExportMember {
  const { externalId, agent, source, sessionId, outcome, reward, usage, costUsd, metadata } = trajectory;
  return {
    externalId,
    agent,
    source,
    sessionId,
    outcome,
    reward,
    usage: countedOnly(usage),
    costUsd,
    // Where the row stood in the file it came from, which is not this one.
    metadata: without(metadata, 'line'),
  };
}

/** Only what an import may set; nothing where the row has no such member, or a foreign one. */
export function readExportMember(row: unknown): Partial<RowTrajectory> {
  const parsed = ExportMember.safeParse(isObject(row) ? row[EXPORT_MEMBER] : undefined);
  return parsed.success ? { ...without(parsed.data, 'source'), usage: countedOnly(parsed.data.usage) } : {};
}

function countedOnly({ inputTokens, outputTokens, cacheReadTokens, reasoningTokens }: Usage): Usage {
  return {
    inputTokens,
    outputTokens,
    ...(typeof cacheReadTokens === 'number' ? { cacheReadTokens } : {}),
    ...(typeof reasoningTokens === 'number' ? { reasoningTokens } : {}),
  };
}
type Usage = z.infer<typeof Usage>;
