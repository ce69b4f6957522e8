import type { Command } from '../command.js';

/** Works on the stores of the settings themselves, not through a running Ratchet: before the first start and each upgrade. */
export const migrateCommand: Command = {
  name: 'migrate',
  usage: 'ratchet migrate [--json]',
  summary: 'Bring tables and topics of the stores up to date',
  options: {},
  run: async ({ config, json, print, note }) => {
    // What only this command needs is loaded by it: every other command starts without the stores' drivers.
    const [{ topicsOf }, { SystemClock }, { Log }, { openEventLog }, { migrateStores }] = await Promise.all([
      import('#loop/trajectories'),
      import('#platform/runtime'),
      import('#platform/telemetry'),
      import('../../channels.js'),
      import('../../runtime.js'),
    ]);
    const migrations = await migrateStores(config, note);
    const events = openEventLog(config, new SystemClock(), Log.create(config.log.level));
    const topics: string[] = [];
    if (events !== null) {
      try {
        topics.push(...(await events.ensureTopics(topicsOf(config.kafka))));
      } finally {
        await events.close();
      }
    }
    if (json) print(JSON.stringify({ migrations, topics }));
    else print(`${migrations.length} migrations applied, ${topics.length} topics made`);
    return 0;
  },
};
