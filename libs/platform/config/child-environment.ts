/** Settings that hold a secret: children get what they need on standard input, never through their environment. */
const SECRET_SETTINGS = new Set([
  'RATCHET_KEY',
  'RATCHET_API_KEY',
  'RATCHET_MASKING_KEY',
  'RATCHET_DATABASE_URL',
  'RATCHET_CLICKHOUSE_PASSWORD',
  'RATCHET_KAFKA_PASSWORD',
  'RATCHET_REDIS_URL',
]);

/**
 * Libraries under us that would report to their makers: onnxruntime opens a channel to Microsoft with its first session and
 * keeps what it could not send in the user's home. Nothing leaves a machine that its owner did not ask for.
 */
const CALLS_NOBODY = { ORT_DISABLE_TELEMETRY: '1', HF_HUB_DISABLE_TELEMETRY: '1', DO_NOT_TRACK: '1' };

/**
 * The environment of a child process: that of this process without Ratchet's secrets and with the libraries' telemetry off,
 * plus `extra`.
 */
export function childEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !SECRET_SETTINGS.has(entry[0]),
  );
  return { ...Object.fromEntries(inherited), ...CALLS_NOBODY, ...extra };
}
