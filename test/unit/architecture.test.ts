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

/** What a folder may import, beside itself and SHARED. A folder that is not listed may import nothing at all. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'proto/gen': [],
  migrations: ['src/db'],
  // The files that put parts of the core together, beside the settings.
  cli: ['src/config', 'src'],
  'cli/isolation': ['proto/gen', 'src/rpc', 'src/bootstrap'],
  scripts: ['proto/gen', 'src/config', 'src/identity'],
  'src/config': [],
  'src/db': [],
  'src/rpc': ['proto/gen'],
  'src/problem': ['src/rpc'],
  'src/jobs': ['src/db'],
  'src/files': [],
  'src/audit': ['src/db', 'src/jobs'],
  'src/rate-limit': ['src/db', 'src/jobs'],
  'src/token': ['src/db', 'src/jobs'],
  'src/tenancy': ['proto/gen', 'src/rpc', 'src/db', 'src/audit'],
  'src/identity': ['proto/gen', 'src/rpc', 'src/db', 'src/jobs', 'src/audit', 'src/token', 'src/tenancy'],
  'src/session': [
    'proto/gen',
    'src/rpc',
    'src/db',
    'src/jobs',
    'src/audit',
    'src/token',
    'src/rate-limit',
    'src/identity',
  ],
  'src/client-credentials': [
    'proto/gen',
    'src/rpc',
    'src/db',
    'src/audit',
    'src/token',
    'src/rate-limit',
    'src/identity',
  ],
  'src/envoy': ['proto/gen', 'src/rpc', 'src/audit', 'src/problem', 'src/identity'],
  'src/api-key': ['proto/gen', 'src/rpc', 'src/db', 'src/audit', 'src/identity'],
  'src/business': ['proto/gen', 'src/rpc', 'src/db', 'src/jobs', 'src/files', 'src/tenancy'],
  'src/bootstrap': ['src/config', 'src/db', 'src/identity', 'src/tenancy', 'src/client-credentials', 'src/business'],
};

/** What every part of the core may know. */
const SHARED = [
  'src/characters.ts',
  'src/clock.ts',
  'src/database-url.ts',
  'src/errors.ts',
  'src/fair-semaphore.ts',
  'src/files-url.ts',
  'src/id-pattern.ts',
  'src/last-used.ts',
  'src/make-folder.ts',
  'src/network.ts',
  'src/paging.ts',
  'src/principal.ts',
  'src/problem/catalogue.ts',
  'src/problem/failure-kind.ts',
  'src/problem/http-failures.ts',
  'src/refresh-cookie-name.ts',
  'src/request-check.ts',
  'src/username.ts',
];

/** The files that put the core together; they may import all of it. */
const COMPOSITION = /^src\/[^/]+\.ts$/;

/** What the gateway knows of the core: the contract, the client side of the RPC kit, and the names of things as types. */
const GATEWAY_MAY_IMPORT =
  /^(?:gateway|proto\/gen)\/|^src\/rpc\/contract\/|^src\/rpc\/(?:types|rpc-error|diagnostics|stack-trace|grpc-client|local|violations)\.ts$|^src\/problem\/|^src\/refresh-cookie-name\.ts$/;
const GATEWAY_MAY_KNOW = /^src\/(?:errors|config\/settings)\.ts$/;

/** Where each package is used. Types of the logger go everywhere. */
const HOMES: Readonly<Record<string, RegExp>> = {
  '@zxcvbn-ts/language-common': /^src\/identity\/common-passwords\.ts$/,
  argon2: /^src\/identity\/password-hasher\.ts$/,
  jose: /^src\/token\//,
  knex: /^(?:src\/db|migrations)\//,
  mysql2: /^src\/db\//,
  'node:sqlite': /^src\/db\//,
  uuid: /^src\/db\//,
  fastify: /^gateway\//,
  '@fastify/ajv-compiler': /^gateway\/http\/lazy-schemas\.ts$/,
  '@fastify/cookie': /^gateway\//,
  '@fastify/cors': /^gateway\//,
  '@fastify/fast-json-stringify-compiler': /^gateway\/http\/lazy-schemas\.ts$/,
  '@fastify/multipart': /^gateway\//,
  '@fastify/swagger': /^gateway\//,
  '@fastify/swagger-ui': /^gateway\//,
  '@fastify/type-provider-typebox': /^gateway\//,
  typebox: /^(?:gateway|src\/bootstrap)\//,
  '@grpc/grpc-js': /^(?:src\/rpc|proto\/gen)\//,
  '@grpc/proto-loader': /^(?:src\/rpc\/access-rules|cli\/isolation\/rpcs)\.ts$/,
  '@grpc/reflection': /^src\/rpc\/reflection\.ts$/,
  '@bufbuild/protobuf':
    /^(?:proto\/gen\/|src\/rpc\/(?:reflection\.ts$|contract\/)|gateway\/contract\/|scripts\/(?:largest-answers|proto-comments)\.ts$)/,
  'rate-limiter-flexible': /^src\/rate-limit\//,
  redis: /^src\/rate-limit\//,
  '@aws-sdk/client-s3': /^src\/files\//,
  sharp: /^src\/files\//,
  'prom-client': /^(?:src|gateway)\/metrics\.ts$/,
  yaml: /^src\/(?:config|bootstrap)\//,
  pino: /^src\/log\.ts$/,
  'pino-pretty': /^src\/log\.ts$/,
};

/** SQL stands in stores; these are stores by another name. */
const STORE = /-store\.ts$|^src\/(?:db|jobs)\/|^src\/(?:identity\/account-lock|token\/blacklist)\.ts$/;

/** The account lock is a state machine of its own on a few columns of the accounts. */
const SHARED_TABLES: Readonly<Record<string, readonly string[]>> = {
  accounts: ['src/identity/account-lock.ts', 'src/identity/account-store.ts'],
  // Versions of all records are raised in one place; orders take stock by a statement of its own.
  customers: ['src/business/customer/customer-store.ts', 'src/business/record-store.ts'],
  orders: ['src/business/order/order-store.ts', 'src/business/record-store.ts'],
  products: [
    'src/business/product/product-store.ts',
    'src/business/product/stock-store.ts',
    'src/business/record-store.ts',
  ],
};

/** What is excused, in the words of the rule that it breaks. Every entry must still occur. */
const KNOWN = [
  // Refresh judges the account as the bearer check does, by the store's read rather than by a use-case function.
  'src/session/refresh-session.ts -> src/identity/account-store.ts',
  // Asks whether the database is empty, for the demo data.
  'src/create-first-accounts.ts -> SQL',
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
  const [first = '', second = ''] = path.split('/');
  return second.endsWith('.ts') || first === 'gateway' || first === 'migrations' ? first : `${first}/${second}`;
}

function eachImport(judge: (imported: Import) => boolean) {
  return (sources: readonly Source[]): string[] =>
    sources.flatMap(importsOf).flatMap((imported) => (judge(imported) ? [] : [`${imported.from} -> ${imported.to}`]));
}

function isInside(imported: Import): boolean {
  const { from, to } = imported;
  if (!isOurs(imported) || from.startsWith('gateway/')) return true;
  if (COMPOSITION.test(from)) return to.startsWith('src/') || to.startsWith('proto/gen/');
  const home = folderOf(from);
  const allowed = MAY_IMPORT[home];
  return allowed !== undefined && (SHARED.includes(to) || [home, ...allowed].includes(folderOf(to)));
}

function isForGateway(imported: Import): boolean {
  const { from, to, typeOnly } = imported;
  if (!from.startsWith('gateway/') || !isOurs(imported)) return true;
  const composes = from === 'gateway/main.ts' && COMPOSITION.test(to);
  return composes || GATEWAY_MAY_IMPORT.test(to) || (typeOnly && GATEWAY_MAY_KNOW.test(to));
}

/** Only what puts the core together, and the bootstrap that fills it, reaches into several services' stores. */
function leavesForeignStoresAlone({ from, to }: Import): boolean {
  if (COMPOSITION.test(from) || from.startsWith('src/bootstrap/')) return true;
  return !to.endsWith('-store.ts') || folderOf(from) === folderOf(to);
}

function isAtHome(imported: Import): boolean {
  const { from, to, typeOnly } = imported;
  if (isOurs(imported) || (to.startsWith('node:') && HOMES[to] === undefined)) return true;
  return (to === 'pino' && typeOnly) || (HOMES[to]?.test(from) ?? false);
}

const WRITES = /\b(?:INSERT(?: IGNORE)? INTO|REPLACE INTO|DELETE FROM|UPDATE(?=\s+\S+\s+SET\b))\s+`?(\$\{|\w+)/g;
const SQL = /\b(?:SELECT\s[^;]*?\sFROM|INSERT INTO|REPLACE INTO|DELETE FROM|UPDATE\s+\S+\s+SET)\s/;
const TABLES = /createTable\(knex, '(\w+)'/g;

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
    counterexample: [file('gateway/auth/login.ts', "import { ROLES } from '../../src/identity/account.ts';")],
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
      file('migrations/0001_pots.ts', "createTable(knex, 'pots', {})"),
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
