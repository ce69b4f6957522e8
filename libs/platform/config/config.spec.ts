import { resolve } from 'node:path';

import { AppError } from '#kernel/errors';

import { childEnvironment, describeConfig, loadConfig } from './index.js';

const refusal = (env: Record<string, string>): AppError => {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('the settings were accepted');
};

describe('loadConfig', () => {
  it('starts from nothing on loopback with embedded stores', () => {
    const config = loadConfig({});
    expect(config.http).toEqual({ host: '127.0.0.1', port: 4100, apiKey: undefined });
    expect(config.homeDir).toBe(resolve('.ratchet'));
    expect(config.demo.enabled && config.train.enabled).toBe(true);
    expect(config.postgres.url).toBeUndefined();
    expect(config.clickhouse.url).toBeUndefined();
    expect(config.schedule.cron).toBe('0 3 * * *');
  });

  it('takes on and off as real booleans', () => {
    const config = loadConfig({
      RATCHET_DEMO: 'off',
      RATCHET_TRAIN: 'off',
      RATCHET_SCHEDULE: 'off',
      RATCHET_PORT: '',
    });
    expect([config.demo.enabled, config.train.enabled, config.schedule.cron]).toEqual([
      false,
      false,
      undefined,
    ]);
    expect(config.http.port).toBe(4100);
  });

  it('names every wrong setting and what it must be', () => {
    const error = refusal({
      RATCHET_PORT: 'eighty',
      RATCHET_DEMO: 'maybe',
      RATCHET_DATABASE_URL: 'mysql://x',
      RATCHET_MASKING_KEY: 'short',
    });
    expect(error.code).toBe('config.invalid');
    expect(error.publicMessage).toMatch(/RATCHET_PORT must be a port/);
    expect(error.publicMessage).toMatch(/RATCHET_MASKING_KEY must be 64 hex digits/);
    expect(error.publicMessage).toMatch(/RATCHET_DEMO must be on or off/);
    expect(error.publicMessage).toMatch(/RATCHET_DATABASE_URL must be a URL such as postgres:/);
  });

  it('refuses to listen beyond loopback without a key', () => {
    expect(refusal({ RATCHET_HOST: '0.0.0.0' }).publicMessage).toMatch(/RATCHET_API_KEY/);
    expect(loadConfig({ RATCHET_HOST: '0.0.0.0', RATCHET_API_KEY: 'k'.repeat(16) }).http.host).toBe(
      '0.0.0.0',
    );
  });
});

describe('secrets', () => {
  it('never show in the description', () => {
    const text = describeConfig(
      loadConfig({
        RATCHET_API_KEY: 'sekret-sekret-sekret',
        RATCHET_KEY: 'sekret-client',
        RATCHET_DATABASE_URL: 'postgres://me:sekret@127.0.0.1/ratchet?password=sekret',
        RATCHET_CLICKHOUSE_PASSWORD: 'sekret-ch',
        RATCHET_MASKING_KEY: 'c0ffee00'.repeat(8),
      }),
    );
    expect(text).not.toMatch(/sekret|c0ffee/);
    expect(text).toMatch(/127\.0\.0\.1/);
  });

  it('are not handed down to child processes', () => {
    process.env['RATCHET_API_KEY'] = 'sekret-sekret-sekret';
    try {
      const env = childEnvironment({ EXTRA: '1' });
      expect(env['EXTRA']).toBe('1');
      expect(env).toMatchObject({ ORT_DISABLE_TELEMETRY: '1', DO_NOT_TRACK: '1' });
      expect(env['PATH']).toBe(process.env['PATH']);
      expect(JSON.stringify(env)).not.toMatch(/sekret/);
    } finally {
      delete process.env['RATCHET_API_KEY'];
    }
  });
});
