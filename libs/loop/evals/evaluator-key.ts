/** The evaluator's key: seals held-out payloads (AES-256-GCM), and seeds what nobody else may predict. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#kernel/errors';

const FILE_NAME = 'evaluator.key';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = 'sealed1.';

export class EvaluatorKey {
  private constructor(private readonly key: Buffer) {}

  /**
   * Reads `<homeDir>/evaluator.key`, made when missing, readable by its owner alone.
   * @throws AppError `config.invalid` when the file is no key.
   */
  static open(homeDir: string): EvaluatorKey {
    const path = join(homeDir, FILE_NAME);
    if (!existsSync(path)) {
      mkdirSync(homeDir, { recursive: true });
      writeFileSync(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
    }
    chmodSync(path, 0o600);
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
    if (key.length === KEY_BYTES) return new EvaluatorKey(key);
    throw new AppError('config.invalid', {
      public: `${path} is no evaluator key. Restore it: sealed cases cannot be read with another one.`,
    });
  }

  /** A key that lives as long as the process. */
  static ephemeral(): EvaluatorKey {
    return new EvaluatorKey(randomBytes(KEY_BYTES));
  }

  /** @param place what the text belongs to; opening it for any other place fails. */
  seal(text: string, place: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv).setAAD(Buffer.from(place));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return PREFIX + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
  }

  /** @throws AppError `request.forbidden` where the key, the place or the text is not the one that was sealed. */
  unseal(sealed: string, place: string): string {
    try {
      if (!sealed.startsWith(PREFIX)) throw new RangeError('not sealed');
      const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64');
      const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const body = bytes.subarray(IV_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new AppError('request.forbidden', {
        public: 'This held-out case cannot be opened with this key.',
        cause,
      });
    }
  }

  /** A seed (31 bits) that only a holder of the key can foresee. */
  seedOf(name: string): number {
    return createHmac('sha256', this.key).update(`seed:${name}`).digest().readUInt32BE(0) >>> 1;
  }

  /** Key of the lineage splits of a project. */
  splitKey(projectId: string): string {
    return createHmac('sha256', this.key).update(`split:${projectId}`).digest('hex');
  }
}
