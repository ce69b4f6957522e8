import { Controller, Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { AnswersText, ProjectId } from '#platform/web';
import { Trajectories } from '../trajectories.service.js';
import { TrajectoryAnnotations } from '../trajectory-annotations.js';
import { listQueryOf, TrajectoryFilters } from '../trajectory-filters.js';
import { EXPORT_FORMATS, EXPORT_WRITERS } from './export-formats.js';
import { exportedTrajectories } from './exported-trajectories.js';

const ExportQuery = TrajectoryFilters.extend({ format: z.enum(EXPORT_FORMATS).default('jsonl') });

/** Content type → the formats that have it. */
const FILES = Object.fromEntries(
  Object.values(EXPORT_WRITERS).map(({ contentType }) => [
    contentType,
    EXPORT_FORMATS.filter((format) => EXPORT_WRITERS[format].contentType === contentType).join(', '),
  ]),
);

@Controller('api/v1/trajectories')
export class ExportController {
  constructor(
    private readonly trajectories: Trajectories,
    private readonly annotations: TrajectoryAnnotations,
  ) {}

  /** All trajectories that match, as a file. One that cannot be ended is cut off, so that no client takes a part for the whole. */
  @Get('export')
  @AnswersText(200, FILES)
  async export(
    @ProjectId() projectId: string,
    @Query({ schema: ExportQuery }) query: z.output<typeof ExportQuery>,
    @Res() response: Response,
  ): Promise<void> {
    const { format, ...filters } = query;
    const { contentType, extension, write } = EXPORT_WRITERS[format];
    const asked = await listQueryOf(projectId, filters, this.annotations);
    const chunks = write(exportedTrajectories(this.trajectories, asked))[Symbol.asyncIterator]();
    // Before any header: what fails at once is answered as an error.
    const first = await chunks.next();
    response.setHeader('content-type', contentType);
    response.setHeader('content-disposition', `attachment; filename="trajectories.${extension}"`);
    await pipeline(Readable.from(restOf(first, chunks), { objectMode: false }), response).catch(() => {
      // The connection is broken off by then: the client went away, or is told in the only way left.
      response.destroy();
    });
  }
}

async function* restOf(
  first: IteratorResult<Uint8Array, unknown>,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; next.done !== true; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}
