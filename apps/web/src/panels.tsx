import type {
  Baseline as BaselineRates,
  Bucket,
  Cycle,
  CycleStage,
  GateReport,
  OutcomePoint,
  Snapshot,
  TrainerEvent,
} from './api.ts';
import { LineChart, type Series } from './chart.tsx';

const time = (ms: number): string => new Date(ms).toISOString().slice(11, 16) + ' UTC';
const figure = (value: number | null): string => (value === null ? '–' : value.toFixed(3));

/** A content name is long; its beginning and end tell versions apart. */
function shortName(policy: string | undefined): string {
  if (policy === undefined) return '–';
  return policy.length > 24 ? `${policy.slice(0, 16)}…${policy.slice(-6)}` : policy;
}

/** The circle: how much there is at each stage, and where the turn is now. */
export function Circle({ snapshot }: { snapshot: Snapshot }) {
  const { stats, routes, cycles } = snapshot;
  const running = cycles
    .find((cycle) => cycle.state === 'running')
    ?.stages.find((stage) => stage.state === 'running');
  const nodes: [string, string | number, string[]][] = [
    ['Trajectories', stats.trajectories, []],
    ['Failures', stats.failures, []],
    ['Buckets', stats.buckets, ['buckets']],
    ['Eval cases', stats.evalCases, ['suites', 'baseline', 'plan']],
    ['Training runs', stats.trainingRuns, ['python', 'training']],
    ['Adapters', stats.adapters, ['admission', 'evidence', 'gate']],
    ['Serving', shortName(routes[0]?.policy), ['promotion']],
  ];
  return (
    <ol className="circle">
      {nodes.map(([name, count, stages]) => (
        <li key={name} className={running && stages.includes(running.name) ? 'now' : ''}>
          <b>{count}</b>
          <span>{name}</span>
        </li>
      ))}
    </ol>
  );
}

function policySeries(points: OutcomePoint[]): Series[] {
  const colors = ['#8a8f98', '#2f7d4f', '#2b62b8', '#a34fb0'];
  const policies = [...new Set(points.map((point) => point.policy ?? 'unknown policy'))];
  return policies.map((policy, index) => ({
    name: policy,
    color: colors[index % colors.length] ?? '#333',
    points: points
      .filter((point) => (point.policy ?? 'unknown policy') === policy && point.success + point.failure > 0)
      .map((point) => ({ x: point.startMs, y: point.success / (point.success + point.failure) })),
  }));
}

export function Outcomes({ points }: { points: OutcomePoint[] }) {
  const known = points.reduce((sum, point) => sum + point.success + point.failure, 0);
  const unknown = points.reduce((sum, point) => sum + point.unknown, 0);
  return (
    <section>
      <h2>Success of live trajectories, by who served</h2>
      <LineChart series={policySeries(points)} xLabel={time} />
      <p className="quiet">
        {known} with a known outcome, {unknown} unknown.
      </p>
    </section>
  );
}

export function Buckets({ buckets }: { buckets: Bucket[] }) {
  return (
    <section>
      <h2>Failure buckets</h2>
      {buckets.length === 0 && <p className="quiet">No failure yet.</p>}
      <table>
        <tbody>
          {buckets.map((bucket) => (
            <tr key={bucket.id}>
              <td className={`severity ${bucket.severity}`}>{bucket.severity}</td>
              <td>{bucket.name}</td>
              <td className="number">{bucket.failures}</td>
              <td>{bucket.status}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function StageRow({ stage }: { stage: CycleStage }) {
  return (
    <tr className={stage.state}>
      <td>{stage.name}</td>
      <td>
        {stage.state}
        {stage.state === 'running' && stage.progress !== null && <progress value={stage.progress} max={1} />}
      </td>
      <td>{stage.summary}</td>
    </tr>
  );
}

export function CyclePanel({ cycle }: { cycle: Cycle }) {
  return (
    <section>
      <h2>
        Cycle with recipe “{cycle.recipe}”:{' '}
        <em className={cycle.verdict ?? ''}>{cycle.verdict ?? cycle.state}</em>
      </h2>
      {cycle.reason && <p>{cycle.reason}</p>}
      <table>
        <tbody>
          {cycle.stages.map((stage) => (
            <StageRow key={stage.name} stage={stage} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The API leaves open what a stage found: these are what the page looks for in it. */
interface BaselineEvidence {
  rates?: Pick<BaselineRates, 'rates'> | null;
}
interface PlanEvidence {
  fix?: { rule: number; fix: string; because: string; notApplicable: { test: string; reason: string }[] };
}

const percent = (share: number | null): string => (share === null ? '–' : `${(100 * share).toFixed(0)} %`);

/** The five rates the field starts from, and why the plan is what it is. */
export function Baseline({ cycle }: { cycle: Cycle }) {
  const evidence = (name: string): unknown =>
    cycle.stages.find((stage) => stage.name === name)?.evidence ?? null;
  const rates = (evidence('baseline') as BaselineEvidence | null)?.rates?.rates;
  const fix = (evidence('plan') as PlanEvidence | null)?.fix;
  if (!rates) return null;
  return (
    <section>
      <h2>Baseline</h2>
      <table>
        <tbody>
          {Object.entries(rates).map(([name, rate]) => (
            <tr key={name}>
              <td>{name.replaceAll('_', ' ')}</td>
              <td className="number">{rate.value ? percent(rate.value.estimate) : '–'}</td>
              <td className="number">
                {rate.value
                  ? `95 % interval ${percent(rate.value.lower)} to ${percent(rate.value.upper)}`
                  : ''}
              </td>
              <td>{rate.runs} runs</td>
            </tr>
          ))}
        </tbody>
      </table>
      {fix && (
        <>
          <p>
            Lightest fix that works: {fix.fix} (rule {fix.rule}: {fix.because}).
          </p>
          <ul className="quiet">
            {fix.notApplicable.map((one) => (
              <li key={one.test}>
                {one.test} does not apply: {one.reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

type Validation = Extract<TrainerEvent, { type: 'validation' }>;

function validationCurve(events: TrainerEvent[], figureOf: (event: Validation) => number) {
  const measured = events.filter((event) => event.type === 'validation');
  return measured.map((event) => ({ x: event.step, y: figureOf(event) }));
}

export function Curves({ events }: { events: TrainerEvent[] }) {
  const steps = events.filter((event) => event.type === 'step');
  const validation = (figureOf: (event: Validation) => number) => validationCurve(events, figureOf);
  const series: Series[] = [
    {
      name: 'training reward',
      color: '#8a8f98',
      points: steps.map((event) => ({ x: event.step, y: event.reward })),
    },
    { name: 'validation success', color: '#2f7d4f', points: validation((event) => event.success) },
    { name: 'validation unsafe', color: '#b83232', points: validation((event) => event.unsafe) },
    { name: 'validation invalid', color: '#c98a1b', points: validation((event) => event.invalid) },
  ];
  return (
    <section>
      <h2>Training run</h2>
      <LineChart series={series} xLabel={(step) => `step ${step}`} />
    </section>
  );
}

export function Gate({ gate }: { gate: GateReport }) {
  const { report } = gate;
  const shown = report.checks.filter((check) => check.status !== 'skipped');
  return (
    <section>
      <h2>
        Gate report:{' '}
        <em className={report.verdict === 'promote' ? 'promoted' : 'blocked'}>{report.verdict}</em>
      </h2>
      <table>
        <thead>
          <tr>
            <th>check</th>
            <th>result</th>
            <th>baseline</th>
            <th>candidate</th>
            <th>interval of the difference</th>
            <th>what it says</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((check) => (
            <tr key={`${check.id}/${check.against}`} className={check.status}>
              <td>{check.id}</td>
              <td>{check.status}</td>
              <td className="number">{figure(check.baseline)}</td>
              <td className="number">{figure(check.candidate)}</td>
              <td className="number">
                {figure(check.lower)} … {figure(check.upper)}
              </td>
              <td>{check.explanation}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {report.notes.map((note) => (
        <p key={note} className="quiet">
          {note}
        </p>
      ))}
      <details>
        <summary>{report.deviations.length} deviations from the default gate policy</summary>
        <ul>
          {report.deviations.map((one) => (
            <li key={one.path}>
              {one.path}: {JSON.stringify(one.used)} (default {JSON.stringify(one.default)})
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
