import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '#kernel/errors';

const FILE_NAME = 'masking.key';
const KEY_BYTES = 32;
const MARK_CHARS = 12;

/** The key under which equal secrets get equal marks. Who has no key cannot test a guess against a mark. */
export class MaskingKey {
  private constructor(private readonly key: Buffer) {}

  /**
   * The key that several collectors of one deployment share, as 64 hex digits: else equal secrets got a mark each. Where none
   * is given, that of `<homeDir>/masking.key`, made when missing, readable by its owner alone.
   * @throws AppError `config.invalid` when the file is no key.
   */
  static open(homeDir: string, shared?: string): MaskingKey {
    const path = join(homeDir, FILE_NAME);
    const key = Buffer.from(shared ?? textOf(path), 'hex');
    if (key.length === KEY_BYTES) return new MaskingKey(key);
    throw new AppError('config.invalid', {
      public: `${path} is no masking key. Restore it, or remove it: then new marks no longer equal the old ones.`,
    });
  }

  /** A key that lives as long as the process. */
  static ephemeral(): MaskingKey {
    return new MaskingKey(randomBytes(KEY_BYTES));
  }

  /** 12 hex digits; the same secret has another mark in another project. */
  markOf(projectId: string, secret: string): string {
    const mark = createHmac('sha256', this.key)
      .update(JSON.stringify([projectId, secret]))
      .digest('hex');
    return mark.slice(0, MARK_CHARS);
  }
}

function textOf(path: string): string {
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  }
  return readFileSync(path, 'utf8').trim();
}
