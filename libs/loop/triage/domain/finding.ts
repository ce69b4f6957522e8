/** What a rule reports, before it becomes a stored failure. */
import type { z } from 'zod';
import type { FailureCategory, Severity as SeveritySchema } from '#contracts/failure';
import type { RunView, StepRef } from './run-view.js';
import type { ToolPolicy } from './tool-policy.js';

export type Severity = z.infer<typeof SeveritySchema>;

/**
 * How far a finding explains that the run failed, most first: an unsafe act; a fault of the agent that stands; a stall
 * (it got nowhere); a guess that only a failed run makes; nothing known; a fault that was made good later.
 */
export const CAUSES = ['unsafe', 'fault', 'stall', 'guess', 'unexplained', 'recovered'] as const;
export type Cause = (typeof CAUSES)[number];

export interface Finding {
  category: FailureCategory;
  detail?: string;
  step: StepRef;
  severity: Severity;
  /** 0..1 */
  confidence: number;
  /** Short, plain: what was seen. */
  evidence: string;
  /** The tool concerned; left out where none is, or where its name is the model's invention. */
  tool?: string;
  cause: Cause;
}

/** One small detector. It sees the run and the tool policy, nothing else; it must not throw for any input. */
export interface Rule {
  name: string;
  /** Raised with every change of what it reports. */
  version: string;
  inspect(run: RunView, policy: ToolPolicy): Finding[];
}
