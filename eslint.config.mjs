import tseslint from 'typescript-eslint';

/** Driver packages and process.env are caged here too, for editor speed; dependency-cruiser is the authority. */
const CAGED = [
  'kafkajs',
  '@clickhouse/client',
  'chdb',
  'pg',
  '@electric-sql/pglite',
  'bullmq',
  'onnxruntime-node',
];

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', '.ratchet/**', 'native/**', '**/*.d.ts', 'apps/web/dist/**'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.base],
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: [] }, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/only-throw-error': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 5],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**', 'bench/**', '**/testing/**'],
    rules: { 'max-lines-per-function': 'off', 'no-console': 'off' },
  },
  { files: ['apps/web/src/api-types.ts'], rules: { 'max-lines': 'off' } },
  { files: ['apps/web/**/*.tsx'], rules: { 'max-lines-per-function': ['error', 110] } },
  { files: ['apps/ratchet/cli/**', 'scripts/**', 'examples/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    files: ['libs/loop/**', 'libs/kernel/**', 'libs/contracts/**', 'apps/**', 'examples/**'],
    rules: {
      'no-restricted-imports': ['error', { paths: CAGED }],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read settings through #platform/config.' },
      ],
    },
  },
  {
    files: ['libs/kernel/**', 'libs/loop/*/domain/**'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Take a Clock.' },
        { object: 'Math', property: 'random', message: 'Take an Rng.' },
        { object: 'process', property: 'env' },
      ],
    },
  },
);
