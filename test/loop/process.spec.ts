import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isAlive, listChildRecords } from '#platform/process';
import { eventually } from '../support/eventually.js';
import { cli, runToEnd, startProcess } from '../support/ratchet.js';
import { removeTempDirs, tempDir } from '../support/temp-dir.js';

afterAll(removeTempDirs);

const QUIET = { RATCHET_DEMO: 'off', RATCHET_TRAIN: 'off' };
const hex = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

/** One run of an agent: an entry span and a tool span. */
function exportOf(run: number): string {
  const traceId = hex(`trace-${run}`, 32);
  const entry = hex(`entry-${run}`, 16);
  const startNs = BigInt(1_800_000_000_000 + run) * 1_000_000n;
  const times = { startTimeUnixNano: String(startNs), endTimeUnixNano: String(startNs + 1_000_000n) };
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const spans = [
    {
      traceId,
      spanId: entry,
      name: 'invoke_agent a',
      ...times,
      attributes: [text('gen_ai.operation.name', 'invoke_agent'), text('gen_ai.agent.name', 'a')],
    },
    {
      traceId,
      spanId: hex(`tool-${run}`, 16),
      parentSpanId: entry,
      name: 'execute_tool t',
      ...times,
      attributes: [text('gen_ai.operation.name', 'execute_tool'), text('gen_ai.tool.name', 't')],
    },
  ];
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'test' }, spans }] }],
  });
}

async function post(url: string, run: number): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: exportOf(run),
    });
    return response.ok;
  } catch {
    // The app was killed under this request: it was not acknowledged.
    return false;
  }
}

describe('the app as a process', () => {
  it('loses and doubles no acknowledged span when it is killed under load, and leaves no orphan', async () => {
    const home = tempDir();
    const first = await startProcess({ RATCHET_HOME: home, ...QUIET });
    const children = listChildRecords(home);
    expect(children.length).toBeGreaterThan(0);
    const acknowledged: number[] = [];
    let run = 0;
    let killed = false;
    const client = async (): Promise<void> => {
      while (!killed) {
        const mine = (run += 1);
        if (await post(first.url, mine)) acknowledged.push(mine);
      }
    };
    const clients = [client(), client(), client()];
    await eventually('some spans are acknowledged', () => acknowledged.length > 30, 60_000);
    await first.end('SIGKILL');
    killed = true;
    await Promise.all(clients);
    await eventually(
      'no child outlives the app',
      () => children.every((child) => !isAlive(child.pid, child.startToken)),
      30_000,
    );

    const second = await startProcess({ RATCHET_HOME: home, ...QUIET });
    try {
      const stored = async () => await second.get<{ spans: number; trajectories: number }>('/api/v1/stats');
      const before = await stored();
      expect(before.spans).toBeGreaterThanOrEqual(2 * acknowledged.length);
      expect(before.spans).toBeLessThanOrEqual(2 * run);
      // A client that never saw its answer sends again: nothing is counted twice, and all that was sent is there.
      for (let again = 1; again <= run; again++) expect(await post(second.url, again)).toBe(true);
      expect((await stored()).spans).toBe(2 * run);
      await eventually(
        'every trace is one trajectory',
        async () => (await stored()).trajectories === run,
        120_000,
      );
    } finally {
      await second.end('SIGTERM');
    }
  }, 300_000);

  it('ends every child on Ctrl-C, and says so with exit code 0', async () => {
    const home = tempDir();
    const app = await startProcess({ RATCHET_HOME: home, RATCHET_TRAIN: 'off' });
    const children = await eventually('the demo agent runs', () => {
      const records = listChildRecords(home);
      return records.some((record) => record.name === 'demo-agent') ? records : null;
    });
    expect(await app.end('SIGINT')).toBe(0);
    expect(children.filter((child) => isAlive(child.pid, child.startToken))).toEqual([]);
    expect(listChildRecords(home)).toEqual([]);
  }, 120_000);

  it('says what to do when the port is in use', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    );
    const ended = await runToEnd('apps/ratchet/main.js', [], {
      RATCHET_PORT: String(port),
      RATCHET_HOME: tempDir(),
    });
    server.close();
    expect(ended.code).toBe(1);
    expect(ended.output).toMatch(/Port \d+ .* cannot be used.*RATCHET_PORT/);
  });

  it('says what to do when the data folder cannot be written', async () => {
    const file = join(tempDir(), 'a-file');
    writeFileSync(file, '');
    const ended = await runToEnd('apps/ratchet/main.js', [], {
      RATCHET_PORT: '0',
      RATCHET_HOME: join(file, 'home'),
    });
    expect(ended.code).toBe(1);
    expect(ended.output).toMatch(/cannot be written.*RATCHET_HOME/);
  });

  it('says what to do about a wrong setting', async () => {
    const ended = await runToEnd('apps/ratchet/main.js', [], {
      RATCHET_PORT: 'eighty',
      RATCHET_HOME: tempDir(),
    });
    expect(ended.code).toBe(1);
    expect(ended.output).toMatch(/RATCHET_PORT must be a port/);
  });
});

describe('the command line', () => {
  const nobody = { url: 'http://127.0.0.1:1' };

  it.each([
    ['no command', [], 2],
    ['an unknown command', ['fly'], 2],
    ['an unknown option', ['cycle', '--fly'], 2],
    ['a recipe that is not there', ['cycle', '--recipe', '/no/such/recipe.json'], 2],
    ['an import without a file', ['import'], 2],
    ['no Ratchet at the address', ['buckets'], 1],
  ])('answers %s with what to do', async (_case, args, code) => {
    const ended = await cli(nobody, ...args);
    expect(ended.code).toBe(code);
    expect(ended.output).toMatch(code === 2 ? /Usage|cannot be read/ : /npm start/);
  });

  it('shows its help', async () => {
    const ended = await cli(nobody, '--help');
    expect(ended).toMatchObject({ code: 0, output: expect.stringContaining('cycle') });
  });
});
