/**
 * The import rules of the architecture (AGENTS.md, R1–R7), all errors. `scripts/boundaries.spec.ts` plants a bad import
 * for each rule and expects red, and expects the graph not to be silently empty.
 */
const STAGES = [
  'trajectories',
  'triage',
  'evals',
  'environments',
  'training',
  'gates',
  'registry',
  'serving',
  'cycles',
];

/** Driver package → the one platform folder that may import it. */
const DRIVERS = {
  kafkajs: 'stream',
  '@clickhouse/client': 'clickhouse',
  chdb: 'clickhouse',
  pg: 'postgres',
  '@electric-sql/pglite': 'postgres',
  bullmq: 'queue',
  'onnxruntime-node': 'onnx',
};

const SPEC = '\\.spec\\.ts$|/testing/';
const npm = (name) => `node_modules/${name.replace('/', '\\/')}/`;

const flowOrder = STAGES.slice(0, -1).map((stage, index) => ({
  name: `r3-flow-order-${stage}`,
  comment: `R3: ${stage} comes before ${STAGES.slice(index + 1).join(', ')}; talk forward by event, job or port.`,
  severity: 'error',
  from: { path: `^libs/loop/${stage}/`, pathNot: SPEC },
  to: { path: `^libs/loop/(${STAGES.slice(index + 1).join('|')})/` },
}));

const cagedDrivers = Object.entries(DRIVERS).map(([driver, folder]) => ({
  name: `r5-driver-${driver.replace(/[@/]/g, '')}`,
  comment: `R5: ${driver} only in libs/platform/${folder}.`,
  severity: 'error',
  from: { pathNot: [`^libs/platform/${folder}/`, '^test/support/'] },
  to: { path: npm(driver) },
}));

export default {
  forbidden: [
    {
      name: 'r1-kernel-and-contracts-are-the-floor',
      comment: 'R1: kernel imports only kernel; contracts import kernel, contracts and zod.',
      severity: 'error',
      from: { path: '^libs/(kernel|contracts)/', pathNot: SPEC },
      to: { path: '^(libs/(platform|loop)|apps|examples|test|bench|migrations)/' },
    },
    {
      name: 'r1-kernel-below-contracts',
      severity: 'error',
      from: { path: '^libs/kernel/', pathNot: SPEC },
      to: { path: '^libs/contracts/' },
    },
    {
      name: 'r1-platform-below-loop',
      comment: 'R1: platform knows no business words.',
      severity: 'error',
      from: { path: '^libs/platform/', pathNot: SPEC },
      to: { path: '^(libs/loop|apps|examples|test|bench)/' },
    },
    {
      name: 'r1-loop-below-apps',
      severity: 'error',
      from: { path: '^libs/loop/', pathNot: SPEC },
      to: { path: '^(apps|examples|test|bench)/' },
    },
    {
      name: 'r1-examples-see-contracts-and-kernel-only',
      comment: 'An example is written as a user would write it: contracts and kernel, nothing of the inside.',
      severity: 'error',
      from: { path: '^examples/', pathNot: SPEC },
      to: { path: '^(libs/(platform|loop)|apps|test|bench)/' },
    },
    {
      name: 'r2-front-door',
      comment: 'R2: another stage is imported by its index.ts.',
      severity: 'error',
      from: { path: '^libs/loop/([^/]+)/' },
      to: { path: '^libs/loop/[^/]+/', pathNot: ['^libs/loop/$1/', '^libs/loop/[^/]+/index\\.ts$'] },
    },
    {
      name: 'r2-front-door-from-outside',
      comment:
        'R2: apps, tests and benches enter a stage by index.ts or http.ts, a platform folder by index.ts or its child program.',
      severity: 'error',
      from: { path: '^(apps|examples|bench|migrations)/' },
      to: { path: '^libs/loop/[^/]+/', pathNot: '^libs/loop/[^/]+/(index|http)\\.ts$' },
    },
    {
      name: 'r2-platform-front-door',
      severity: 'error',
      from: { pathNot: ['^libs/platform/', SPEC] },
      to: { path: '^libs/platform/[^/]+/', pathNot: '^libs/platform/[^/]+/index\\.ts$' },
    },
    {
      name: 'r2-platform-folders-by-door',
      severity: 'error',
      from: { path: '^libs/platform/([^/]+)/', pathNot: SPEC },
      to: {
        path: '^libs/platform/[^/]+/',
        pathNot: ['^libs/platform/$1/', '^libs/platform/[^/]+/index\\.ts$'],
      },
    },
    ...flowOrder,
    {
      name: 'r4-pure-core-no-frameworks',
      comment: 'R4: kernel and domain import no framework and no driver.',
      severity: 'error',
      from: { path: '^libs/(kernel|loop/[^/]+/domain)/', pathNot: SPEC },
      to: {
        path: 'node_modules/(@nestjs|rxjs|express|kysely|@clickhouse|chdb|pg|@electric-sql|bullmq|kafkajs|onnxruntime-node|pino)/',
      },
    },
    {
      name: 'r4-pure-core-no-io',
      comment: 'R4: kernel and domain do no I/O.',
      severity: 'error',
      from: { path: '^libs/(kernel|loop/[^/]+/domain)/', pathNot: SPEC },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer)$' },
    },
    {
      name: 'r4-pure-core-no-platform',
      severity: 'error',
      from: { path: '^libs/loop/[^/]+/domain/', pathNot: SPEC },
      to: { path: '^libs/platform/' },
    },
    ...cagedDrivers,
    {
      name: 'r6-apps-are-leaves',
      comment: 'R6: no app imports an app, but apps/ratchet the root modules of the others.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/ratchet/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'r6-ratchet-imports-root-modules-only',
      severity: 'error',
      from: { path: '^apps/ratchet/' },
      to: { path: '^apps/(?!ratchet/)[^/]+/', pathNot: '^apps/[^/]+/[^/]+\\.module\\.ts$' },
    },
    {
      name: 'r7-no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'r7-nothing-imports-tests',
      severity: 'error',
      from: { pathNot: [SPEC, '^test/'] },
      to: { path: ['\\.spec\\.ts$', '^test/'] },
    },
    {
      name: 'r7-resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|apps/web)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
};
