import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { ChatToolCall } from '#contracts/chat';
import { workplaceEnvironment } from '#examples/workplace';

import { PolicyServer } from './index.js';

const POLICY_DIR = fileURLToPath(new URL('../../../native/tiny-policy/policy', import.meta.url));
const environment = workplaceEnvironment();
const tasks = environment.tasks({ split: 'train', count: 40, seed: 3 });

interface Choice {
  message: { content: string | null; tool_calls?: ChatToolCall[] };
  finish_reason: string;
  token_ids: number[];
}

describe('the demo policy as served', () => {
  let homeDir: string;
  let server: PolicyServer;
  beforeAll(async () => {
    homeDir = mkdtempSync(join(tmpdir(), 'demo-policy-'));
    server = await PolicyServer.start({ homeDir, policyDir: POLICY_DIR, baseName: 'tiny' });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(homeDir, { recursive: true, force: true });
  });

  async function ask(index: number, extra: Record<string, unknown> = {}): Promise<Choice> {
    const response = await fetch(`${server.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}` },
      body: JSON.stringify({
        model: 'tiny',
        messages: tasks[index]?.messages,
        tools: environment.tools,
        seed: index,
        return_token_ids: true,
        ...extra,
      }),
    });
    return ((await response.json()) as { choices: [Choice] }).choices[0];
  }

  it('calls the offered tools by their names with JSON arguments', async () => {
    const answers = await Promise.all(tasks.map((_, i) => ask(i)));
    const calls = answers.flatMap((answer) => answer.message.tool_calls ?? []);
    expect(calls.length).toBeGreaterThan(tasks.length / 2);
    const offered = new Set(environment.tools.map((tool) => tool.function.name));
    expect(calls.every((call) => offered.has(call.function.name))).toBe(true);
    expect(calls.every((call) => typeof JSON.parse(call.function.arguments) === 'object')).toBe(true);
    expect(
      answers.every((a) => (a.finish_reason === 'tool_calls') === (a.message.tool_calls !== undefined)),
    ).toBe(true);
  });

  it('writes a call as plain text where no tools are offered', async () => {
    const answer = await ask(0, { tools: [], temperature: 0 });
    expect(answer.finish_reason).toBe('stop');
    expect(answer.message.content).toMatch(/^<tool_call>/);
  });

  it('draws the same answer for a seed alone and in a full batch', async () => {
    const crowd = await Promise.all(tasks.map((_, i) => ask(i)));
    for (const index of [0, 7, 21, 39]) expect((await ask(index)).token_ids).toEqual(crowd[index]?.token_ids);
  });
});
