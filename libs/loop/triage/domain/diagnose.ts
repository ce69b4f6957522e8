/** A trajectory → its failures: all rules, each by itself, then one root cause where the run failed. Pure and repeatable. */
import type { z } from 'zod';
import type { Failure as FailureSchema } from '#contracts/failure';
import type { Trajectory } from '#contracts/trajectory';
import { contentHash } from '#kernel/ids';
import { clusterIdOf } from './cluster.js';
import type { Finding, Rule } from './finding.js';
import { compareCauses, isExplained, isFailed } from './root-cause.js';
import { RULES } from './rules/index.js';
import { viewOf, type RunView } from './run-view.js';
import { clip } from './text.js';
import { effectOf, policyFor, type ToolPolicy } from './tool-policy.js';

/** A failure before its bucket is looked up, with the tool it concerns. */
export type Diagnosis = Omit<z.infer<typeof FailureSchema>, 'bucketId'> & { tool: string | null };

export interface DiagnosisResult {
  failures: Diagnosis[];
  /** Rules that broke on this trajectory: the others' findings stand. */
  brokenRules: { rule: string; reason: string }[];
}

/** More findings of one rule in one run say nothing new. */
const FINDINGS_A_RULE = 50;
const UNEXPLAINED = { name: 'rule.unexplained', version: '1' };

/** Changes whenever a rule does: trajectories triaged by another version may be triaged again. */
export const RULES_VERSION = contentHash(
  [...RULES, UNEXPLAINED].map(({ name, version }) => [name, version]),
  12,
);

export function diagnose(
  trajectory: Trajectory,
  declared: Partial<ToolPolicy> = {},
  rules = RULES,
): DiagnosisResult {
  const run = viewOf(trajectory);
  const policy = policyFor(trajectory.tools, declared);
  const brokenRules: DiagnosisResult['brokenRules'] = [];
  const found = rules.flatMap((rule) => {
    const findings = inspect(rule, { run, policy, brokenRules });
    return findings.map((finding) => ({ finding, detector: { name: rule.name, version: rule.version } }));
  });
  const findings = found.map(({ finding }) => finding);
  const failed = isFailed(run.outcome, findings);
  if (failed && !isExplained(findings))
    found.push({ finding: unexplained(run, policy), detector: UNEXPLAINED });
  found.sort((a, b) => compareCauses(a.finding, b.finding) || (a.detector.name < b.detector.name ? -1 : 1));
  const failures = found.map(({ finding, detector }, rank) =>
    failureOf(trajectory, { finding, detector, rootCause: failed && rank === 0 }),
  );
  return { failures: onceEach(failures), brokenRules };
}

interface Inspection {
  run: RunView;
  policy: ToolPolicy;
  brokenRules: DiagnosisResult['brokenRules'];
}

/** One rule that breaks on a run that nobody thought of must not hide what the others see. */
function inspect(rule: Rule, { run, policy, brokenRules }: Inspection): Finding[] {
  try {
    return rule.inspect(run, policy).slice(0, FINDINGS_A_RULE);
  } catch (error) {
    brokenRules.push({ rule: rule.name, reason: clip(String(error), 200) });
    return [];
  }
}

/** Two calls of one step may show one fault twice: the first, most causal, stands. */
function onceEach(failures: readonly Diagnosis[]): Diagnosis[] {
  return [...new Map([...failures].reverse().map((failure) => [failure.id, failure])).values()].reverse();
}

/** A failure that no rule explains still has a place: the last act, or the answer where nothing was done. */
function unexplained(run: RunView, policy: ToolPolicy): Finding {
  const act = run.calls.findLast((call) => effectOf(policy, call.name) !== 'read');
  const guess = { detail: 'unexplained', severity: 'medium', confidence: 0.2, cause: 'unexplained' } as const;
  if (act !== undefined) {
    const evidence = `the run failed and no rule says why; its last act was ${clip(act.name, 60)}`;
    return { ...guess, category: 'wrong_tool', step: act.step, evidence, tool: act.name };
  }
  const last = run.steps.at(-1);
  const step = run.final?.step ?? { id: last?.stepId ?? run.trajectoryId, index: last?.index ?? 0 };
  return {
    ...guess,
    category: 'wrong_answer',
    step,
    evidence: 'the run failed and no rule says why; it changed nothing',
  };
}

interface Found {
  finding: Finding;
  detector: { name: string; version: string };
  rootCause: boolean;
}

function failureOf(trajectory: Trajectory, { finding, detector, rootCause }: Found): Diagnosis {
  const { category, detail, step } = finding;
  const tool = finding.tool === undefined ? null : clip(finding.tool, 100);
  const { agent } = trajectory;
  return {
    id: contentHash([trajectory.id, step.id, category, detector.name], 24),
    projectId: trajectory.projectId,
    trajectoryId: trajectory.id,
    agent,
    category,
    ...(detail === undefined ? {} : { detail }),
    stepId: step.id,
    stepIndex: step.index,
    severity: finding.severity,
    confidence: finding.confidence,
    detector,
    evidence: clip(finding.evidence, 240),
    rootCause,
    clusterId: clusterIdOf({ agent, category, detail: detail ?? null, tool }),
    observedAtNs: trajectory.endedAtNs,
    tool,
  };
}
