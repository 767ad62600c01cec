// The import rules of the project, held over its real files. Each rule also has a made-up file that breaks it, so that a rule
// which has gone blind fails.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Source {
  /** Relative to the project's root. */
  readonly path: string;
  readonly text: string;
}

interface Import {
  readonly from: string;
  /** A file of the project by its path, else the name of a package. */
  readonly to: string;
  readonly typeOnly: boolean;
}

interface Rule {
  readonly name: string;
  /** What breaks the rule, for a person. */
  readonly violations: (sources: readonly Source[]) => string[];
  /** Breaks it; not always alone. */
  readonly counterexample: readonly Source[];
}

const IDENTITY = ['src/identity', 'src/identity/authentication', 'src/identity/users', 'src/identity/explain'];
const SERVICE_MAY_IMPORT = ['proto/gen', 'src/rpc', 'src/db', 'src/db/query', 'src/audit'];
const IDENTITY_MAY_IMPORT = [...SERVICE_MAY_IMPORT, 'src/jobs', 'src/token', 'src/tenancy'];

/** What a folder may import, besides itself and SHARED. A folder that is not listed may import nothing at all. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'proto/gen': [],
  // A migration that ran must not change with the code around it.
  migrations: ['migrations/schema'],
  'migrations/schema': [],
  cli: [
    'src/config',
    'src',
    'src/process',
    'src/rpc/errors',
    'cli/isolation',
    'cli/commands',
    'cli/core',
    'cli/terminal',
  ],
  'cli/commands': ['proto/gen', 'src', 'src/config', 'src/rpc', 'cli', 'cli/core', 'cli/isolation', 'cli/terminal'],
  'cli/core': ['proto/gen', 'src', 'src/rpc', 'src/rpc/errors', 'src/rpc/grpc', 'src/rpc/local', 'cli', 'cli/terminal'],
  'cli/terminal': ['cli'],
  'cli/isolation': ['proto/gen', 'src/rpc', 'src/rpc/errors', 'src/rpc/grpc', 'src/bootstrap', 'src/principal'],
  scripts: [
    'cli',
    'cli/commands',
    'cli/core',
    'proto/gen',
    'gateway',
    'src',
    'src/process',
    'src/config',
    'src/rpc',
    'src/rpc/pipeline',
    'src/problem',
    'src/identity/authentication',
  ],
  'src/concurrency': [],
  'src/formats': [],
  'src/principal': ['proto/gen', 'src/db'],
  'src/config': [],
  'src/process': [
    'src/config',
    'src/tracing',
    'src/jobs',
    'src/problem',
    'src/rpc',
    'src/rpc/pipeline',
    'src/rpc/grpc',
    'src/rpc/grpc/patches',
  ],
  'src/db': ['src/db/mysql', 'src/db/sqlite'],
  'src/db/mysql': ['src/db'],
  'src/db/sqlite': ['src/db'],
  'src/db/query': ['src/db'],
  'src/rpc': ['proto/gen', 'src/db/query', 'src/rpc/contract', 'src/rpc/errors'],
  'src/rpc/contract': ['proto/gen', 'src/rpc', 'src/rpc/errors'],
  'src/rpc/errors': ['proto/gen'],
  'src/rpc/pipeline': ['proto/gen', 'src/rpc', 'src/rpc/contract', 'src/rpc/errors'],
  'src/rpc/local': ['src/rpc', 'src/rpc/errors', 'src/rpc/pipeline'],
  'src/rpc/grpc': [
    'proto/gen',
    'src/rpc',
    'src/rpc/contract',
    'src/rpc/errors',
    'src/rpc/pipeline',
    'src/rpc/grpc/patches',
  ],
  'src/rpc/grpc/patches': ['src/rpc/errors', 'src/rpc/pipeline'],
  'src/problem': ['src/rpc/errors'],
  'src/tracing': ['src/config', 'src/db', 'src/identity/authentication'],
  'src/jobs': ['src/db'],
  'src/files': [],
  'src/audit': ['src/rpc', 'src/db', 'src/db/query', 'src/jobs'],
  'src/rate-limit': ['src/db', 'src/jobs'],
  'src/token': ['src/db', 'src/db/query', 'src/jobs'],
  'src/tenancy': ['proto/gen', 'src/rpc', 'src/db', 'src/db/query', 'src/audit'],
  'src/identity': [...IDENTITY_MAY_IMPORT, ...IDENTITY],
  'src/identity/authentication': [...IDENTITY_MAY_IMPORT, 'src/identity'],
  'src/identity/users': [...IDENTITY_MAY_IMPORT, 'src/identity', 'src/identity/authentication'],
  'src/identity/explain': [...IDENTITY_MAY_IMPORT, ...IDENTITY],
  'src/session': [...SERVICE_MAY_IMPORT, 'src/jobs', 'src/token', 'src/rate-limit', ...IDENTITY],
  'src/client-credentials': [...SERVICE_MAY_IMPORT, 'src/token', 'src/rate-limit', ...IDENTITY],
  'src/envoy': ['proto/gen', 'src/rpc', 'src/rpc/errors', 'src/rpc/pipeline', 'src/audit', 'src/problem', ...IDENTITY],
  'src/api-key': [...SERVICE_MAY_IMPORT, ...IDENTITY],
  'src/business': ['proto/gen', 'src/rpc', 'src/db', 'src/db/query', 'src/jobs', 'src/files', 'src/tenancy'],
  'src/bootstrap': [
    'src/config',
    'src/rpc',
    'src/db',
    'src/tenancy',
    'src/client-credentials',
    'src/business',
    ...IDENTITY,
  ],
  // What the gateway may import of the core is the rule after this one.
  gateway: [
    'gateway/errors',
    'gateway/schema',
    'gateway/http',
    'gateway/contract',
    'gateway/auth',
    'gateway/business',
    'gateway/root',
    'gateway/dev',
    'gateway/openapi',
  ],
  'gateway/errors': [],
  'gateway/schema': ['gateway/errors'],
  'gateway/http': ['gateway/errors', 'gateway/schema'],
  'gateway/contract': ['gateway/errors', 'gateway/schema', 'gateway/http'],
  'gateway/auth': ['gateway/errors', 'gateway/schema', 'gateway/http'],
  'gateway/business': ['gateway/errors', 'gateway/schema', 'gateway/http', 'gateway/contract'],
  'gateway/root': ['gateway/errors', 'gateway/http', 'gateway/auth'],
  'gateway/dev': ['gateway/errors', 'gateway/root'],
  'gateway/openapi': ['gateway/errors', 'gateway/schema', 'gateway/contract', 'gateway/auth'],
};

/** Generated code and collections of independent files. */
const UNDESCRIBED = ['proto/gen', 'migrations', 'migrations/schema', 'scripts'];

/** What every part of the core may know. */
const SHARED = [
  'src/clock.ts',
  'src/errors.ts',
  'src/problem/catalogue.ts',
  'src/problem/failure-kind.ts',
  'src/problem/http-failures.ts',
  'src/files/make-folder.ts',
  // The types of spans; the packages behind them are loaded only if tracing is on.
  'src/tracing/tracer.ts',
  'src/metric.ts',
  // What settings say: checked by the configuration, read by those who connect.
  'src/db/database-url.ts',
  'src/files/files-url.ts',
];
/** Leaves of the core that all of it may import. */
const SHARED_FOLDERS = ['src/concurrency', 'src/formats', 'src/principal'];
/** Leaves of the gateway that all of it may import. */
const SHARED_IN_GATEWAY = /^gateway\/(?:api-path|clients|context|endpoint|metrics|security|type)\.ts$/;

/** The files that put the core together; they may import all of it. */
const COMPOSITION = /^src\/(?:[^/]+|composition\/[^/]+)\.ts$/;

/** What the gateway knows of the core: the contract, the client side of the RPC kit, and the names of things as types. */
const GATEWAY_MAY_IMPORT =
  /^(?:gateway|proto\/gen)\/|^src\/rpc\/(?:contract|errors)\/|^src\/rpc\/(?:types|grpc\/client|local\/client)\.ts$|^src\/problem\/|^src\/(?:formats|concurrency)\/|^src\/process\/latency-histogram\.ts$/;
const GATEWAY_MAY_KNOW = /^src\/(?:errors|config\/settings|tracing\/tracer)\.ts$/;

/** Where each package is used. Types of the logger go everywhere. */
const HOMES: Readonly<Record<string, RegExp>> = {
  '@zxcvbn-ts/language-common': /^src\/identity\/users\/common-passwords\.ts$/,
  argon2: /^src\/identity\/authentication\/password-hasher\.ts$/,
  jose: /^src\/token\//,
  knex: /^src\/db\/query\/builder\.ts$/,
  mysql2: /^src\/db\//,
  'node:sqlite': /^src\/db\//,
  uuid: /^src\/db\//,
  fastify: /^gateway\//,
  '@fastify/ajv-compiler': /^gateway\/schema\/lazy-schemas\.ts$/,
  '@fastify/cookie': /^gateway\//,
  '@fastify/cors': /^gateway\//,
  '@fastify/fast-json-stringify-compiler': /^gateway\/schema\/lazy-schemas\.ts$/,
  '@fastify/multipart': /^gateway\//,
  '@fastify/swagger': /^gateway\//,
  '@fastify/swagger-ui': /^gateway\//,
  '@fastify/type-provider-typebox': /^gateway\//,
  typebox: /^(?:gateway|src\/bootstrap)\//,
  '@bomb.sh/tab': /^cli\/completion(?:-script)?\.ts$/,
  '@inquirer/password': /^cli\/terminal\//,
  'cli-table3': /^cli\/terminal\//,
  'cli-progress': /^cli\/terminal\//,
  commander: /^cli\/(?:program|run)\.ts$/,
  '@grpc/grpc-js': /^(?:src\/rpc|proto\/gen)\//,
  '@grpc/proto-loader': /^cli\/isolation\/rpcs\.ts$/,
  '@grpc/reflection': /^src\/rpc\/grpc\/reflection\.ts$/,
  '@bufbuild/protobuf':
    /^(?:proto\/gen\/|src\/rpc\/(?:grpc\/reflection\.ts$|contract\/)|gateway\/contract\/|scripts\/(?:max-response-bytes|proto-comments)\.ts$)/,
  '@opentelemetry/api': /^src\/tracing\/otlp-/,
  '@opentelemetry/core': /^src\/tracing\/otlp-/,
  '@opentelemetry/exporter-trace-otlp-proto': /^src\/tracing\/otlp-/,
  '@opentelemetry/resources': /^src\/tracing\/otlp-/,
  '@opentelemetry/sdk-trace': /^src\/tracing\/otlp-/,
  'rate-limiter-flexible': /^src\/rate-limit\//,
  redis: /^src\/rate-limit\//,
  '@aws-sdk/client-s3': /^src\/files\//,
  sharp: /^src\/files\//,
  'prom-client': /^(?:gateway\/metrics|src\/process\/(?:metrics|watch-metrics|latency-histogram))\.ts$/,
  yaml: /^src\/(?:config|bootstrap)\//,
  pino: /^src\/process\/log\.ts$/,
  'pino-pretty': /^src\/process\/log\.ts$/,
};

/** SQL stands in stores; these are stores by another name. */
const STORE =
  /^(?!gateway\/|src\/files\/).*-store\.ts$|^(?:migrations|src\/db|src\/jobs)\/|^src\/(?:identity\/authentication\/account-lock|token\/blacklist)\.ts$/;

/** The account lock is a state machine of its own on a few columns of the accounts. */
const SHARED_TABLES: Readonly<Record<string, readonly string[]>> = {
  accounts: ['src/identity/account-store.ts', 'src/identity/authentication/account-lock.ts'],
  // Versions of all records are raised in one place; orders take stock by a statement of its own.
  customers: ['src/business/customers/customer-store.ts', 'src/business/record-store.ts'],
  orders: ['src/business/orders/order-store.ts', 'src/business/record-store.ts'],
  products: [
    'src/business/products/product-store.ts',
    'src/business/products/stock-store.ts',
    'src/business/record-store.ts',
  ],
};

/** What is excused, in the words of the rule that it breaks. Every entry must still occur. */
const KNOWN = [
  // Refresh judges the account as the bearer check does, by the store's read rather than by a use-case function.
  'src/session/refresh-session.ts -> src/identity/account-store.ts',
  // Asks whether the database is empty, for the demo data.
  'src/composition/create-first-accounts.ts -> SQL',
];

const MAX_LINES = 300;

const STATIC_IMPORT = /^(?:import|export)\s+(type\s)?(?:[^;'"]*?\sfrom\s+)?'([^']+)'/gm;
const DYNAMIC_IMPORT = /(?:\bimport|\brequire|createRequire\(import\.meta\.url\))\('([^']+)'\)/g;

/** The name that package.json would give to a package. */
function packageOf(specifier: string): string {
  const depth = specifier.startsWith('@') ? 2 : 1;
  return specifier.startsWith('node:') ? specifier : specifier.split('/').slice(0, depth).join('/');
}

function importsOf({ path, text }: Source): Import[] {
  const target = (specifier: string) =>
    specifier.startsWith('.') ? join(dirname(path), specifier) : packageOf(specifier);
  return [
    ...[...text.matchAll(STATIC_IMPORT)].map(([, type, to]) => ({
      from: path,
      to: target(to!),
      typeOnly: type !== undefined,
    })),
    ...[...text.matchAll(DYNAMIC_IMPORT)].map(([, to]) => ({ from: path, to: target(to!), typeOnly: false })),
  ];
}

const isOurs = ({ to }: Import): boolean => to.endsWith('.ts');

/** The part of the project that a file belongs to: the deepest folder that has a line of its own. */
function folderOf(path: string): string {
  const folder = dirname(path);
  return folder in MAY_IMPORT || !folder.includes('/') ? folder : folderOf(folder);
}

/** The service that a file of the core belongs to. */
function serviceOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

function eachImport(judge: (imported: Import) => boolean) {
  return (sources: readonly Source[]): string[] =>
    sources.flatMap(importsOf).flatMap((imported) => (judge(imported) ? [] : [`${imported.from} -> ${imported.to}`]));
}

function isInside(imported: Import): boolean {
  const { from, to } = imported;
  if (!isOurs(imported)) return true;
  if (from.startsWith('gateway/')) {
    if (!to.startsWith('gateway/') || SHARED_IN_GATEWAY.test(to)) return true;
  } else {
    if (COMPOSITION.test(from)) return to.startsWith('src/') || to.startsWith('proto/gen/');
    if (!from.startsWith('migrations/') && (SHARED.includes(to) || SHARED_FOLDERS.includes(folderOf(to)))) return true;
  }
  const home = folderOf(from);
  return [home, ...(MAY_IMPORT[home] ?? [])].includes(folderOf(to)) && home in MAY_IMPORT;
}

function isForGateway(imported: Import): boolean {
  const { from, to, typeOnly } = imported;
  if (!from.startsWith('gateway/') || !isOurs(imported)) return true;
  const composes = from === 'gateway/main.ts' && (COMPOSITION.test(to) || to.startsWith('src/process/'));
  return composes || GATEWAY_MAY_IMPORT.test(to) || (typeOnly && GATEWAY_MAY_KNOW.test(to));
}

/** Only what puts the core together, and the bootstrap that fills it, reaches into several services' stores. */
function leavesForeignStoresAlone({ from, to }: Import): boolean {
  if (COMPOSITION.test(from) || from.startsWith('src/bootstrap/')) return true;
  return !STORE.test(to) || !to.endsWith('-store.ts') || serviceOf(from) === serviceOf(to);
}

function isAtHome(imported: Import): boolean {
  const { from, to, typeOnly } = imported;
  if (isOurs(imported) || (to.startsWith('node:') && HOMES[to] === undefined)) return true;
  return (to === 'pino' && typeOnly) || (HOMES[to]?.test(from) ?? false);
}

/**
 * Slow to load and needed by few processes, or late. Only the listed files may import them statically; those are loaded
 * late themselves.
 */
const LOADED_LATE: Readonly<Record<string, RegExp | undefined>> = {
  '@aws-sdk/client-s3': /^src\/files\/s3-object-store\.ts$/,
  '@fastify/swagger': undefined,
  '@fastify/swagger-ui': undefined,
  '@grpc/proto-loader': /^cli\//,
  '@grpc/reflection': undefined,
  '@zxcvbn-ts/language-common': undefined,
  jose: undefined,
  knex: undefined,
  mysql2: undefined,
  'node:http': /^(?:cli\/|src\/tracing\/otlp-)/,
  'pino-pretty': undefined,
  'rate-limiter-flexible': undefined,
  redis: undefined,
  sharp: undefined,
  typebox: /^src\/bootstrap\/plan(?:-file)?\.ts$/,
  yaml: /^src\/bootstrap\/plan-file\.ts$/,
};

function isLoadedLate({ path, text }: Source): string[] {
  const isServed = /^(?:src|gateway)\//.test(path);
  return [...text.matchAll(STATIC_IMPORT)]
    .filter(([, type, to]) => {
      // Parts of jose are small.
      const name = to!.startsWith('jose/') ? to! : packageOf(to!);
      return isServed && type === undefined && name in LOADED_LATE && !LOADED_LATE[name]?.test(path);
    })
    .map(([, , to]) => `${path} -> ${to}`);
}

const WRITES = /\b(?:INSERT(?: IGNORE)? INTO|REPLACE INTO|DELETE FROM|UPDATE(?=\s+\S+\s+SET\b))\s+`?(\$\{|\w+)/g;
const SQL = /\b(?:SELECT\s[^;]*?\sFROM|INSERT INTO|REPLACE INTO|DELETE FROM|UPDATE\s+\S+\s+SET)\s/;
const TABLES = /createTable\(schema, '(\w+)'/g;

/** The tables that a file writes. Where the table is a variable, those that the file names count. */
function tablesWritten({ text }: Source, tables: readonly string[]): string[] {
  const named = [...text.matchAll(WRITES)].map(([, table]) => table!);
  const variable = named.includes('${') ? tables.filter((table) => text.includes(`'${table}'`)) : [];
  return [...new Set([...named.filter((table) => table !== '${'), ...variable])];
}

function severalWriters(sources: readonly Source[]): string[] {
  const tables = sources.flatMap(({ text }) => [...text.matchAll(TABLES)].map(([, table]) => table!));
  const writers = new Map<string, string[]>(tables.map((table) => [table, []]));
  for (const source of sources) {
    if (source.path.startsWith('migrations/')) continue;
    for (const table of tablesWritten(source, tables)) writers.set(table, [...(writers.get(table) ?? []), source.path]);
  }
  const isExpected = (table: string, paths: readonly string[]) =>
    paths.length === 1 || paths.toSorted().join() === SHARED_TABLES[table]?.join();
  return [...writers]
    .filter(([table, paths]) => !isExpected(table, paths))
    .map(([table, paths]) => `${table} is written by ${paths.join(', ') || 'nobody'}`);
}

/** Every cycle is found, named by the import that closes it. */
function cycles(sources: readonly Source[]): string[] {
  const graph = new Map(sources.map((source) => [source.path, importsOf(source).filter(isOurs)]));
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (done.has(path)) return;
    done.add(path);
    for (const { to } of graph.get(path) ?? []) visit(to, [...trail, path]);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

const file = (path: string, text: string): Source => ({ path, text });

const RULES: readonly Rule[] = [
  {
    name: 'a folder imports only what its line allows, and the core never the gateway',
    violations: eachImport(isInside),
    counterexample: [file('src/tenancy/tenant-store.ts', "import { login } from '../session/login.ts';")],
  },
  {
    name: 'the gateway knows the contract and the client side of the RPC kit, never a service',
    violations: eachImport(isForGateway),
    counterexample: [file('gateway/auth/login.ts', "import { ROLES } from '../../src/principal/account.ts';")],
  },
  {
    name: 'no service reaches into the store of another',
    violations: eachImport(leavesForeignStoresAlone),
    counterexample: [file('src/session/login.ts', "import type {\n  A,\n} from '../identity/account-store.ts';")],
  },
  {
    name: 'each package is used at its home only',
    violations: eachImport(isAtHome),
    counterexample: [file('src/session/login.ts', "import { SignJWT } from 'jose/jwt/sign';")],
  },
  {
    name: 'packages that most processes do not need are loaded late',
    violations: (sources) => sources.flatMap(isLoadedLate),
    counterexample: [file('src/db/connect.ts', "import createKnex from 'knex';")],
  },
  {
    name: 'SQL stands in stores',
    violations: (sources) =>
      sources.filter(({ path, text }) => SQL.test(text) && !STORE.test(path)).map(({ path }) => `${path} -> SQL`),
    counterexample: [file('src/session/login.ts', "db.query('SELECT id FROM accounts')")],
  },
  {
    name: 'stores know neither proto types nor the RPC kit',
    violations: eachImport(({ from, to }) => !STORE.test(from) || !/^(?:proto\/gen|src\/rpc)\//.test(to)),
    counterexample: [file('src/session/session-store.ts', "import type { A } from '../../proto/gen/a/v1/a.ts';")],
  },
  {
    name: 'the rows of a table are written by one store',
    violations: severalWriters,
    counterexample: [
      file('migrations/0001_pots.ts', "createTable(schema, 'pots', {})"),
      file('src/a/pot-store.ts', "db.execute('INSERT INTO pots (id) VALUES (?)')"),
      file('src/b/other-store.ts', "const table = 'pots'; db.execute(`UPDATE ${table} SET id = ?`)"),
    ],
  },
  {
    name: 'no file imports itself, over whatever detour',
    violations: cycles,
    counterexample: [file('src/a.ts', "import './b.ts';"), file('src/b.ts', "export { a } from './a.ts';")],
  },
  {
    name: 'the packages of tracing are loaded only if tracing is on',
    violations: (sources) =>
      sources.flatMap((source) =>
        [...source.text.matchAll(STATIC_IMPORT)]
          .filter(([, type, to]) => type === undefined && /\/otlp-[^/]*\.ts$/.test(to!))
          .filter(() => !source.path.startsWith('src/tracing/otlp-'))
          .map(([, , to]) => `${source.path} -> ${to}`),
      ),
    counterexample: [file('src/main.ts', "import { createOtlpTracing } from './tracing/otlp-tracing.ts';")],
  },
  {
    name: `no file has more than ${MAX_LINES} lines`,
    violations: (sources) =>
      sources.filter(({ text }) => text.trimEnd().split('\n').length > MAX_LINES).map(({ path }) => path),
    counterexample: [file('src/a.ts', 'const a = 1;\n'.repeat(MAX_LINES + 1))],
  },
];

const sources = globSync('{src,gateway,cli,scripts,migrations}/**/*.ts', { cwd: ROOT })
  .filter((path) => !path.endsWith('.d.ts'))
  .map((path) => file(path.replaceAll('\\', '/'), readFileSync(join(ROOT, path), 'utf8')));

describe.each(RULES)('$name', ({ violations, counterexample }) => {
  it('holds', () => {
    expect(violations(sources).filter((violation) => !KNOWN.includes(violation))).toEqual([]);
  });

  it('is seen to be broken where it is', () => {
    expect(violations(counterexample)).not.toEqual([]);
  });
});

describe('the rules', () => {
  it('read the whole project', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.flatMap(importsOf).length).toBeGreaterThan(500);
  });

  it('excuse only what still occurs', () => {
    const found = new Set(RULES.flatMap(({ violations }) => violations(sources)));
    expect(KNOWN.filter((known) => !found.has(known))).toEqual([]);
  });
});

it.each(Object.keys(MAY_IMPORT).filter((folder) => !UNDESCRIBED.includes(folder)))(
  'the main file of %s says in two lines what the folder is for and what imports it',
  (folder) => {
    const described = sources.filter(
      ({ path, text }) => path.startsWith(`${folder}/`) && /^\/\/ .+\n\/\/ Imported by .+\.\n/.test(text),
    );
    expect(described.map(({ path }) => folderOf(path))).toContain(folder);
  },
);
