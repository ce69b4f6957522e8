/** Jest 30 in ESM mode: TypeScript by SWC, `.js` specifiers mapped back to `.ts`, subpath imports by the `source` condition. */
// Specs that load a model in their own process: a worker's own environment is what its native libraries read.
process.env.ORT_DISABLE_TELEMETRY = '1';

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{apps,libs,examples,scripts,test,bench,migrations}/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '<rootDir>/apps/web/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.ratchet/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { swcrc: true }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  testSequencer: '<rootDir>/scripts/longest-first.mjs',
  maxWorkers: 2,
  testTimeout: 60_000,
};
