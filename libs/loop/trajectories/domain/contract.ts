/** The parts of the canonical trajectory that the domain builds, by name. */
import type { z } from 'zod';
import type { StepToolCall as StepToolCallSchema, Usage as UsageSchema } from '#contracts/trajectory';

export type { Outcome, Step, Trajectory } from '#contracts/trajectory';
export type StepToolCall = z.infer<typeof StepToolCallSchema>;
export type Usage = z.infer<typeof UsageSchema>;
