import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StandardSchemaValidationPipe, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { json, type Request, type Response, type NextFunction } from 'express';
import { RAW_BODY_PATHS } from '#loop/trajectories/http';
import { NestLog, type Log } from '#platform/telemetry';
import { describeApi, ProblemFilter, problemOf } from '#platform/web';
import { OpenApiDocument } from '../api/api.module.js';
import { RatchetModule, type RatchetParts } from './ratchet.module.js';

const JSON_LIMIT = '4mb';
/** The page loads its own files only. */
const CONTENT_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

function securityHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Content-Security-Policy', CONTENT_POLICY);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  next();
}

/** Errors of the body parser come before Nest's filters. */
function bodyErrors(error: unknown, _request: Request, response: Response, _next: NextFunction): void {
  const body = problemOf(error);
  response.status(body.status).type('application/problem+json').send(body);
}

/** Nest on Express with what every route shares. Nothing listens yet. */
export async function createHttpApp(
  parts: RatchetParts,
  webDir: string,
  log: Log,
): Promise<INestApplication> {
  const app = await NestFactory.create<NestExpressApplication>(RatchetModule.of(parts), {
    bodyParser: false,
    logger: new NestLog(log),
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.use(securityHeaders);
  const parse = json({ limit: JSON_LIMIT });
  app.use((request: Request, response: Response, next: NextFunction) => {
    if (RAW_BODY_PATHS.includes(request.path)) next();
    else parse(request, response, next);
  });
  app.use(bodyErrors);
  if (existsSync(webDir)) app.useStaticAssets(webDir);
  app.useGlobalPipes(new StandardSchemaValidationPipe());
  app.useGlobalFilters(new ProblemFilter((error) => log.error('http.failed', { error })));
  app.get(OpenApiDocument).set(describeApi(app));
  return app;
}

export const webDirOf = (distDir: string): string => join(distDir, 'web');
