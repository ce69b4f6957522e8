import { timingSafeEqual } from 'node:crypto';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AppError } from '#kernel/errors';
import { sha256 } from '#kernel/sha256';
import { IS_PUBLIC, type RatchetRequest } from '#platform/web';

/** The key that opens the API; undefined only in loopback embedded mode. */
export class AccessSettings {
  constructor(
    readonly apiKey: string | undefined,
    readonly loopback: boolean,
  ) {}
}

const PROJECT = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const LOOPBACK_NAMES = new Set(['127.0.0.1', 'localhost', '[::1]', '::1']);

const single = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

const hostName = (host: string): string => host.replace(/:\d+$/, '');

/** Basic (Langfuse SDKs send `public:secret`), Bearer, and the bare key that Opik's SDKs send. */
function keyOf(authorization: string | undefined): string | null {
  const [scheme, value] = (authorization ?? '').split(' ');
  if (value === undefined) return scheme === undefined || scheme === '' ? null : scheme;
  if (scheme?.toLowerCase() === 'bearer') return value;
  if (scheme?.toLowerCase() !== 'basic') return null;
  const [, secret] = Buffer.from(value, 'base64').toString('utf8').split(':');
  return secret ?? null;
}

const isLoopbackOrigin = (origin: string): boolean =>
  URL.canParse(origin) && LOOPBACK_NAMES.has(hostName(new URL(origin).host));

/** Guards every route that is not marked `@Public()`, and settles which project a request belongs to. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly settings: AccessSettings,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const open = this.reflector.getAllAndOverride<boolean | undefined>(IS_PUBLIC, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (open === true) return true;
    const request = context.switchToHttp().getRequest<RatchetRequest>();
    if (this.settings.apiKey === undefined) this.checkLoopback(request);
    else this.checkKey(request, this.settings.apiKey);
    request.projectId = this.projectOf(request);
    return true;
  }

  private checkKey(request: RatchetRequest, expected: string): void {
    const given = keyOf(single(request.headers['authorization']));
    // Hashes have one length, so the comparison tells nothing about the key's.
    const same = given !== null && timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)));
    if (!same) {
      throw new AppError('request.unauthorized', {
        public: 'Send "Authorization: Bearer KEY" with the key set as RATCHET_API_KEY.',
      });
    }
  }

  /** Without a key only this machine may ask, and no web page of another origin (DNS rebinding, cross-site posts). */
  private checkLoopback(request: RatchetRequest): void {
    const host = hostName(single(request.headers['host']) ?? '');
    const origin = single(request.headers['origin']);
    const foreign = origin !== undefined && origin !== 'null' && !isLoopbackOrigin(origin);
    if (this.settings.loopback && LOOPBACK_NAMES.has(host) && !foreign && origin !== 'null') return;
    throw new AppError('request.unauthorized', {
      public:
        'Without RATCHET_API_KEY only requests from this machine to 127.0.0.1 or localhost are answered.',
    });
  }

  private projectOf(request: RatchetRequest): string {
    const project = single(request.headers['x-ratchet-project']) ?? 'default';
    if (PROJECT.test(project)) return project;
    throw new AppError('request.invalid', {
      public: 'x-ratchet-project must be lower-case letters, digits, "-" or "_", at most 63.',
    });
  }
}
