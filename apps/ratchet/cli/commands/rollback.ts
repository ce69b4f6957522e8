import type { Command, CommandContext, ExitCode } from '../command.js';

interface Restored {
  agent: string;
  policyName: string;
}

async function run(context: CommandContext): Promise<ExitCode> {
  const agent = typeof context.options['agent'] === 'string' ? { agent: context.options['agent'] } : {};
  const reason = typeof context.options['reason'] === 'string' ? { reason: context.options['reason'] } : {};
  const restored = await context.api.post<Restored>(
    '/api/v1/deployments/rollback',
    { ...agent, ...reason },
    { 'idempotency-key': crypto.randomUUID() },
  );
  context.print(
    context.json
      ? JSON.stringify(restored, null, 2)
      : `${restored.agent} is served by ${restored.policyName} again.`,
  );
  return 0;
}

export const rollbackCommand: Command = {
  name: 'rollback',
  usage: 'ratchet rollback [--agent NAME] [--reason TEXT] [--json]',
  summary: 'Returns an agent to the version before.',
  options: { agent: { type: 'string' }, reason: { type: 'string' } },
  run,
};
