/** Who may open sessions: signed bearer tokens for one environment version and one side of the seal; signed cookies. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { Split } from '#contracts/environment';
import type { Clock } from '#kernel/clock';
import { AppError } from '#kernel/errors';

/** `splits` never mixes held-out with anything else. A token names the one verifier whose verdicts it may ask for. */
export const GymScope = z.object({
  projectId: z.string(),
  environmentId: z.string(),
  splits: z.array(Split).min(1),
  verifier: z.string(),
});
export type GymScope = z.infer<typeof GymScope>;

const SignedScope = GymScope.extend({ expiresAtMs: z.number() });
const TOKEN_PREFIX = 'gym1.';
export const COOKIE_NAME = 'ratchet_gym';

export class GymTokens {
  /** @param secret at least 16 characters; tokens and cookies of another secret are refused. */
  constructor(
    private readonly clock: Clock,
    private readonly secret: string,
  ) {
    if (secret.length < 16)
      throw new AppError('config.invalid', { public: 'The session secret is too short.' });
  }

  /** @throws AppError `request.invalid` for a scope that reaches over the seal. */
  issue(scope: GymScope, ttlMs: number): string {
    const { splits } = GymScope.parse(scope);
    if (splits.includes('heldout') && splits.length > 1) {
      throw new AppError('request.invalid', { public: 'A token for held-out tasks opens nothing else.' });
    }
    const payload = JSON.stringify({ ...scope, expiresAtMs: this.clock.nowMs() + ttlMs });
    const body = Buffer.from(payload).toString('base64url');
    return `${TOKEN_PREFIX}${body}.${this.sign(`token:${body}`)}`;
  }

  /** @throws AppError `request.unauthorized` for a token that is missing, forged or too old. */
  verify(token: string | undefined): GymScope {
    const [body, signature] = token?.startsWith(TOKEN_PREFIX)
      ? token.slice(TOKEN_PREFIX.length).split('.')
      : [];
    if (!body || !signature || !this.matches(`token:${body}`, signature))
      throw unauthorized('is missing or not valid');
    const parsed = SignedScope.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
    if (!parsed.success) throw unauthorized('is not valid');
    if (parsed.data.expiresAtMs <= this.clock.nowMs())
      throw unauthorized('has expired; a new attempt gets a new one');
    return parsed.data;
  }

  /** Value of the session cookie. */
  cookieFor(sessionId: string): string {
    return `${sessionId}.${this.sign(`cookie:${sessionId}`)}`;
  }

  /** The session id in a `Cookie` header; null where there is none or it was not signed here. */
  sessionIdOf(header: string | undefined): string | null {
    for (const pair of header?.split(';') ?? []) {
      const [name, value] = pair.trim().split('=');
      if (name !== COOKIE_NAME || value === undefined) continue;
      const [id, signature] = value.split('.');
      if (id && signature && this.matches(`cookie:${id}`, signature)) return id;
    }
    return null;
  }

  private sign(text: string): string {
    return createHmac('sha256', this.secret).update(text).digest('base64url');
  }

  private matches(text: string, signature: string): boolean {
    const expected = Buffer.from(this.sign(text));
    const given = Buffer.from(signature);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }
}

function unauthorized(what: string): AppError {
  return new AppError('request.unauthorized', { public: `The environment token ${what}.` });
}
