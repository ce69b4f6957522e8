/** What the page reads of the HTTP API. It talks to nothing else. */
export interface Stats {
  spans: number;
  trajectories: number;
  failures: number;
  buckets: number;
  evalCases: number;
  trainingRuns: number;
  adapters: number;
}
export interface Bucket {
  id: string;
  name: string;
  category: string;
  detail: string | null;
  status: string;
  severity: string;
  failures: number;
  lastSeenAt: string;
}
export interface CycleStage {
  name: string;
  state: 'pending' | 'running' | 'done' | 'skipped' | 'failed';
  progress: number | null;
  summary: string | null;
  evidence: unknown;
}
export interface GateCheck {
  id: string;
  group: string;
  against: string;
  status: string;
  baseline: number | null;
  candidate: number | null;
  difference: number | null;
  lower: number | null;
  upper: number | null;
  explanation: string;
}
export interface Cycle {
  id: string;
  agent: string;
  recipe: string;
  state: string;
  verdict: string | null;
  reason: string | null;
  stages: CycleStage[];
  trainingRunId: string | null;
  gateReportId: string | null;
  createdAt: string;
}
export interface GateReport {
  id: string;
  report: {
    verdict: string;
    checks: GateCheck[];
    blockedBy: string[];
    notes: string[];
    deviations: { path: string; default: unknown; used: unknown }[];
  };
}
export interface Route {
  agent: string;
  policy: string;
  candidateId: string;
}
export interface TrainerEvent {
  type: string;
  step?: number;
  steps?: number;
  reward?: number;
  success?: number;
  unsafe?: number;
  invalid?: number;
}
export interface OutcomePoint {
  startMs: number;
  policy: string | null;
  success: number;
  failure: number;
  unknown: number;
}
export interface Project {
  projectId: string;
  trajectories: number;
  agents: string[];
}
export interface PythonProgress {
  state: string;
  message: string;
}
interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

const KEY = 'ratchet-key';

/** @throws Error with the problem's own text. */
async function get<T>(path: string, project: string): Promise<T> {
  const key = window.localStorage.getItem(KEY);
  const response = await fetch(path, {
    headers: { 'x-ratchet-project': project, ...(key ? { authorization: `Bearer ${key}` } : {}) },
  });
  if (response.status === 401 && key === null) {
    const given = window.prompt('This Ratchet asks for its API key:');
    if (given) {
      window.localStorage.setItem(KEY, given);
      return get<T>(path, project);
    }
  }
  const body: unknown = await response.json();
  if (!response.ok) throw new Error((body as { detail?: string }).detail ?? `${path}: ${response.status}`);
  return body as T;
}

export interface Snapshot {
  projects: Project[];
  stats: Stats;
  buckets: Bucket[];
  cycles: Cycle[];
  routes: Route[];
  events: TrainerEvent[];
  gate: GateReport | null;
  outcomes: OutcomePoint[];
  python: PythonProgress;
}

/** Everything the page shows, read at one time. */
export async function readSnapshot(project: string): Promise<Snapshot> {
  const [projects, stats, buckets, cycles, routes, python] = await Promise.all([
    get<Page<Project>>('/api/v1/projects', project),
    get<Stats>('/api/v1/stats', project),
    get<Page<Bucket>>('/api/v1/buckets?limit=100', project),
    get<Page<Cycle>>('/api/v1/cycles?limit=20', project),
    get<Page<Route>>('/api/v1/deployments', project),
    get<PythonProgress>('/api/v1/training-environment', project),
  ]);
  const newest = cycles.items[0];
  const judged = cycles.items.find((cycle) => cycle.gateReportId !== null);
  const agent = routes.items[0]?.agent ?? projects.items.find((one) => one.projectId === project)?.agents[0];
  const [events, gate, outcomes] = await Promise.all([
    newest?.trainingRunId
      ? get<Page<TrainerEvent>>(`/api/v1/training-runs/${newest.trainingRunId}/events?limit=2000`, project)
      : null,
    judged?.gateReportId ? get<GateReport>(`/api/v1/gate-reports/${judged.gateReportId}`, project) : null,
    agent ? get<Page<OutcomePoint>>(`/api/v1/outcomes?agent=${encodeURIComponent(agent)}`, project) : null,
  ]);
  return {
    projects: projects.items,
    stats,
    buckets: buckets.items,
    cycles: cycles.items,
    routes: routes.items,
    events: events?.items ?? [],
    gate,
    outcomes: outcomes?.items ?? [],
    python,
  };
}
