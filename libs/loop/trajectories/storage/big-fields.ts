import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { AppError, messageOf } from '#kernel/errors';
import { contentHash } from '#kernel/ids';
import { sha256 } from '#kernel/sha256';
import { ArtifactStore } from '#platform/artifacts';
import { without } from '../domain/json.js';
import type { Claim, Span } from '../domain/span.js';
import { monthOfMs } from './month.js';

/** Longest text, in UTF-16 units, that stays in a row. */
export const MAX_FIELD_CHARS = 64 * 1024;
const PREVIEW_CHARS = 1_024;

/**
 * Claim check: large texts go to the artifact store before the span goes on, and only their beginning, hash and key travel
 * and are stored with it. The month is in the key, so that what drops a month can drop its texts.
 */
@Injectable()
export class BigFields {
  constructor(
    private readonly artifacts: ArtifactStore,
    private readonly clock: Clock,
  ) {}

  /** The same spans where nothing is large. @throws AppError store.unavailable: the sender tries again. */
  async claim(projectId: string, spans: readonly Span[]): Promise<readonly Span[]> {
    if (!spans.some(hasBigField)) return spans;
    const folder = `spans/${contentHash(projectId)}/${monthOfMs(this.clock.nowMs())}`;
    const claimed = async (span: Span): Promise<Span> =>
      hasBigField(span) ? this.claimSpan(folder, span) : span;
    return Promise.all(spans.map(claimed));
  }

  /** The span as it was received. A text that is no longer there leaves its beginning. */
  async restore<T extends Span>(span: T): Promise<T> {
    if (span.claims === undefined) return span;
    const attributes = { ...span.attributes };
    for (const [name, { key }] of Object.entries(span.claims)) {
      const whole = await this.read(key);
      if (whole !== undefined) attributes[name] = whole;
    }
    return without({ ...span, attributes }, 'claims') as T;
  }

  private async claimSpan(folder: string, span: Span): Promise<Span> {
    const attributes = { ...span.attributes };
    const claims: Record<string, Claim> = {};
    for (const [name, value] of Object.entries(span.attributes)) {
      if (!isBig(value)) continue;
      claims[name] = await this.put(folder, value);
      attributes[name] = beginningOf(value);
    }
    return { ...span, attributes, claims };
  }

  private async put(folder: string, text: string): Promise<Claim> {
    const content = Buffer.from(text);
    const digest = sha256(content);
    const key = `${folder}/${digest}`;
    try {
      await this.artifacts.put(key, content, { sha256: digest });
    } catch (error) {
      throw new AppError('store.unavailable', {
        public: 'The artifact store does not take a large field. Try again shortly.',
        detail: { key, message: messageOf(error) },
        cause: error,
      });
    }
    return { key, sha256: digest, sizeBytes: content.length };
  }

  private async read(key: string): Promise<string | undefined> {
    try {
      return (await this.artifacts.get(key)).toString();
    } catch (error) {
      if (error instanceof AppError && error.code === 'resource.not_found') return undefined;
      throw error;
    }
  }
}

function hasBigField(span: Span): boolean {
  for (const name in span.attributes) if (isBig(span.attributes[name])) return true;
  return false;
}

/** A text with half a surrogate pair has no UTF-8 and stays where it is. */
function isBig(value: unknown): value is string {
  return typeof value === 'string' && value.length > MAX_FIELD_CHARS && value.isWellFormed();
}

/** Never ends in half a pair. */
function beginningOf(text: string): string {
  const last = text.charCodeAt(PREVIEW_CHARS - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? PREVIEW_CHARS - 1 : PREVIEW_CHARS);
}
