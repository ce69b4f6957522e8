/** `npm run docs:openapi -- http://127.0.0.1:4100`: writes openapi.json as a running Ratchet describes itself. */
import { writeFileSync } from 'node:fs';

const [url = 'http://127.0.0.1:4100'] = process.argv.slice(2);
const response = await fetch(new URL('/openapi.json', url));
if (!response.ok) throw new Error(`${url} answered ${response.status}`);
writeFileSync('openapi.json', `${JSON.stringify(await response.json(), null, 2)}\n`);
