import { Controller, HttpCode, Post, Query, Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { AppError } from '#kernel/errors';
import { Answers, ProjectId } from '#platform/web';
import { ImportVerdictForm } from '../answers.js';
import { decodedBody } from '../collector/body.js';
import { formatNamed } from '../formats/index.js';
import { ImportService, type ImportVerdict } from './import.service.js';

/** Most bytes of one file after decompression: what a bomb can make us read, not hold. */
const MAX_FILE_BYTES = 8 * 1024 * 1024 * 1024;

const ImportQuery = z.strictObject({ format: z.string().default('auto') });

@Controller('api/v1')
export class ImportController {
  constructor(private readonly imports: ImportService) {}

  /** The file as it is: JSON, JSONL, or either compressed. */
  @Post('import')
  @HttpCode(200)
  @Answers(200, ImportVerdictForm)
  import(
    @ProjectId() projectId: string,
    @Query({ schema: ImportQuery }) query: z.output<typeof ImportQuery>,
    @Req() request: Request,
  ): Promise<ImportVerdict> {
    const format = formatNamed(query.format);
    const body = decodedBody(request, { gzip: isCompressed(request), maxBytes: MAX_FILE_BYTES });
    return this.imports.run({ projectId, format, body });
  }
}

function isCompressed(request: Request): boolean {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type.startsWith('multipart/')) {
    throw new AppError('request.unsupported_media', {
      public: 'Send the file itself as the body (curl --data-binary @FILE), not as a form.',
    });
  }
  return (
    type === 'application/gzip' ||
    type === 'application/x-gzip' ||
    request.headers['content-encoding'] === 'gzip'
  );
}
