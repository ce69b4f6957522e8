/**
 * One error type for everything that may reach a person: a stable code, a public text, an internal detail.
 * `detail` goes to logs only and is never part of a response.
 */
export type ErrorCode =
  | 'request.invalid'
  | 'request.unauthorized'
  | 'request.forbidden'
  | 'request.too_large'
  | 'request.unsupported_media'
  | 'resource.not_found'
  | 'resource.conflict'
  | 'fencing.stale'
  | 'store.unavailable'
  | 'policy.unavailable'
  | 'training.unavailable'
  | 'adapter.refused'
  | 'gate.blocked'
  | 'config.invalid'
  | 'internal';

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly publicMessage: string;
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    options: { public: string; detail?: Record<string, unknown>; cause?: unknown },
  ) {
    super(options.public, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.publicMessage = options.public;
    this.detail = options.detail ?? {};
  }
}

/** HTTP status of each code; total by construction. */
export const HTTP_STATUS: Readonly<Record<ErrorCode, number>> = {
  'request.invalid': 400,
  'request.unauthorized': 401,
  'request.forbidden': 403,
  'request.too_large': 413,
  'request.unsupported_media': 415,
  'resource.not_found': 404,
  'resource.conflict': 409,
  'fencing.stale': 409,
  'store.unavailable': 503,
  'policy.unavailable': 503,
  'training.unavailable': 503,
  'adapter.refused': 422,
  'gate.blocked': 409,
  'config.invalid': 500,
  internal: 500,
};

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Compile-time proof that a union was handled whole. */
export function assertNever(value: never): never {
  throw new AppError('internal', { public: 'Unexpected value.', detail: { value } });
}
