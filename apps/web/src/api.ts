/** What the page reads of the HTTP API, by the types that openapi.json gives. It talks to nothing else. */
import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from './api-types.ts';

type Schemas = components['schemas'];
export type Baseline = Schemas['Baseline'];
export type Bucket = Schemas['Bucket'];
export type Cycle = Schemas['Cycle'];
export type CycleStage = Schemas['CycleStage'];
export type GateReport = Schemas['StoredGateReport'];
export type OutcomePoint = Schemas['OutcomePoint'];
export type TrainerEvent = Schemas['TrainerEvent'];

const KEY = 'ratchet-key';
const PAGE = { buckets: 100, cycles: 20, events: 2000 } as const;

const withKey = (request: Request, key: string): Request => {
  request.headers.set('authorization', `Bearer ${key}`);
  return request;
};

/** Sends the key that a person gave once, and asks for it where the app wants one. */
const authentication: Middleware = {
  onRequest({ request }) {
    const key = window.localStorage.getItem(KEY);
    return key === null ? request : withKey(request, key);
  },
  async onResponse({ request, response }) {
    if (response.status !== 401 || window.localStorage.getItem(KEY) !== null) return response;
    const given = window.prompt('This Ratchet asks for its API key:');
    if (!given) return response;
    window.localStorage.setItem(KEY, given);
    return fetch(withKey(new Request(request), given));
  },
};

const client = createClient<paths>({ baseUrl: window.location.origin });
client.use(authentication);

/** @throws Error with the problem's own text. */
async function answerOf<T>(
  asked: Promise<{ data?: T; error?: Schemas['Problem']; response: Response }>,
): Promise<T> {
  const { data, error, response } = await asked;
  if (data !== undefined) return data;
  throw new Error(error?.detail ?? `${response.url}: ${response.status}`);
}

export interface Snapshot {
  projects: Schemas['Project'][];
  stats: Schemas['Stats'];
  buckets: Bucket[];
  cycles: Cycle[];
  routes: Schemas['Route'][];
  events: TrainerEvent[];
  gate: GateReport | null;
  outcomes: OutcomePoint[];
  python: Schemas['TrainingEnvironment'];
}

/** Everything the page shows, read at one time. */
export async function readSnapshot(project: string): Promise<Snapshot> {
  const headers = { 'x-ratchet-project': project };
  const [projects, stats, buckets, cycles, routes, python] = await Promise.all([
    answerOf(client.GET('/api/v1/projects', { headers })),
    answerOf(client.GET('/api/v1/stats', { headers })),
    answerOf(client.GET('/api/v1/buckets', { headers, params: { query: { limit: PAGE.buckets } } })),
    answerOf(client.GET('/api/v1/cycles', { headers, params: { query: { limit: PAGE.cycles } } })),
    answerOf(client.GET('/api/v1/deployments', { headers })),
    answerOf(client.GET('/api/v1/training-environment', { headers })),
  ]);
  const runId = cycles.items[0]?.trainingRunId;
  const reportId = cycles.items.find((cycle) => cycle.gateReportId !== null)?.gateReportId;
  const agent = routes.items[0]?.agent ?? projects.items.find((one) => one.projectId === project)?.agents[0];
  const [events, gate, outcomes] = await Promise.all([
    runId
      ? answerOf(
          client.GET('/api/v1/training-runs/{id}/events', {
            headers,
            params: { path: { id: runId }, query: { limit: PAGE.events } },
          }),
        )
      : null,
    reportId
      ? answerOf(client.GET('/api/v1/gate-reports/{id}', { headers, params: { path: { id: reportId } } }))
      : null,
    agent ? answerOf(client.GET('/api/v1/outcomes', { headers, params: { query: { agent } } })) : null,
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
