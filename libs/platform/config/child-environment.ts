/** Settings that hold a secret: children get what they need on standard input, never through their environment. */
const SECRET_SETTINGS = new Set([
  'RATCHET_KEY',
  'RATCHET_API_KEY',
  'RATCHET_DATABASE_URL',
  'RATCHET_CLICKHOUSE_PASSWORD',
  'RATCHET_KAFKA_PASSWORD',
  'RATCHET_REDIS_URL',
]);

/** The environment of a child process: that of this process without Ratchet's secrets, plus `extra`. */
export function childEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !SECRET_SETTINGS.has(entry[0]),
  );
  return { ...Object.fromEntries(inherited), ...extra };
}
