// Measures lists of administration in long tables: `npm run bench -- long-lists`. Prints the time of a page, the CPU
// time of the database for it, the longest time that the event loop was blocked, and the longest time that the statement of
// a bearer check took beside it. Options: --engine sqlite|mariadb|all, --users 1000000, --records 10000000, --runs 5,
// --url of a database, which is filled if it is empty, and kept; --only for the lists whose name begins so.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import type { AuditFilter } from '../src/auth/audit/trail/audit-filter.ts';
import { selectAuditRecords } from '../src/auth/audit/trail/audit-list-store.ts';
import { UNLIMITED } from '../src/platform/clock.ts';
import { parseAddressRange } from '../src/platform/formats/address-range.ts';
import { connectDatabase } from '../src/platform/db/connect.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import type { CursorPage, Found } from '../src/platform/db/query/page.ts';
import type { AdminScope } from '../src/platform/db/query/tenant-scope.ts';
import type { Database } from '../src/platform/db/types.ts';
import { accountOrder } from '../src/auth/identity/users/account-order.ts';
import { createAccountStore } from '../src/auth/identity/account-store.ts';
import { countByRoles, selectAccounts, type AccountFilter } from '../src/auth/identity/users/account-list-store.ts';
import { selectSessions } from '../src/auth/session/session-list-store.ts';
import { selectTenants } from '../src/auth/tenancy/tenant-store.ts';
import { startMariaDb } from './mariadb.ts';
import { cpuSeconds } from './program.ts';
import { ACCOUNT_ID, fillLongTables, LONG_TENANT, LONG_USER_ID, SHORT_TENANT } from './fill-long-tables.ts';
import { createDefinitions } from '../src/auth/access/roles/definitions.ts';

/** The most that a page can have. */
const PER_PAGE = 100;
const FAR_PAGE = 1_000;

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'all' },
    users: { type: 'string', default: '1000000' },
    records: { type: 'string', default: '10000000' },
    runs: { type: 'string', default: '5' },
    url: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const runs = Number(values.runs);

const rangeOf = (address?: string) => (address === undefined ? undefined : parseAddressRange(address));

type List = (database: Database, page: CursorPage) => Promise<Found<unknown>>;

const ALL: AdminScope = { everyTenant: true };
const LONG: AdminScope = { everyTenant: false, tenantId: LONG_TENANT };
const SHORT: AdminScope = { everyTenant: false, tenantId: SHORT_TENANT };

const users =
  (scope: AdminScope, filter: Partial<AccountFilter> = {}, sort = ''): List =>
  (database, page) =>
    selectAccounts(
      database,
      createDefinitions(database),
      scope,
      { interactive: true, query: undefined, disabled: undefined, ...filter },
      page,
      { order: accountOrder(sort), now: Date.now() },
    );
const records =
  (scope: AdminScope, filter: Partial<AuditFilter> = {}): List =>
  (database, page) =>
    selectAuditRecords(
      database,
      { scope, events: [], accountId: undefined, actorId: undefined, from: undefined, until: undefined, ...filter },
      page,
    );

const sessions =
  (scope: AdminScope, accountId?: string, address?: string): List =>
  (database, page) =>
    selectSessions(database, { scope, accountId, address: rangeOf(address) }, 1, page);
const tenants =
  (filter: { readonly query: string }): List =>
  (database, page) =>
    selectTenants(database, { status: undefined, ...filter }, page);

/** The numbers of accounts that a list of roles shows. They are one page. */
const roleCounts =
  (scope: AdminScope): List =>
  async (database, { reader }) => {
    const counts = await countByRoles(database, scope, reader);
    return { items: [...counts], total: counts.size, isMinimum: false, next: undefined };
  };

const LISTS: Readonly<Record<string, List>> = {
  'accounts of each role, of all tenants': roleCounts(ALL),
  'accounts of each role, of the long tenant': roleCounts(LONG),
  'users of all tenants': users(ALL),
  'users of all tenants, search that finds nothing': users(ALL, { query: 'no such user' }),
  'users of all tenants, search that finds 1': users(ALL, { query: 'user77777@' }),
  'users of all tenants, search that finds 1 %': users(ALL, { query: '77@example' }),
  'users of all tenants, search that finds all': users(ALL, { query: 'example' }),
  'users of all tenants, role of 1 %': users(ALL, { role: 'DELIVERY' }),
  'users of all tenants, role of nobody': users(ALL, { role: 'OWNER' }),
  'users of all tenants, disabled (1 %)': users(ALL, { disabled: true }),
  'users of the long tenant': users(LONG),
  'users of the long tenant, search that finds nothing': users(LONG, { query: 'no such user' }),
  'users of the long tenant, search that finds 1 %': users(LONG, { query: '77@example' }),
  'users of the long tenant, search that finds all': users(LONG, { query: 'example' }),
  'users of the long tenant, search and role of nobody': users(LONG, { query: 'example', role: 'OWNER' }),
  'users of the long tenant, role of nobody, disabled': users(LONG, { role: 'OWNER', disabled: true }),
  'users of a short tenant, search that finds nothing': users(SHORT, { query: 'no such user' }),
  'users of all tenants, by username': users(ALL, {}, 'username'),
  'users of all tenants, by last login': users(ALL, {}, '-lastLoginAt'),
  'users of the long tenant, by username': users(LONG, {}, 'username'),
  'users of the long tenant, by last login': users(LONG, {}, '-lastLoginAt'),
  'users of the long tenant, search that finds 1 %, by last login': users(LONG, { query: '77@example' }, 'lastLoginAt'),
  'users of all tenants, locked (0.1 %)': users(ALL, { state: 'LOCKED' }),
  'users of all tenants, expired (none)': users(ALL, { state: 'EXPIRED' }),
  'users of all tenants, enabled': users(ALL, { state: 'ENABLED' }),
  'users of the long tenant, invited (0.1 %), by username': users(LONG, { state: 'INVITED' }, 'username'),
  'users of the long tenant, disabled (1 %), by last login': users(LONG, { state: 'DISABLED' }, '-lastLoginAt'),
  'sessions of all tenants': sessions(ALL),
  'sessions of all tenants, a rare address': sessions(ALL, undefined, '198.51.100.7'),
  'sessions of the long tenant, an address that none has': sessions(LONG, undefined, '203.0.113.0/24'),
  'sessions of the long tenant': sessions(LONG),
  'sessions of one user': sessions(LONG, LONG_USER_ID),
  'tenants, search that finds nothing': tenants({ query: 'no such tenant' }),
  'audit records of all tenants': records(ALL),
  'audit records of all tenants, a rare event': records(ALL, { events: ['account.locked'] }),
  'audit records of all tenants, three events': records(ALL, {
    events: ['login.failed', 'login.succeeded', 'account.locked'],
  }),
  'audit records of all tenants, one account': records(ALL, { accountId: ACCOUNT_ID }),
  'audit records of the long tenant, an event that never happened': records(LONG, { events: ['no.such.event'] }),
  'audit records of the long tenant, one account and a rare event': records(LONG, {
    accountId: ACCOUNT_ID,
    events: ['account.locked'],
  }),
  'audit records of the long tenant, one actor': records(LONG, { actorId: ACCOUNT_ID }),
  'audit records of a short tenant': records(SHORT),
  'audit records of all tenants, a rare address': records(ALL, { address: rangeOf('198.51.100.7') }),
  'audit records of the long tenant, a wide range that none has': records(LONG, { address: rangeOf('203.0.0.0/8') }),
  'audit records of the long tenant, a session that caused none': records(LONG, { sessionId: LONG_USER_ID }),
};

const log = pino({ level: 'warn' });
// The threads that read belong to this process.
const ownCpuMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000;
if (values.url !== undefined) await measureKept(values.url);
else {
  if (values.engine !== 'mariadb') await measureSqlite();
  if (values.engine !== 'sqlite') await measureMariaDb();
}

/** A server must run on this machine, so that its CPU time can be read. */
async function measureKept(url: string): Promise<void> {
  const database = connectDatabase({ url, poolSize: 1, log });
  try {
    if (database.engine === 'sqlite') return await measure('SQLite', url, ownCpuMs);
    const [server] = await database.query<{ file: string }>('SELECT @@pid_file AS file');
    const pid = Number(readFileSync(server!.file, 'utf8'));
    await measure('MariaDB', url, () => cpuSeconds(pid) * 1_000);
  } finally {
    await database.close();
  }
}

async function measureSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    await measure('SQLite', `sqlite:${join(folder, 'lists.db')}`, ownCpuMs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureMariaDb(): Promise<void> {
  const server = await startMariaDb('0,1', ['--innodb-buffer-pool-size=1G']);
  try {
    await measure('MariaDB', server.url, () => cpuSeconds(server.pid) * 1_000);
  } finally {
    await server.stop();
  }
}

async function measure(title: string, url: string, cpuMs: () => number): Promise<void> {
  const database = connectDatabase({ url, poolSize: 4, log });
  try {
    await migrate(database, log);
    const size = await fill(database);
    process.stdout.write(`\n${title}: ${size}; load average ${loadavg()[0]!.toFixed(1)}\n\n`);
    process.stdout.write(
      `| List; ms (CPU) | First page | Page ${FAR_PAGE} | \`after\` | Event loop | Check beside |\n| --- | ---: | ---: | ---: | ---: | ---: |\n`,
    );
    for (const [name, list] of Object.entries(LISTS).filter(([title]) => title.startsWith(values.only))) {
      const columns = await measureList(database, list, cpuMs).catch((error: unknown) => [(error as Error).message]);
      process.stdout.write(`| ${[name, ...columns].join(' | ')} |\n`);
    }
    process.stdout.write(`\nload average ${loadavg()[0]!.toFixed(1)}\n`);
  } finally {
    await database.close();
  }
}

/** Fills an empty database. Returns its size. */
async function fill(database: Database): Promise<string> {
  const [anyone] = await database.query('SELECT id FROM accounts LIMIT 1');
  if (anyone !== undefined) return 'filled by an earlier run';
  const [users, records] = [Number(values.users), Number(values.records)];
  const seconds = await fillLongTables(database, log, { users, records });
  return `${users} users, ${records} audit records, filled in ${seconds} s`;
}

/** Returns the columns of a row. A list that ends before a page has an empty column. */
async function measureList(database: Database, list: List, cpuMs: () => number): Promise<string[]> {
  const read = (position: Partial<CursorPage>) => list(database, pageAt(position));
  const offset = (FAR_PAGE - 1) * PER_PAGE;
  const { next: beforeFar } = await read({ offset: offset - PER_PAGE });
  const after = beforeFar ?? (await read({})).next;
  const pages = [{}, beforeFar && { offset }, after && { after }];
  const times: string[] = [];
  let turn = 0;
  let beside = 0;
  for (const page of pages) {
    times.push(page ? await timesOf(() => read(page), cpuMs) : '');
    if (page) turn = Math.max(turn, await longestTurn(() => read(page)));
    if (page) beside = Math.max(beside, await longestCheck(database, () => read(page)));
  }
  return [...times, turn.toFixed(0), beside.toFixed(0)];
}

/** Returns the median time of a read, and the CPU time that the database used for one. */
async function timesOf(read: () => Promise<unknown>, cpuMs: () => number): Promise<string> {
  const times: number[] = [];
  const cpuBefore = cpuMs();
  for (let run = 0; run < runs; run += 1) {
    const started = performance.now();
    await read();
    times.push(performance.now() - started);
  }
  const cpu = (cpuMs() - cpuBefore) / runs;
  return `${median(times).toFixed(0)} (${cpu.toFixed(0)})`;
}

/** Returns the median over several reads of the longest time that a bearer check waits for an account beside a read. */
async function longestCheck(database: Database, read: () => Promise<unknown>): Promise<number> {
  const accounts = createAccountStore(database);
  const longest: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    let isRead = false;
    const reading = read().finally(() => (isRead = true));
    let most = 0;
    while (!isRead) {
      const started = performance.now();
      await accounts.find({ tenantId: LONG_TENANT, id: LONG_USER_ID });
      most = Math.max(most, performance.now() - started);
    }
    await reading;
    longest.push(most);
  }
  return median(longest);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

/** Returns the longest CPU time of one turn of the event loop during a read, in milliseconds. */
async function longestTurn(read: () => Promise<unknown>): Promise<number> {
  let isRead = false;
  const reading = read().finally(() => (isRead = true));
  let longest = 0;
  let before = process.threadCpuUsage();
  while (!isRead) {
    await nextTurn();
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
  }
  await reading;
  return longest;
}

function pageAt(position: Partial<CursorPage>): CursorPage {
  const reader = { deadline: UNLIMITED, tenantId: LONG_TENANT };
  return { page: 1, perPage: PER_PAGE, offset: 0, after: undefined, reader, ...position };
}
