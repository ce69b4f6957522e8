/**
 * Lets a child process run from TypeScript source, as its parent does under the test runner: `.js` specifiers find their
 * `.ts` file, and SWC strips the types. Development only; the built program never loads it.
 */
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
