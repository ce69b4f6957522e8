import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = dirname(import.meta.dirname);
const FOLDERS = ['apps', 'libs', 'examples', 'bench', 'migrations', 'test', 'scripts'];
const FEWEST_MODULES = 250;

interface Cruise {
  summary: { totalCruised: number; violations: { from: string; rule: { name: string } }[] };
}

async function cruise(cwd: string, folders: string[]): Promise<Cruise> {
  const tool = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');
  const args = [tool, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...folders];
  const { stdout } = await run(process.execPath, args, { cwd, maxBuffer: 256 * 1024 * 1024 });
  return JSON.parse(stdout) as Cruise;
}

describe('the import rules', () => {
  it('hold in the repository, and the graph is not silently empty', async () => {
    const { summary } = await cruise(root, FOLDERS);
    expect(summary.violations).toEqual([]);
    expect(summary.totalCruised).toBeGreaterThan(FEWEST_MODULES);
  });

  /** Rule → the folder of a file that breaks it, and what it breaks it with. */
  const PLANTED: [rule: string, folder: string, text: string][] = [
    ['r1-kernel-and-contracts-are-the-floor', 'libs/kernel', "import '#platform/web';"],
    ['r1-kernel-below-contracts', 'libs/kernel', "import '#contracts/chat';"],
    ['r1-platform-below-loop', 'libs/platform/web', "import '#loop/gates';"],
    ['r1-loop-below-apps', 'libs/loop/gates', "import '../../../apps/api/a.js';"],
    ['r1-examples-see-contracts-and-kernel-only', 'examples/workplace', "import '#platform/web';"],
    ['r2-front-door', 'libs/loop/serving', "import '../gates/inner.js';"],
    ['r2-front-door-from-outside', 'apps/api', "import '../../libs/loop/gates/inner.js';"],
    ['r2-platform-front-door', 'libs/loop/gates', "import '../../platform/web/inner.js';"],
    ['r2-platform-folders-by-door', 'libs/platform/stream', "import '../web/inner.js';"],
    ['r3-flow-order-gates', 'libs/loop/gates', "import '#loop/serving';"],
    ['r4-pure-core-no-frameworks', 'libs/loop/gates/domain', "import '@nestjs/common';"],
    ['r4-pure-core-no-io', 'libs/loop/gates/domain', "import 'node:fs';"],
    ['r4-pure-core-no-platform', 'libs/loop/gates/domain', "import '#platform/web';"],
    ['r5-driver-pg', 'libs/loop/gates', "import 'pg';"],
    ['r5-driver-onnxruntime-node', 'apps/api', "import 'onnxruntime-node';"],
    ['r6-apps-are-leaves', 'apps/api', "import '../gateway/a.js';"],
    ['r6-ratchet-imports-root-modules-only', 'apps/ratchet', "import '../gateway/a.js';"],
    ['r7-no-cycles', 'libs/kernel', "import './ring.js';"],
    ['r7-nothing-imports-tests', 'libs/kernel', "import './a.spec.js';"],
    ['r7-resolvable', 'libs/kernel', "import './nowhere.js';"],
  ];

  /** What the planted imports point to. */
  const AROUND = [
    'libs/kernel/a.spec.ts',
    'libs/contracts/chat.ts',
    'libs/platform/web/index.ts',
    'libs/platform/web/inner.ts',
    'libs/loop/gates/index.ts',
    'libs/loop/gates/inner.ts',
    'libs/loop/serving/index.ts',
    'apps/api/a.ts',
    'apps/gateway/a.ts',
  ];

  const fileOf = (rule: string, folder: string): string => `${folder}/breaks-${rule}.ts`;

  /** All of them at once, each a file of its own: what is red is told by rule and file. */
  async function broken(dir: string): Promise<string[]> {
    const put = async (path: string, content: string): Promise<void> => {
      await mkdir(join(dir, dirname(path)), { recursive: true });
      await writeFile(join(dir, path), content);
    };
    for (const name of ['package.json', 'tsconfig.json', '.dependency-cruiser.mjs'])
      await cp(join(root, name), join(dir, name));
    await symlink(join(root, 'node_modules'), join(dir, 'node_modules'));
    for (const path of AROUND) await put(path, 'export const here = 1;\n');
    await put('libs/kernel/ring.ts', "import './breaks-r7-no-cycles.js';\nexport const two = 2;\n");
    for (const [rule, folder, text] of PLANTED)
      await put(fileOf(rule, folder), `${text}\nexport const bad = 1;\n`);
    const { summary } = await cruise(dir, ['apps', 'libs', 'examples']);
    return summary.violations.map(({ from, rule }) => `${rule.name} ${from}`);
  }

  describe('are red when broken', () => {
    let violations: string[] = [];

    beforeAll(async () => {
      const dir = await mkdtemp(join(tmpdir(), 'ratchet-rules-'));
      try {
        violations = await broken(dir);
      } finally {
        await rm(dir, { recursive: true, force: true });
      }
    });

    it.each(PLANTED)('%s', (rule, folder) => {
      expect(violations).toContain(`${rule} ${fileOf(rule, folder)}`);
    });
  });
});
