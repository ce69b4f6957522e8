/**
 * The environment over standard input and output, one JSON request and one JSON answer a line: how
 * `native/tiny-policy` measures a policy against the real tables without a server.
 *
 * {op: 'tasks', query} -> tasks · {op: 'tool', calls: [{task, name, arguments}]} -> observations, the task's session
 * being opened on its first call · {op: 'verify', runs: [{task, transcript}], verifiers} -> results by verifier, sessions closed
 */
import { createInterface } from 'node:readline';
import type { EnvironmentSession, RolloutTranscript, TaskQuery } from '#contracts/environment';
import { workplaceEnvironment } from './environment.js';

type Request =
  | { op: 'tasks'; query: TaskQuery }
  | { op: 'tool'; calls: { task: number; name: string; arguments: Record<string, unknown> }[] }
  | { op: 'verify'; runs: { task: number; transcript: RolloutTranscript }[]; verifiers: string[] };

const environment = workplaceEnvironment();
let tasks: ReturnType<typeof environment.tasks> = [];
const sessions = new Map<number, EnvironmentSession>();

function sessionOf(index: number): EnvironmentSession {
  const task = tasks[index];
  if (!task) throw new RangeError(`no task ${index}`);
  const session = sessions.get(index) ?? environment.open(task);
  sessions.set(index, session);
  return session;
}

function answer(request: Request): unknown {
  switch (request.op) {
    case 'tasks':
      sessions.clear();
      tasks = environment.tasks(request.query);
      return tasks;
    case 'tool':
      return request.calls.map((call) => sessionOf(call.task).callTool(call.name, call.arguments).content);
    case 'verify':
      return request.runs.map((run) => {
        const session = sessionOf(run.task);
        const results = request.verifiers.map((name) => [
          name,
          environment.verifiers[name]?.verify(session, run.transcript),
        ]);
        sessions.delete(run.task);
        return Object.fromEntries(results);
      });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line) as Request))}\n`);
}
