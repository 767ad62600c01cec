// Measures what roles of tenants cost a process: `npm run bench -- definitions`. It reads accounts of tenants with many roles as a check of
// a credential does. Prints the CPU time of a lookup beside one of tenants that define nothing, and the memory that is kept. Options:
// --engine sqlite|mariadb, --tenants 10000, --passes 9, --only TEXT.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { createAccountStore, insertAccount } from '../src/auth/identity/account-store.ts';
import { createDefinitions } from '../src/auth/access/roles/definitions.ts';
import { UNLIMITED } from '../src/platform/clock.ts';
import { connectDatabase } from '../src/platform/db/connect.ts';
import { newId } from '../src/platform/db/ids.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import type { Database, Statements } from '../src/platform/db/types.ts';
import { startMariaDb } from './mariadb.ts';
import { spreadOf } from './results.ts';
import { accountOf } from './seed.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    tenants: { type: 'string', default: '10000' },
    passes: { type: 'string', default: '9' },
    only: { type: 'string', default: '' },
  },
});
const TENANTS = Number(values.tenants);
/** Lookups at once, as with 32 callers. */
const AT_ONCE = 32;
const NOW = Date.now();

interface OwnRole {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly inherits: readonly string[];
}

interface Case {
  readonly title: string;
  readonly tenants: number;
  readonly accountsPerTenant: number;
  /** Roles of each tenant. */
  readonly roles: readonly OwnRole[];
  /** Roles for every tenant. */
  readonly shared: readonly OwnRole[];
  rolesOf(account: number): readonly string[];
}

const createRoles = (prefix: string, count: number, permissions: number): OwnRole[] =>
  Array.from({ length: count }, (_, index) => ({
    name: `${prefix}_${index}`,
    // 1,000 different ones, which is the limit of a tenant.
    permissions: Array.from({ length: permissions }, (_item, at) => `records-${(index * 7 + at) % 1_000}:read`),
    inherits: ['SALES'],
  }));
const none = { roles: [], shared: [] };
const ofShared = (tenants: number): Case => ({
  title: `${tenants} tenants, 1,000 roles of 5 permissions for every tenant`,
  tenants,
  accountsPerTenant: 1,
  ...none,
  shared: createRoles('SHARED', 1_000, 5),
  rolesOf: (account) => [`SHARED_${account % 1_000}`],
});

const CASES: readonly Case[] = [
  {
    title: '1 tenant with 500 roles of 200 permissions, 1,000 accounts',
    tenants: 1,
    accountsPerTenant: 1_000,
    ...none,
    roles: createRoles('LARGE', 500, 200),
    rolesOf: (account) => [`LARGE_${account % 500}`, ...(account < 500 ? [] : ['FLORIST'])],
  },
  {
    title: `${TENANTS} tenants with 5 roles of 20 permissions`,
    tenants: TENANTS,
    accountsPerTenant: 1,
    ...none,
    roles: createRoles('SMALL', 5, 20),
    rolesOf: (account) => [`SMALL_${account % 5}`],
  },
  ofShared(300),
  ofShared(TENANTS),
];

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const log = pino({ level: 'silent' });
process.stdout.write(
  `${values.engine}, load average ${loadavg()[0]!.toFixed(1)}\n\n` +
    `| | First lookup, µs CPU | Later ones | Tenants without roles | Ratio, min–max | Kept, MB | Resident, MB |\n` +
    `| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n`,
);
for (const one of CASES) if (one.title.includes(values.only)) await withDatabase((database) => measure(one, database));

async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'definitions-'));
  const server = values.engine === 'mariadb' ? await startMariaDb('0,1') : undefined;
  const url = server?.url ?? `sqlite:${join(folder, 'bench.db')}`;
  const database = connectDatabase({ url, poolSize: 4, log });
  try {
    await migrate(database, log);
    await work(database);
  } finally {
    await database.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Key {
  readonly tenantId: string;
  readonly id: string;
}

async function measure(one: Case, database: Database): Promise<void> {
  const defined = await fill(database, one, true);
  const plain = await fill(database, { ...one, ...none, rolesOf: () => ['SALES'] }, false);
  const accounts = createAccountStore(database, createDefinitions(database));
  const cpuOf = async (keys: readonly Key[]) => {
    const before = process.cpuUsage();
    for (let start = 0; start < keys.length; start += AT_ONCE)
      await Promise.all(keys.slice(start, start + AT_ONCE).map((key) => accounts.find(key)));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / keys.length;
  };
  // Compiles the code.
  for (let pass = 0; pass < 3; pass += 1) await cpuOf(plain);
  collect();
  const heapBefore = process.memoryUsage().heapUsed;
  const first = await cpuOf(defined);
  collect();
  const kept = process.memoryUsage().heapUsed - heapBefore;
  const pairs: { readonly own: number; readonly none: number }[] = [];
  const [someDefined, somePlain] = [someOf(defined), someOf(plain)];
  for (let pass = 0; pass < Number(values.passes); pass += 1)
    pairs.push({ own: await cpuOf(someDefined), none: await cpuOf(somePlain) });
  const median = (side: 'own' | 'none') => spreadOf(pairs.map((pair) => pair[side])).median.toFixed(1);
  const ratio = spreadOf(pairs.map(({ own, none: without }) => own / without));
  const cells = [
    one.title,
    first.toFixed(1),
    median('own'),
    median('none'),
    `${ratio.median.toFixed(2)}, ${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`,
    (kept / 1e6).toFixed(0),
    (process.memoryUsage.rss() / 1e6).toFixed(0),
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

/** Returns accounts of tenants all over the list, so that a pass takes seconds even if each lookup reads the roles. */
function someOf(keys: readonly Key[]): Key[] {
  const step = Math.ceil(keys.length / 1_000);
  return keys.filter((_, index) => index % step === 0);
}

/** Inserts tenants with roles and accounts, and returns the accounts. */
async function fill(database: Database, one: Case, isDefined: boolean): Promise<Key[]> {
  const prefix = isDefined ? 'defined' : 'plain';
  const keys: Key[] = [];
  await database.transaction(UNLIMITED, async (tx) => {
    const ids = Array.from({ length: one.tenants }, (_, index) => `${prefix}-${index}`);
    const version = isDefined ? 1 : 0;
    await insert(
      tx,
      'tenants (id, name, status, created_at, updated_at, definitions_version)',
      ids.map((id) => [Buffer.from(id), id, 'ACTIVE', NOW, NOW, version]),
    );
    const roles = 'roles (tenant_id, name, permissions, inherits, created_at, updated_at, version)';
    await insert(tx, roles, one.shared.map(rowOf('')));
    await insert(
      tx,
      roles,
      ids.flatMap((id) => one.roles.map(rowOf(id))),
    );
    for (const [index, tenantId] of ids.entries())
      for (let at = 0; at < one.accountsPerTenant; at += 1) {
        const id = newId();
        const held = one.rolesOf(index * one.accountsPerTenant + at);
        await insertAccount(tx, { ...accountOf(id, NOW), tenantId, roles: held }, undefined);
        keys.push({ tenantId, id });
      }
  });
  return keys;
}

function rowOf(tenantId: string) {
  return ({ name, permissions, inherits }: OwnRole) => [
    Buffer.from(tenantId),
    Buffer.from(name),
    JSON.stringify(permissions),
    JSON.stringify(inherits),
    NOW,
    NOW,
    1,
  ];
}

async function insert(
  tx: Statements,
  into: string,
  rows: readonly (readonly (Buffer | string | number)[])[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += 500) {
    const some = rows.slice(start, start + 500);
    const places = some.map((row) => `(${row.map(() => '?').join()})`).join();
    await tx.execute(`INSERT INTO ${into} VALUES ${places}`, some.flat());
  }
}
