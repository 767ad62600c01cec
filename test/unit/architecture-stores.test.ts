// The rules of the project's stores: the files with SQL.
import { expect, it } from 'vitest';
import {
  COMPOSITION,
  eachImport,
  file,
  sources,
  STORE,
  testRules,
  type Import,
  type Rule,
  type Source,
} from './architecture.ts';
import { writersByTable } from './tables-written.ts';

/** The account lock is a separate state machine on a few columns of the accounts. The list of factors is written with the factors. */
const SHARED_TABLES: Readonly<Record<string, readonly string[]>> = {
  accounts: [
    'src/auth/factors/factor-store.ts',
    'src/auth/identity/account-store.ts',
    'src/auth/identity/authentication/account-lock.ts',
  ],
  // Orders take stock by a statement of its own.
  products: ['src/business/products/product-store.ts', 'src/business/products/stock-store.ts'],
  // Refreshes are the most frequent write, and on MySQL share statements.
  session_families: [
    'src/auth/session/rotation/rotation-store.ts',
    'src/auth/session/session-store.ts',
    'src/auth/session/slide-store.ts',
  ],
  // Locking a tenant writes its row. Other services lock a tenant, but must not import its store.
  tenants: ['src/auth/tenancy/lock-tenant.ts', 'src/auth/tenancy/tenant-store.ts'],
};

/** Known violations, as the rules report them. Each must still exist. */
const KNOWN = [
  // Refresh checks the account like the bearer check does, by the store's read rather than by a use-case function.
  'src/auth/session/refresh-session.ts -> src/auth/identity/account-store.ts',
  // A list of grants leaves out those whose session is over, by the condition of the list of sessions.
  'src/auth/oauth/grants/grant-list-store.ts -> src/auth/session/session-list-store.ts',
  // Asks whether the database is empty, for the demo data.
  'src/composition/first-accounts.ts -> SQL',
];

/** Numbers of migrations that were removed before a release. */
const NEVER_RELEASED = [32, 33];

/** Rooms whose RPCs change the tables of another room. */
const SERVES: Readonly<Record<string, string>> = { 'src/auth/role': 'src/auth/access' };

/** The service that a file of the core belongs to. */
function serviceOf(path: string): string {
  const room = path
    .split('/')
    .slice(0, path.startsWith('src/business/') ? 2 : 3)
    .join('/');
  return SERVES[room] ?? room;
}

/** Only the composition and the bootstrap may import the stores of several services. */
function leavesForeignStoresAlone({ from, to }: Import): boolean {
  if (COMPOSITION.test(from) || from.startsWith('src/composition/bootstrap/')) return true;
  return !STORE.test(to) || !to.endsWith('-store.ts') || serviceOf(from) === serviceOf(to);
}

const SQL = /\b(?:SELECT\s[^;]*?\sFROM|INSERT INTO|REPLACE INTO|DELETE FROM|UPDATE\s+\S+\s+SET)\s/;

function severalWriters(sources: readonly Source[]): string[] {
  const isExpected = (table: string | undefined, paths: readonly string[]) =>
    paths.length === 1 || paths.toSorted().join() === SHARED_TABLES[table ?? '']?.join();
  return [...writersByTable(sources)]
    .filter(([table, paths]) => !isExpected(table, paths))
    .map(([table, paths]) => `${table} is written by ${paths.join(', ') || 'no store'}`);
}

const RULES: readonly Rule[] = [
  {
    name: 'a service does not import the store of another',
    violations: eachImport(leavesForeignStoresAlone),
    counterexample: [
      file('src/auth/session/login/login.ts', "import type {\n  A,\n} from '../../identity/account-store.ts';"),
    ],
  },
  {
    name: 'only stores contain SQL',
    violations: (sources) =>
      sources.filter(({ path, text }) => SQL.test(text) && !STORE.test(path)).map(({ path }) => `${path} -> SQL`),
    counterexample: [file('src/auth/session/login/login.ts', "db.query('SELECT id FROM accounts')")],
  },
  {
    name: 'stores import neither proto types nor src/platform/rpc',
    violations: eachImport(({ from, to }) => !STORE.test(from) || !/^(?:proto\/gen|src\/platform\/rpc)\//.test(to)),
    counterexample: [
      file('src/auth/session/session-store.ts', "import type { A } from '../../../proto/gen/a/v1/a.ts';"),
    ],
  },
  {
    name: 'the rows of a record are written by one store',
    violations: severalWriters,
    counterexample: [
      file('migrations/0001_pots.ts', "createTable(schema, 'pots', {})"),
      file('src/a/pot.ts', "export const POT = defineRecord('pots', {})"),
      file('src/a/pot-store.ts', 'export const POTS = createRecordStore(POT);'),
      file('src/b/other-store.ts', "db.execute('DELETE FROM pots')"),
    ],
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
    name: 'a number names one migration',
    violations: (sources) => {
      const numbers = sources.flatMap(({ path }) => /^migrations\/(\d+)_/.exec(path)?.[1] ?? []);
      return numbers.filter((number, index) => numbers.indexOf(number) !== index);
    },
    counterexample: [file('migrations/0001_pots.ts', ''), file('migrations/0001_plants.ts', '')],
  },
  {
    name: 'no number of a migration is left out, except those that were never released',
    violations: (sources) => {
      const numbers = sources.flatMap(({ path }) => /^migrations\/(\d+)_/.exec(path)?.[1] ?? []).map(Number);
      const all = Array.from({ length: Math.max(0, ...numbers) }, (_, index) => index + 1);
      return all.filter((number) => !numbers.includes(number) && !NEVER_RELEASED.includes(number)).map(String);
    },
    counterexample: [file('migrations/0001_pots.ts', ''), file('migrations/0003_plants.ts', '')],
  },
];

testRules(RULES, KNOWN);

it('all known violations still exist', () => {
  const found = new Set(RULES.flatMap(({ violations }) => violations(sources)));
  expect(KNOWN.filter((known) => !found.has(known))).toEqual([]);
});
