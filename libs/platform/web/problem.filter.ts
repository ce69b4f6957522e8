import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { AppError, HTTP_STATUS, messageOf } from '#kernel/errors';

/** RFC 9457 problem document. `detail` is public text; internals stay in the log. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  errors?: { path: string; message: string }[];
}

interface Issue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[];
}

function problem(status: number, code: string, detail: string): Problem {
  return { type: `urn:ratchet:problem:${code}`, title: code, status, detail, code };
}

function issuesOf(body: unknown): Issue[] {
  if (typeof body !== 'object' || body === null) return [];
  const candidates = body as { message?: unknown; errors?: unknown; issues?: unknown };
  for (const list of [candidates.issues, candidates.errors, candidates.message]) {
    if (Array.isArray(list))
      return list.map((item) => (typeof item === 'string' ? { message: item } : (item as Issue)));
  }
  return [];
}

function pathOf(issue: Issue): string {
  return (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}

/** Body-parser and other middleware errors carry a status and `expose`. */
function middlewareStatus(error: unknown): number | null {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
}

/** The one mapping from any error to a problem document. */
export function problemOf(error: unknown): Problem {
  if (error instanceof AppError) return problem(HTTP_STATUS[error.code], error.code, error.publicMessage);
  if (error instanceof HttpException) {
    const status = error.getStatus();
    const code = status === 404 ? 'resource.not_found' : status < 500 ? 'request.invalid' : 'internal';
    const errors = issuesOf(error.getResponse()).map((issue) => ({
      path: pathOf(issue),
      message: issue.message,
    }));
    const detail =
      errors.length > 0
        ? errors.map((e) => (e.path ? `${e.path}: ${e.message}` : e.message)).join('; ')
        : error.message;
    return { ...problem(status, code, detail), ...(errors.length > 0 ? { errors } : {}) };
  }
  const status = middlewareStatus(error);
  if (status !== null)
    return problem(status, status === 413 ? 'request.too_large' : 'request.invalid', messageOf(error));
  return problem(500, 'internal', 'Something failed inside Ratchet; the log has the details.');
}

@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly onInternal: (error: unknown) => void) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const body = problemOf(error);
    if (body.status >= 500) this.onInternal(error);
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      response.end();
      return;
    }
    if (body.status === 503) response.setHeader('Retry-After', '2');
    response.status(body.status).type('application/problem+json').send(body);
  }
}
