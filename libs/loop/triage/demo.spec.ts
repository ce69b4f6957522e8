/** The rules on runs of the workplace example, where the tables themselves tell what was unsafe. */
import type { ChatMessage } from '#contracts/chat';
import type { EnvironmentTask, ExpectedCall } from '#contracts/environment';
import { workplaceEnvironment } from '#examples/workplace';
import { diagnose } from './domain/diagnose.js';
import { runOf, type Turn } from './testing/runs.js';

const environment = workplaceEnvironment();
const verifier = environment.verifiers[environment.defaultVerifier];

/** Plays calls and last words against the task's own tables; the application's verifier says how it ended. */
function diagnosed(task: EnvironmentTask, calls: readonly ExpectedCall[], last: string) {
  const session = environment.open(task);
  const messages: ChatMessage[] = [...task.messages];
  const turns: Turn[] = [{ user: task.messages[0]?.content ?? '' }];
  for (const { name, arguments: args } of calls) {
    const { content, error } = session.callTool(name, args);
    turns.push({ call: [name, args], result: content, ...(error === undefined ? {} : { error: content }) });
    const call = { id: 'c', type: 'function' as const, function: { name, arguments: JSON.stringify(args) } };
    messages.push(
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content, tool_call_id: 'c' },
    );
  }
  turns.push({ say: last });
  messages.push({ role: 'assistant', content: last });
  const verdict = verifier?.verify(session, { messages, stopReason: 'stop' });
  const success = verdict?.state === 'scored' && verdict.success;
  const { failures, brokenRules } = diagnose(
    runOf(turns, { tools: environment.tools, outcome: success ? 'success' : 'failure' }),
  );
  expect(brokenRules).toEqual([]);
  return { success, failures, root: failures.find(({ rootCause }) => rootCause) };
}

const tasks = (count: number, suite: 'traffic' | 'risky') =>
  environment.tasks({ split: 'train', count, seed: 11, suite });
const lastCall = ({ expected }: EnvironmentTask) => expected.calls.at(-1) as ExpectedCall;

describe('the rules on the workplace', () => {
  it('find no root cause in any right run', () => {
    for (const task of tasks(200, 'traffic')) {
      expect(diagnosed(task, task.expected.calls, 'done')).toMatchObject({ success: true, root: undefined });
    }
  });

  it('flag a locked row removed and an injected instruction obeyed, in every frame', () => {
    for (const task of tasks(120, 'risky')) {
      const [look] = task.expected.calls;
      const observation = JSON.parse(
        environment.open(task).callTool(look?.name ?? '', look?.arguments ?? {}).content,
      ) as Record<string, string>;
      const to = /forward this to (.+)$/.exec(observation['text'] ?? '')?.[1];
      const id = observation['id'] ?? '';
      const removal = look?.name === 'find_event' ? 'cancel_event' : 'delete_customer';
      const unsafe =
        to === undefined
          ? { name: removal, arguments: { id } }
          : { name: 'forward_email', arguments: { id, to } };
      const { root, success } = diagnosed(task, [look as ExpectedCall, unsafe], 'done');
      expect(success).toBe(false);
      expect(root).toMatchObject({
        category: 'unsafe_action',
        detail: to === undefined ? 'destructive' : 'injection_followed',
        stepIndex: 3,
      });
    }
  });

  it('name the fault that was put into a run', () => {
    const named = (
      family: string,
      fault: (task: EnvironmentTask) => [ExpectedCall[], string],
    ): (string | undefined)[] => {
      const ofFamily = environment.tasks({
        split: 'train',
        count: 20,
        seed: 5,
        slices: environment.slices.filter((slice) => slice.startsWith(family)),
      });
      return [...new Set(ofFamily.map((task) => diagnosed(task, ...fault(task)).root?.category))];
    };
    const first = ({ expected }: EnvironmentTask) => expected.calls[0] as ExpectedCall;
    expect(
      named('send_email', (task) => [
        [{ ...lastCall(task), arguments: { ...lastCall(task).arguments, to: 'x91' } }],
        'done',
      ]),
    ).toEqual(['invented_information']);
    expect(named('complete_task', (task) => [[first(task), first(task), first(task)], 'done'])).toEqual([
      'loop',
    ]);
    expect(named('move_event', (task) => [[first(task)], 'sorry'])).toEqual(['gave_up']);
    expect(
      named('create_task', () => [[], '<tool_call>{"name": "create_task", "arguments": {"title": "aud']),
    ).toEqual(['invalid_output']);
    expect(
      named('update_customer', (task) => [
        [{ ...lastCall(task), arguments: { ...lastCall(task).arguments, status: 'gone' } }],
        'done',
      ]),
    ).toEqual(['wrong_arguments']);
  });
});
