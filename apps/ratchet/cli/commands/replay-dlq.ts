import { UsageError, type Command } from '../command.js';

/** Works on the stream of the settings itself, not through a running Ratchet. */
export const replayDlqCommand: Command = {
  name: 'replay-dlq',
  usage: 'ratchet replay-dlq [--json]   (RATCHET_KAFKA_BROKERS names the stream)',
  summary: 'Send what was set aside as unreadable or refused through the stream again',
  options: {},
  run: async ({ config, json, print }) => {
    // What only this command needs is loaded by it: every other command starts without the stream's driver.
    const [{ SystemClock }, { replayDeadLetters }, { Log }, { openEventLog }] = await Promise.all([
      import('#platform/runtime'),
      import('#platform/stream'),
      import('#platform/telemetry'),
      import('../../channels.js'),
    ]);
    const events = openEventLog(config, new SystemClock(), Log.create(config.log.level));
    if (events === null)
      throw new UsageError('set RATCHET_KAFKA_BROKERS; without a stream nothing is set aside.');
    try {
      const { sent, unknown } = await replayDeadLetters(events);
      if (json) print(JSON.stringify({ sent, unknown }));
      else print(`${sent} sent again${unknown > 0 ? `, ${unknown} do not say where they belong` : ''}`);
      return 0;
    } finally {
      await events.close();
    }
  },
};
