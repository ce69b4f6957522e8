export interface ArtifactStat {
  readonly key: string;
  readonly sizeBytes: number;
  /** Lower-case hex SHA-256 of the content. */
  readonly sha256: string;
}

export interface PutOptions {
  /** The hash that the content must have; another is refused and nothing is stored. */
  sha256?: string;
}

/** Content by key. A key is written whole or not at all and never changes its content. */
export abstract class ArtifactStore {
  /**
   * Stores content under `key` (parts of letters, digits, `.`, `_`, `-`, joined by `/`). The same content again is fine.
   * @throws AppError `request.invalid` for a bad key or hash, `resource.conflict` when the key holds other content.
   */
  abstract put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    options?: PutOptions,
  ): Promise<ArtifactStat>;

  /** The content, checked against its hash. @throws AppError `resource.not_found`, `internal` when it was damaged. */
  abstract get(key: string): Promise<Buffer>;

  abstract stat(key: string): Promise<ArtifactStat | undefined>;

  /** Removes a key; a missing one is fine. */
  abstract remove(key: string): Promise<void>;
}
