import { resolve } from 'node:path';

import { z } from 'zod';

import { AppError } from '#kernel/errors';

const onOff = (fallback: 'on' | 'off') =>
  z
    .enum(['on', 'off', 'true', 'false', '1', '0'], { error: 'must be on or off' })
    .default(fallback)
    .transform((value) => value === 'on' || value === 'true' || value === '1');

const url = (protocol: RegExp, example: string) =>
  z.url({ protocol, error: `must be a URL such as ${example}` });

const CRON_FIELDS = /^(\S+\s+){4,5}\S+$/;

const environmentSchema = z.object({
  RATCHET_HOST: z.string().default('127.0.0.1'),
  RATCHET_PORT: z.coerce
    .number({ error: 'must be a port, 0 to 65535' })
    .int()
    .min(0)
    .max(65_535)
    .default(4100),
  RATCHET_HOME: z.string().default('.ratchet'),
  RATCHET_DEMO: onOff('on'),
  RATCHET_TRAIN: onOff('on'),
  RATCHET_SCHEDULE: z
    .string()
    .regex(CRON_FIELDS, { error: "must be a cron expression such as '0 3 * * *', or off" })
    .or(z.literal('off'))
    .default('0 3 * * *'),
  RATCHET_URL: url(/^https?$/, 'http://127.0.0.1:4100').optional(),
  RATCHET_KEY: z.string().optional(),
  RATCHET_API_KEY: z.string().min(16, { error: 'must have at least 16 characters' }).optional(),
  RATCHET_MASKING_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, { error: 'must be 64 hex digits, as `openssl rand -hex 32` prints them' })
    .optional(),
  RATCHET_DATABASE_URL: url(/^postgres(ql)?$/, 'postgres://user:password@127.0.0.1:5432/ratchet').optional(),
  RATCHET_CLICKHOUSE_URL: url(/^https?$/, 'http://127.0.0.1:8123').optional(),
  RATCHET_CLICKHOUSE_USER: z.string().default('default'),
  RATCHET_CLICKHOUSE_PASSWORD: z.string().default(''),
  RATCHET_CLICKHOUSE_DATABASE: z
    .string()
    .regex(/^\w+$/, { error: 'must be a plain name' })
    .default('ratchet'),
  RATCHET_KAFKA_BROKERS: z
    .string()
    .transform((text) => text.split(',').map((broker) => broker.trim()))
    .refine((brokers) => brokers.every((broker) => /^[^\s:]+:\d+$/.test(broker)), {
      error: 'must be host:port, several separated by commas',
    })
    .optional(),
  RATCHET_KAFKA_TLS: onOff('off'),
  RATCHET_KAFKA_USERNAME: z.string().optional(),
  RATCHET_KAFKA_PASSWORD: z.string().optional(),
  RATCHET_KAFKA_PARTITIONS: z.coerce
    .number({ error: 'must be a number of partitions' })
    .int()
    .min(1)
    .default(12),
  RATCHET_KAFKA_REPLICAS: z.coerce.number({ error: 'must be a number of brokers' }).int().min(1).default(1),
  RATCHET_REDIS_URL: url(/^rediss?$/, 'redis://127.0.0.1:6379').optional(),
  RATCHET_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
      error: 'must be trace, debug, info, warn, error or silent',
    })
    .default('info'),
});

/** The environment, checked and grouped. A service is given its group, never the whole and never the environment. */
export const configSchema = environmentSchema.transform((env) => ({
  http: { host: env.RATCHET_HOST, port: env.RATCHET_PORT, apiKey: env.RATCHET_API_KEY },
  homeDir: resolve(env.RATCHET_HOME),
  masking: { key: env.RATCHET_MASKING_KEY },
  demo: { enabled: env.RATCHET_DEMO },
  train: { enabled: env.RATCHET_TRAIN },
  schedule: { cron: env.RATCHET_SCHEDULE === 'off' ? undefined : env.RATCHET_SCHEDULE },
  client: { url: env.RATCHET_URL, key: env.RATCHET_KEY },
  postgres: { url: env.RATCHET_DATABASE_URL },
  clickhouse: {
    url: env.RATCHET_CLICKHOUSE_URL,
    user: env.RATCHET_CLICKHOUSE_USER,
    password: env.RATCHET_CLICKHOUSE_PASSWORD,
    database: env.RATCHET_CLICKHOUSE_DATABASE,
  },
  kafka: {
    brokers: env.RATCHET_KAFKA_BROKERS,
    tls: env.RATCHET_KAFKA_TLS,
    username: env.RATCHET_KAFKA_USERNAME,
    password: env.RATCHET_KAFKA_PASSWORD,
    partitions: env.RATCHET_KAFKA_PARTITIONS,
    replicas: env.RATCHET_KAFKA_REPLICAS,
  },
  redis: { url: env.RATCHET_REDIS_URL },
  log: { level: env.RATCHET_LOG_LEVEL },
}));

export type AppConfig = z.output<typeof configSchema>;

/** Loopback keeps the page to this machine; any other address needs a key, or the page would be open to the network. */
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '::1']);

/**
 * Reads and checks the settings (empty values count as unset).
 * @throws AppError `config.invalid` naming every wrong setting and what it must be.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): AppConfig {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = configSchema.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
    throw new AppError('config.invalid', {
      public: `Settings are wrong: ${problems.join('; ')}. Correct or unset them and start again.`,
    });
  }
  if (!LOOPBACK.has(parsed.data.http.host) && parsed.data.http.apiKey === undefined) {
    throw new AppError('config.invalid', {
      public: `RATCHET_HOST ${parsed.data.http.host} is reachable from other machines: set RATCHET_API_KEY too, or use 127.0.0.1.`,
    });
  }
  return parsed.data;
}

/** The settings as JSON text for a log or `ratchet doctor`; secrets are replaced. */
export function describeConfig(config: AppConfig): string {
  const hide = (value: string | undefined): string | undefined =>
    value === undefined || value === '' ? value : '[set]';
  return JSON.stringify({
    ...config,
    http: { ...config.http, apiKey: hide(config.http.apiKey) },
    client: { ...config.client, key: hide(config.client.key) },
    masking: { key: hide(config.masking.key) },
    postgres: { url: hideCredentials(config.postgres.url) },
    kafka: { ...config.kafka, password: hide(config.kafka.password) },
    redis: { url: hideCredentials(config.redis.url) },
    clickhouse: {
      ...config.clickhouse,
      url: hideCredentials(config.clickhouse.url),
      password: hide(config.clickhouse.password),
    },
  });
}

function hideCredentials(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const parsed = new URL(text);
  if (parsed.password !== '') parsed.password = 'hidden';
  parsed.search = '';
  return parsed.toString();
}
