/**
 * `npm start`: installs what is missing, builds what is stale, then runs Ratchet in the foreground.
 * Plain JavaScript without dependencies, because it runs before anything is installed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

const say = (text) => process.stderr.write(`ratchet: ${text}\n`);
const stop = (text) => {
  say(text);
  process.exit(1);
};

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  stop(`Node ${process.versions.node} is too old: 20.19 or newer is needed.`);
}

function step(text, command, args) {
  const started = process.hrtime.bigint();
  say(`${text} …`);
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const run = spawnSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env, encoding: 'utf8' });
  if (run.status !== 0) stop(`${text} failed:\n${run.stdout ?? ''}${run.stderr ?? run.error?.message ?? ''}`);
  say(`${text}: done in ${Number((process.hrtime.bigint() - started) / 100_000_000n) / 10} s`);
}

function installIfNeeded() {
  const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
  const stamp = join('node_modules', '.ratchet-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  step('installing packages (about 1.2 GB on disk, once)', 'npm', ['ci', '--no-audit', '--no-fund']);
  writeFileSync(stamp, lock);
}

function newestMs(path) {
  const info = statSync(path);
  if (!info.isDirectory()) return info.mtimeMs;
  const entries = readdirSync(path).filter((name) => name !== 'node_modules' && name !== 'dist');
  return entries.reduce((newest, name) => Math.max(newest, newestMs(join(path, name))), info.mtimeMs);
}

function buildIfNeeded() {
  const stamp = join('dist', '.built');
  const sources = ['apps', 'libs', 'examples', 'migrations', 'bench', 'package-lock.json', '.swcrc'];
  const newest = Math.max(...sources.filter((path) => existsSync(path)).map(newestMs));
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= newest) return;
  step('building', 'npm', ['run', '--silent', 'build']);
  mkdirSync('dist', { recursive: true });
  writeFileSync(stamp, '');
}

checkNode();
installIfNeeded();
buildIfNeeded();
if (process.argv.includes('--prepare-only')) process.exit(0);

const app = spawn(
  process.execPath,
  ['--enable-source-maps', 'dist/apps/ratchet/main.js', ...process.argv.slice(2)],
  {
    stdio: 'inherit',
  },
);
// Ctrl-C reaches the app through the terminal; other signals are passed on. Either way this process ends with the app.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => app.kill(signal));
process.on('SIGINT', () => undefined);
// npm ends without telling its script when it is ended by a signal of its own: the app must not outlive it.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) app.kill('SIGTERM');
}, 500).unref();
app.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
