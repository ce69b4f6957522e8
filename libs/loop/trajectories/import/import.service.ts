import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { AppError, messageOf } from '#kernel/errors';
import { contentHash } from '#kernel/ids';
import { Assembler } from '../assembler.service.js';
import { DirectSpanIntake } from '../collector/span-intake.js';
import type { AssembledTrajectory } from '../domain/assemble.js';
import { BadRow, type Format, type RowContent } from '../formats/format.js';
import { FORMAT_NAMES, FORMATS } from '../formats/index.js';
import { SecretMasker } from '../masking/secret-masker.js';
import { ReceiptSequence } from '../receipt-sequence.js';
import { readDocuments } from './documents.js';
import { parseRow } from './parse-row.js';
import type { Row } from './row-reader.js';

const MAX_IDS = 1_000;
const BATCH_TRAJECTORIES = 200;
const BATCH_CHARS = 8 * 1024 * 1024;
const TRACES_A_ROUND = 50;

export interface ImportVerdict {
  /** Rows of the source that are stored. */
  accepted: number;
  /** Rows, or parts of rows, that are not, and why; the line counts from 1. */
  rejected: { line: number; error: string }[];
  /** The first 1,000. */
  trajectoryIds: string[];
}

export interface ImportRequest {
  projectId: string;
  /** null: each row finds its own format. */
  format: Format | null;
  /** The decoded file. */
  body: Readable;
}

/** Files of recorded runs → stored trajectories, row by row in bounded memory. The same file again adds nothing. */
@Injectable()
export class ImportService {
  constructor(
    // Past any stream: a file is answered with the trajectories made of it.
    private readonly intake: DirectSpanIntake,
    private readonly assembler: Assembler,
    private readonly sequence: ReceiptSequence,
    private readonly masker: SecretMasker,
  ) {}

  /** @throws AppError request.invalid when there is no row at all; what a broken file held before its break is stored. */
  async run({ projectId, format, body }: ImportRequest): Promise<ImportVerdict> {
    const verdict: ImportVerdict = { accepted: 0, rejected: [], trajectoryIds: [] };
    const batch = new Batch();
    const traces = new Set<string>();
    let rows = 0;
    for await (const row of readDocuments(body, isKnown)) {
      rows += 1;
      const read = readRow(row, format, (value) => this.masker.json(projectId, value));
      if ('error' in read) verdict.rejected.push({ line: row.line, error: read.error });
      else this.add(batch, { ...read, line: row.line, projectId }, verdict);
      if (batch.isFull) await this.flush(projectId, { batch, traces, verdict });
    }
    if (rows === 0)
      throw new AppError('request.invalid', {
        public: 'The body is empty. Send the file itself as the body of the request.',
      });
    await this.flush(projectId, { batch, traces, verdict });
    await this.assemble(projectId, [...traces], verdict);
    return verdict;
  }

  private add(
    batch: Batch,
    row: ReadRow & { line: number; projectId: string },
    verdict: ImportVerdict,
  ): void {
    const { content, line, projectId, format, value, chars } = row;
    batch.chars += chars;
    batch.rows += 1;
    if (content.kind === 'spans') {
      for (const span of content.spans) batch.spans.push(span);
      if (content.leftOut !== null) verdict.rejected.push({ line, error: content.leftOut });
      return;
    }
    const receivedNs = this.sequence.next().toString();
    batch.trajectories.push({
      ...content.trajectory,
      id: contentHash(['import', projectId, format, value]),
      projectId,
      source: format,
      metadata: { ...content.trajectory.metadata, line },
      startedAtNs: content.trajectory.startedAtNs ?? receivedNs,
      endedAtNs: content.trajectory.endedAtNs ?? content.trajectory.startedAtNs ?? receivedNs,
    });
  }

  private async flush(
    projectId: string,
    work: { batch: Batch; traces: Set<string>; verdict: ImportVerdict },
  ): Promise<void> {
    const { batch, traces, verdict } = work;
    const { spans, trajectories, rows } = batch.take();
    await this.intake.accept(projectId, spans);
    for (const span of spans) traces.add(span.traceId);
    const saved = await this.assembler.store(projectId, trajectories);
    verdict.accepted += rows;
    addIds(
      verdict,
      saved.map(({ id }) => id),
    );
  }

  /** A file is all there is of its traces: they need not become quiet first. */
  private async assemble(projectId: string, traceIds: string[], verdict: ImportVerdict): Promise<void> {
    for (let from = 0; from < traceIds.length; from += TRACES_A_ROUND) {
      const made = await this.assembler.assemble(projectId, traceIds.slice(from, from + TRACES_A_ROUND));
      addIds(
        verdict,
        made.map(({ id }) => id),
      );
    }
  }
}

class Batch {
  spans: Extract<RowContent, { kind: 'spans' }>['spans'] = [];
  trajectories: AssembledTrajectory[] = [];
  rows = 0;
  chars = 0;

  get isFull(): boolean {
    return this.rows >= BATCH_TRAJECTORIES || this.chars >= BATCH_CHARS;
  }

  take(): { spans: Batch['spans']; trajectories: AssembledTrajectory[]; rows: number } {
    const { spans, trajectories, rows } = this;
    this.spans = [];
    this.trajectories = [];
    this.rows = 0;
    this.chars = 0;
    return { spans, trajectories, rows };
  }
}

interface ReadRow {
  content: RowContent;
  format: string;
  value: unknown;
  chars: number;
}

/** Masked before anything is made of it, the id too: a hash of a short secret can be guessed. */
function readRow(
  row: Row,
  wanted: Format | null,
  mask: (value: unknown) => unknown,
): ReadRow | { error: string } {
  if ('error' in row) return row;
  try {
    const value = mask(parseRow(row.text));
    const format = wanted ?? FORMATS.find((candidate) => candidate.detects(value));
    if (format === undefined)
      return { error: `no import format knows this row; there are ${FORMAT_NAMES.join(', ')}` };
    return { content: format.read(value), format: format.name, value, chars: row.text.length };
  } catch (error) {
    if (error instanceof BadRow) return { error: error.message };
    // A reader that stumbles over what nobody foresaw costs its row, never the rows after it.
    return { error: `the row could not be read: ${messageOf(error).slice(0, 160)}` };
  }
}

function isKnown(value: unknown): boolean {
  return FORMATS.some((format) => format.detects(value));
}

function addIds(verdict: ImportVerdict, ids: readonly string[]): void {
  const room = MAX_IDS - verdict.trajectoryIds.length;
  if (room > 0) verdict.trajectoryIds.push(...ids.slice(0, room));
}
