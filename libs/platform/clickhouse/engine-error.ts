const ENGINE_MESSAGE = /Code: (\d+)\. DB::Exception: ([\s\S]*?)\.? \(([A-Z0-9_]+)\)\s*$/;

/** HTTP status by error code, as the ClickHouse server answers; 500 for the rest. */
const STATUS_BY_CODE: ReadonlyMap<number, number> = new Map([
  [60, 404],
  [81, 404],
  [46, 404],
  [516, 403],
  [497, 403],
  [62, 400],
  [36, 400],
  [456, 400],
  [115, 404],
  [159, 408],
  [48, 501],
]);

/** An error with ClickHouse's own code and name. */
export class EngineError extends Error {
  constructor(
    readonly clickhouseCode: number,
    message: string,
    readonly type: string,
  ) {
    super(message);
    this.name = 'EngineError';
  }

  get status(): number {
    return STATUS_BY_CODE.get(this.clickhouseCode) ?? 500;
  }

  /** The body a ClickHouse server would send. */
  toBody(version: string): string {
    return `Code: ${this.clickhouseCode}. DB::Exception: ${this.message}. (${this.type}) (version ${version})\n`;
  }
}

export function engineErrorFrom(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const [, code, message, type] = ENGINE_MESSAGE.exec(text) ?? [];
  // 1002 is the server's own code for an exception it does not know.
  if (code === undefined || message === undefined || type === undefined) {
    return new EngineError(1002, text, 'UNKNOWN_EXCEPTION');
  }
  return new EngineError(Number(code), message, type);
}
