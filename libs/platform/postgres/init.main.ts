/** Makes an empty PGlite database folder and ends. */
import { PGlite } from '@electric-sql/pglite';
import { z } from 'zod';

import { announceReady, readChildConfig } from '#platform/process';

const { dataDir } = await readChildConfig(z.object({ dataDir: z.string() }));
const pglite = await PGlite.create(dataDir);
await pglite.exec('CHECKPOINT');
await pglite.close();
announceReady();
process.exit(0);
