import { Injectable } from '@nestjs/common';
import { CleanBeginnings } from '../domain/masking/clean-beginnings.js';
import { maskJson } from '../domain/masking/mask-json.js';
import { maskSpan } from '../domain/masking/mask-span.js';
import { maskText } from '../domain/masking/mask-text.js';
import type { Replace } from '../domain/masking/rule.js';
import type { Span } from '../domain/span.js';
import { MaskingKey } from './masking-key.js';

/**
 * Replaces secrets by `[secret:<kind>:<mark>]`. Every way in calls it once, before anything is written anywhere; the mark
 * keeps what detectors need: whether two values are the same.
 */
@Injectable()
export class SecretMasker {
  constructor(private readonly key: MaskingKey) {}

  /** The same spans, not copies, where nothing is hidden. */
  spans(projectId: string, spans: readonly Span[]): readonly Span[] {
    const replace = this.replaceFor(projectId);
    const clean = new CleanBeginnings();
    return spans.map((span) => maskSpan(span, replace, clean));
  }

  /** Plain JSON data: texts, names of members and card numbers written as numbers. */
  json<T>(projectId: string, value: T): T {
    return maskJson(value, this.replaceFor(projectId));
  }

  text(projectId: string, text: string): string {
    return maskText(text, this.replaceFor(projectId));
  }

  private replaceFor(projectId: string): Replace {
    return (kind, secret) => `[secret:${kind}:${this.key.markOf(projectId, secret)}]`;
  }
}
