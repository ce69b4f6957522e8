/** npm run test:chaos: long runs with real processes killed at random; not part of npm test. */
import base from './jest.config.mjs';

export default { ...base, testMatch: ['<rootDir>/test/chaos/**/*.chaos.ts'], maxWorkers: 1 };
