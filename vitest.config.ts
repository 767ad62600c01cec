// All tests. `vitest run` runs the project `main`, `vitest run --project NAME` another one. Stryker cannot choose a project, so
// TEST_PROJECT can. The global setup of a project installs its tools; it runs for the chosen project alone.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { leftOutFiles } from './scripts/test-tools.ts';
import WaitingInBetween from './test/support/sequencer.ts';

type TestOptions = NonNullable<TestProjectInlineConfiguration['test']>;

/** Folders of tests that have a project of their own. */
const APART = [
  'attacks',
  'cluster',
  'deploy',
  'group',
  'languages',
  'openapi',
  'operations',
  'packages',
  'sdk',
  'site',
].map((folder) => `test/${folder}/**`);

/**
 * Tests that start processes of the service or the command line, or database servers that fail. The first command of a newcomer is in
 * the gate.
 */
const OF_PROCESSES = [
  'test/{faults,process}/**/!(npm-run-dev).test.ts',
  'test/cli/{standard-output,terminal}.test.ts',
  'test/isolation/modules.test.ts',
  'test/rpc/{interop,rate-limit-processes}.test.ts',
  'test/store/database-{faults,hosts,processes}.test.ts',
];

/** Tests that measure or wait for wall time. They run in `npm run test:all`, one at a time, and never in the gate. */
const TIMED = ['test/**/*.timed.test.ts', '{client,web}/test/unit/**/*.timed.test.ts'];

/** A process for all files of a worker: what they import is loaded, compiled and optimised once. */
const SHARED_PROCESS = { isolate: false } as const;

const testSupport = (name: string) => fileURLToPath(new URL(`test/support/${name}`, import.meta.url));

const MAIN: TestOptions = {
  ...SHARED_PROCESS,
  include: ['test/**/*.test.ts', 'client/test/unit/**/*.test.ts', 'web/test/unit/**/*.test.ts'],
  exclude: [...APART, ...OF_PROCESSES, ...TIMED, ...Object.values(leftOutFiles()).flat()],
  alias: [
    { find: /^argon2$/, replacement: testSupport('argon2.ts') },
    { find: /^jose\/key\/generate\/keypair$/, replacement: testSupport('key-pairs.ts') },
  ],
  globalSetup: 'test/support/global-setup.ts',
  setupFiles: 'test/support/property-seed.ts',
  // Starts of processes take seconds where other tests use the processors.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // The default of a second is too short on a busy machine.
  expect: { poll: { timeout: 10_000 } },
  pool: 'forks',
  maxWorkers: 2,
  // A worker keeps the modules of all its files. Without a limit, its heap grows to a gigabyte of garbage.
  execArgv: ['--max-old-space-size=352'],
};

/** Programs and services one at a time, with packages and compilers on a machine that has none of their caches. */
const TOOLS: TestOptions = {
  ...SHARED_PROCESS,
  // They use the embedded database alone: no server of databases is started.
  globalSetup: 'test/support/sqlite-setup.ts',
  testTimeout: 120_000,
  hookTimeout: 480_000,
  maxWorkers: 1,
};

/** One at a time, since they measure times and memory. */
const MEASURED: TestOptions = {
  ...SHARED_PROCESS,
  globalSetup: 'test/support/global-setup.ts',
  testTimeout: 240_000,
  hookTimeout: 120_000,
  maxWorkers: 1,
};

const RESPONSE_TIMES = ['test/attacks/{response-times,*-timing}.test.ts'];

/** A test that uses one of these names runs on the database server; the others would only be repeated. */
const ON_SERVER = /\b(ENGINES|DEPLOYMENTS|DIAGONAL|PROVIDERS|SERVER_ENGINE|privateServer)\b/;

/**
 * Tests of requests and responses, of settings and modules, and of files and processes. No statement of their own decides them, so
 * one database server shows them.
 */
const OF_EVERY_DATABASE = [
  'test/faults/{frozen-core,killed-core,killed-files}.test.ts',
  'test/isolation/check-isolation.test.ts',
  'test/process/{module-deployments,public-url,workers}.test.ts',
  'test/rest/leaked-secrets.test.ts',
  'test/rest/business/{file-content,revoked-streams}.test.ts',
  'test/rest/business/*hostile-bodies.test.ts',
  'test/rest/root/**',
  'test/rpc/admin/validation.test.ts',
];

/** Tests that need the shop: those of its RPCs and permissions, and of uploads, which only it has. */
const OF_SHOP = ['test/rpc/business/**', 'test/rpc/interop.test.ts', 'test/gateway/upload.test.ts'];

/**
 * Tests of times, races, limits, connections, several processes, and the parts of logins and tokens. The modules of a service decide
 * none of them: a service without the shop would only repeat them.
 */
const OF_EVERY_SERVICE = [
  'test/**/*{processes,races,rate-limit}*.test.ts',
  'test/gateway/{connection-limits,pipelining,raw-http,raw-http-connections,shutdown}.test.ts',
  'test/rest/auth/{aborted-logins,client-address,failure-limit,hash-queue,key-rotation,malformed-http,revocations}.test.ts',
  'test/rest/auth/{revocations-heartbeat,rotation,second-factor-peers,session-limit}.test.ts',
  'test/rest/auth/{confirm,confirm-by-factor,cors,counted-refusals,hostile-*,issuer-change,lock,origin,session-origin}.test.ts',
  'test/rest/auth/{second-factor,second-factor-disclosure}.test.ts',
  'test/rest/factors/{malformed-passkeys,own-disclosure,passkey-peers}.test.ts',
  'test/rest/m2m/outage.test.ts',
  'test/rest/profile-b/{hostile-*,lock,outage,rotation}.test.ts',
  'test/rpc/{health,tls-reload}.test.ts',
  'test/rpc/admin/role-limits.test.ts',
  'test/rpc/pipeline/{call-turns,cancellation,connections,deadline,floods,idle,raw-messages,unread-stream}.test.ts',
];

const PROJECTS: Readonly<Record<string, TestOptions>> = {
  // The tests without further tools, on SQLite and on a database server.
  main: MAIN,
  timed: { ...MAIN, include: TIMED, exclude: APART, maxWorkers: 1 },
  // The same tools and databases.
  processes: { ...MAIN, include: OF_PROCESSES, exclude: [...APART, ...TIMED] },
  // Those whose outcome depends on the database, on a real MySQL alone.
  mysql: {
    ...MAIN,
    exclude: [...APART, ...TIMED, ...OF_EVERY_DATABASE],
    globalSetup: 'test/support/mysql-setup.ts',
    include: globSync('test/**/*.test.ts').filter((path) => ON_SERVER.test(readFileSync(path, 'utf8'))),
  },
  // Accounts, sessions and machines in a service without the shop. The setting changes roles, routes and RPCs, but neither
  // the schema nor a statement. So `main` shows the database server, and this project runs on SQLite alone.
  'without-shop': {
    ...MAIN,
    globalSetup: 'test/support/without-shop-setup.ts',
    include: ['test/{gateway,rest/{admin,api-key,auth,factors,forward,m2m,profile-b,root},rpc}/**/*.test.ts'],
    exclude: [...TIMED, ...OF_SHOP, ...OF_EVERY_SERVICE],
    env: { TEST_WITHOUT_SHOP: 'true' },
  },
  // Those that Stryker runs against every mutant: of the mutated files alone, so that each run takes seconds.
  mutation: {
    ...MAIN,
    // Stryker runs the tests in threads, which do not accept the limit of a process.
    execArgv: [],
    // A change of what runs at import is seen only if each file imports anew.
    isolate: true,
    include: [
      'test/unit/{access-token,access-token-application,access-token-verify,attempt-slot,compact-jws,confirm-replay,eligibility,outcome-recorder,permissions,rights,role-decisions,rotate,rotate-steps,rotation,rotation-batches}.test.ts',
      'test/unit/oauth/decide-*.test.ts',
      'test/store/{account-lock,account-lock-decoys,rotate-session}.test.ts',
      'test/rpc/pipeline/{access-rules,admission}.test.ts',
    ],
  },
  // A history of many clients on a Galera cluster whose nodes fail. CLUSTER_RUNS is the number of histories, by default 20.
  cluster: {
    ...MAIN,
    include: ['test/cluster/**/*.test.ts'],
    exclude: [],
    globalSetup: 'test/cluster/setup.ts',
    // Three nodes at a time: their time limits are those of an idle machine.
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 180_000,
  },
  // Services with a MySQL replication group whose primary fails.
  group: {
    ...MAIN,
    include: ['test/group/**/*.test.ts'],
    exclude: [],
    globalSetup: 'test/support/mysql-setup.ts',
    testTimeout: 300_000,
    hookTimeout: 180_000,
  },
  // Floods and memory of a running service under attack.
  attacks: { ...MEASURED, include: ['test/attacks/*.test.ts'], exclude: RESPONSE_TIMES },
  // Whether the response time of a refusal tells its cause.
  'response-times': { ...MEASURED, include: RESPONSE_TIMES },
  // The client in a real browser against the real service, and the package as it is published. They wait more than they compute.
  client: {
    ...SHARED_PROCESS,
    include: ['client/test/{browser,package}/*.test.ts'],
    globalSetup: 'client/test/support/global-setup.ts',
    testTimeout: 170_000,
    hookTimeout: 120_000,
    maxWorkers: 3,
    maxConcurrency: 12,
  },
  // The client in a project of Next, whose packages and build take a minute.
  next: {
    ...SHARED_PROCESS,
    include: ['client/test/next/*.test.ts'],
    globalSetup: 'client/test/support/global-setup.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
  // The pages in a real browser against the real service.
  pages: {
    ...SHARED_PROCESS,
    include: ['web/test/browser/*.test.ts'],
    globalSetup: 'web/test/support/global-setup.ts',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // The default of a second is too short on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 2,
  },
  // The pages in Firefox, which speaks to the tests without a driver. As root on Debian, it is installed.
  firefox: {
    ...SHARED_PROCESS,
    include: ['web/test/firefox/*.test.ts'],
    globalSetup: 'test/support/without-shop-setup.ts',
    testTimeout: 120_000,
    hookTimeout: 480_000,
    maxWorkers: 1,
  },
  // The files of deploy/ against their schemas, the content of the image in containers, and completion in shells.
  deploy: {
    ...TOOLS,
    include: ['test/deploy/*.test.ts'],
    exclude: ['test/deploy/helm*.test.ts'],
    globalSetup: 'test/deploy/setup.ts',
  },
  // The Helm chart. The first run compiles Helm.
  chart: { ...TOOLS, include: ['test/deploy/helm*.test.ts'] },
  // The package of the service as npm would publish it, installed into empty folders.
  packages: { ...TOOLS, include: ['test/packages/*.test.ts'] },
  // The documents as a site: built, and read in a browser.
  site: { ...TOOLS, include: ['test/site/*.test.ts'], hookTimeout: 900_000 },
  // Callers in other languages, against real cores.
  languages: { ...TOOLS, include: ['test/languages/*.test.ts'] },
  // The packages for callers of the core: packed, installed in empty folders, and used.
  sdk: { ...TOOLS, include: ['test/sdk/*.test.ts'], hookTimeout: 1_800_000 },
  // Resource servers in other frameworks, and Envoy's JWT filter.
  frameworks: { ...TOOLS, include: ['test/languages/frameworks/*.test.ts'], testTimeout: 60_000 },
  // Clients of other vendors that log in users by OpenID Connect. The first run compiles and downloads them.
  'relying-parties': {
    ...TOOLS,
    include: ['test/languages/relying-parties/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    hookTimeout: 1_800_000,
  },
  // Forward authentication behind real proxies. Caddy and Traefik are compiled where that has not been done.
  proxies: { ...TOOLS, include: ['test/languages/proxies/*.test.ts'], testTimeout: 60_000, hookTimeout: 900_000 },
  // The OpenAPI document against the service, and the clients that generators make of it.
  openapi: { ...TOOLS, include: ['test/openapi/*.test.ts'], testTimeout: 900_000, maxWorkers: 2 },
  // Metrics, alerts and traces against Prometheus and an OpenTelemetry collector, which the first run builds.
  operations: { ...TOOLS, include: ['test/operations/*.test.ts'], testTimeout: 60_000, hookTimeout: 900_000 },
};

/** `project` filters as --project does, which replaces it. A variable, because the types have it on the command line only. */
const test = {
  project: process.env['TEST_PROJECT'] ?? 'main',
  projects: Object.entries(PROJECTS).map(([name, options]) => ({ test: { ...options, name } })),
  reporters: ['test/support/reporter.ts'],
  sequence: { sequencer: WaitingInBetween },
};

export default defineConfig({ test });
