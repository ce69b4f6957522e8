import { fsyncSync } from 'node:fs';

import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** What the file layer of the engine shows of itself, as far as it is needed here. */
interface EngineModule {
  NODEFS: { stream_ops: { fsync?: (stream: { nfd?: number }) => number } };
}

type InitResult = Awaited<ReturnType<NodeFS['init']>>;

/**
 * PGlite's folder storage with a working fsync. Without it the engine's file layer answers "done" and does nothing, so
 * `fsync = on` would promise more than it keeps.
 */
export class DurableNodeFS extends NodeFS {
  override async init(pglite: PGlite, options: Parameters<NodeFS['init']>[1]): Promise<InitResult> {
    const { emscriptenOpts } = await super.init(pglite, options);
    const addFsync = (engine: object): void => {
      (engine as EngineModule).NODEFS.stream_ops.fsync = ({ nfd }) => {
        if (nfd !== undefined) fsyncSync(nfd);
        return 0;
      };
    };
    const preRun = [...(emscriptenOpts.preRun ?? []), addFsync];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}
