// The plans of the lists of administration: each filter reads an index in the order of the list, from the end or the beginning.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditFilter } from '../../src/auth/audit/trail/audit-filter.ts';
import { selectAuditRecords, selectRecordsOfAccount } from '../../src/auth/audit/trail/audit-list-store.ts';
import { parseAddressRange } from '../../src/platform/formats/address-range.ts';
import { createApiKeyStore } from '../../src/auth/api-key/api-key-store.ts';
import { selectApplications } from '../../src/auth/oauth/applications/application-store.ts';
import { selectGrants } from '../../src/auth/oauth/grants/grant-list-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { AdminScope } from '../../src/platform/db/query/tenant-scope.ts';
import type { CursorPage } from '../../src/platform/db/query/page.ts';
import type { Database, SqlValue } from '../../src/platform/db/types.ts';
import { ACCOUNT_ORDER, accountOrder } from '../../src/auth/identity/users/account-order.ts';
import { selectAccounts, type AccountFilter } from '../../src/auth/identity/users/account-list-store.ts';
import { selectOpenSessions, selectSessions } from '../../src/auth/session/session-list-store.ts';
import { selectTenants } from '../../src/auth/tenancy/tenant-store.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { createDefinitions } from '../../src/auth/access/roles/definitions.ts';

type List = (db: Database, page: CursorPage) => Promise<unknown>;

const ALL: AdminScope = { everyTenant: true };
const ONE: AdminScope = { everyTenant: false, tenantId: 'acme' };
const ACCOUNT = newId();
const TIME_KEY = [1_000, newId()];
const ID_KEY = [newId()];

const audit =
  (scope: AdminScope, filter: Partial<AuditFilter>): List =>
  (db, page) =>
    selectAuditRecords(
      db,
      { scope, events: [], accountId: undefined, actorId: undefined, from: undefined, until: undefined, ...filter },
      page,
    );
const accounts =
  (scope: AdminScope, filter: Partial<AccountFilter>): List =>
  (db, page) =>
    selectAccounts(
      db,
      createDefinitions(db),
      scope,
      { interactive: true, query: undefined, disabled: undefined, ...filter },
      page,
      { order: ACCOUNT_ORDER, now: 0 },
    );

/** Every combination of the fields of a filter. */
function combinations<Filter extends object>(filter: Filter): Partial<Filter>[] {
  return Object.entries(filter).reduce<Partial<Filter>[]>(
    (all, [name, value]) => [...all, ...all.map((one) => ({ ...one, [name]: value }))],
    [{}],
  );
}

interface Case {
  readonly name: string;
  readonly key: readonly (number | string)[];
  readonly run: List;
  /** The column of the filter by which the index finds the rows. */
  readonly by?: string | undefined;
  /** The index has all that the filters read. */
  readonly isCovered?: boolean | undefined;
  /** The engine sorts the rows of one account. */
  readonly sorts?: readonly Database['engine'][];
}

const named = (list: string, scope: AdminScope, filter: object) =>
  `${list}, ${scope.everyTenant ? 'every tenant' : 'one tenant'}, ${Object.keys(filter).join('+') || 'all'}`;

const CASES: readonly Case[] = [
  ...[ALL, ONE].flatMap((scope) =>
    combinations({ events: ['a', 'b'], accountId: ACCOUNT, actorId: ACCOUNT, from: 1, until: 2_000 }).map((filter) => ({
      name: named('audit records', scope, filter),
      key: TIME_KEY,
      run: audit(scope, filter),
      by: [filter.actorId && 'actor_id', filter.accountId && 'account_id', filter.events && 'event'].find(Boolean),
    })),
  ),
  ...[ALL, ONE].flatMap((scope) =>
    [
      { by: 'session_id', filter: { sessionId: ACCOUNT } },
      { by: 'request_id', filter: { requestId: 'x', events: ['a'] } },
      { by: 'address', filter: { address: parseAddressRange('192.0.2.1'), from: 1 } },
      { by: undefined, filter: { address: parseAddressRange('0.0.0.0/0') } },
    ].map(({ by, filter }) => ({
      name: named('audit records', scope, filter),
      key: TIME_KEY,
      run: audit(scope, filter),
      by,
    })),
  ),
  ...[ALL, ONE].flatMap((scope) =>
    combinations({ query: 'x', role: 'SALES' as const, disabled: true, interactive: false }).map((filter) => ({
      name: named('accounts', scope, filter),
      key: ID_KEY,
      run: accounts(scope, filter),
      isCovered: true,
    })),
  ),
  ...[ALL, ONE].flatMap((scope) =>
    Object.entries({ username: ['ann'], lastLoginAt: TIME_KEY }).map(([sort, key]) => ({
      name: named(`accounts by ${sort}`, scope, {}),
      key,
      run: (db: Database, page: CursorPage) =>
        selectAccounts(
          db,
          createDefinitions(db),
          scope,
          { interactive: true, query: undefined, disabled: undefined },
          page,
          { order: accountOrder(sort), now: 0 },
        ),
    })),
  ),
  ...combinations({ query: 'x', status: 'ACTIVE' as const }).map((filter) => ({
    name: named('tenants', ALL, filter),
    key: ['acme'],
    run: (db: Database, page: CursorPage) =>
      selectTenants(db, { query: undefined, status: undefined, ...filter }, page),
  })),
  {
    name: 'sessions',
    key: ID_KEY,
    run: (db, page) => selectOpenSessions(db, { tenantId: 'acme', id: ACCOUNT }, 1, page),
    sorts: ['sqlite'],
  },
  ...[ALL, ONE].map((scope) => ({
    name: named('sessions of all', scope, {}),
    key: ID_KEY,
    run: (db: Database, page: CursorPage) => selectSessions(db, { scope, accountId: undefined }, 1, page),
  })),
  ...['acme', undefined].map((tenantId) => ({
    name: `own audit records, ${tenantId === undefined ? 'without' : 'with'} a tenant`,
    key: TIME_KEY,
    run: (db: Database, page: CursorPage) => selectRecordsOfAccount(db, { tenantId, id: ACCOUNT }, page),
  })),
  // An administrator sees those for all tenants, too: two ranges, at most 1,000 rows each, which are sorted.
  ...[ALL, { ...ONE, withShared: true as const }].flatMap((scope) =>
    combinations({ query: 'x', disabled: true }).map((filter) => ({
      name: named('applications', scope, filter),
      key: ID_KEY,
      run: (db: Database, page: CursorPage) =>
        selectApplications(db, scope, { query: undefined, disabled: undefined, except: undefined, ...filter }, page),
      ...(!scope.everyTenant && { sorts: ['sqlite', 'mysql'] as const }),
    })),
  ),
  {
    name: 'grants',
    key: ID_KEY,
    run: (db, page) => selectGrants(db, { tenantId: 'acme', id: ACCOUNT }, 1, page),
    sorts: ['sqlite', 'mysql'],
  },
  {
    name: 'API keys',
    key: ID_KEY,
    run: (db, page) => createApiKeyStore(db).list({ tenantId: 'acme', accountId: ACCOUNT }, page),
  },
];

const PAGES: readonly ((key: Case['key']) => Pick<CursorPage, 'offset' | 'after'>)[] = [
  () => ({ offset: 0, after: undefined }),
  () => ({ offset: 20_000, after: undefined }),
  (key) => ({ offset: 0, after: { key, offset: 20, total: { total: 100, isMinimum: false } } }),
];

describe.each(ENGINES)('on %s', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    await fill(test.database);
  });
  afterAll(() => test?.drop());

  it.each(CASES)('$name: reads one index in the order of the list', async ({ run, key, sorts, by, isCovered }) => {
    for (const page of PAGES) {
      const statements = await statementsOf(test.database, (db) =>
        run(db, { page: 1, perPage: 20, reader: { deadline: UNLIMITED, tenantId: 'acme' }, ...page(key) }),
      );
      for (const statement of statements) {
        const problems = await PROBLEMS[test.database.engine](test.database, statement, { by, isCovered });
        const allowed = sorts?.includes(test.database.engine)
          ? problems.filter((problem) => !/sort|b-tree/i.test(problem))
          : problems;
        expect([statement.sql, allowed]).toEqual([statement.sql, []]);
      }
    }
  });

  it.each(CASES)('$name: copies no keys before a far page of one index range', async ({ run }) => {
    const page = { page: 1_001, perPage: 20, offset: 20_000, after: undefined };
    const reader = { deadline: UNLIMITED, tenantId: 'acme' };
    const statements = await statementsOf(test.database, (db) => run(db, { ...page, reader }));
    const ofOneRange = statements.filter(({ sql }) => !sql.includes('branch_'));
    for (const { values } of ofOneRange) expect(values).not.toContain(20_021);
  });
});

it.each([ALL, ONE])('a page of audit records until a time begins at its cursor on SQLite: %j', async (scope) => {
  const test = await createTestDatabase('sqlite');
  const cursor = { key: TIME_KEY, offset: 20, total: { total: 100, isMinimum: false } };
  const page = { page: 1, perPage: 20, offset: 0, after: cursor, reader: { deadline: UNLIMITED, tenantId: 'acme' } };
  const [statement] = await statementsOf(test.database, (db) => audit(scope, { from: 1, until: 2_000 })(db, page));
  expect(await soughtValue(test.database, statement!)).toBe(TIME_KEY[0]);
  await test.drop();
});

/** Returns the value at which a statement of SQLite begins to read its first index. */
async function soughtValue(database: Database, { sql, values }: Statement): Promise<unknown> {
  const steps = await database.query<{ opcode: string; p1: number; p2: number; p3: number; p4: string }>(
    `EXPLAIN ${sql.replaceAll('is_wanted()', '1')}`,
    values,
  );
  const at = steps.findIndex(({ opcode }) => opcode.startsWith('Seek'));
  const { p3, p4 } = steps[at]!;
  const register = p3 + Number(p4) - 1;
  const loaded = steps.slice(0, at).findLast(({ opcode, p2 }) => opcode === 'Variable' && p2 === register);
  return values[loaded!.p1 - 1];
}

interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The rows of statements that are not a page: the tenants of an account, and a number of rows. */
const RESULTS = {
  'SELECT t.id FROM (SELECT id FROM tenants': [{ id: Buffer.from('acme') }],
  'SELECT COUNT(*)': [{ list_total: 1 }],
};

/** Returns the statements of a list, whose pages have no rows. */
async function statementsOf(database: Database, run: (db: Database) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const queryLong = async <R>(sql: string, values: readonly SqlValue[]) => {
    statements.push({ sql, values });
    return (Object.entries(RESULTS).find(([start]) => sql.startsWith(start))?.[1] ?? []) as R[];
  };
  await run({ ...database, queryLong });
  expect(statements.length).toBeGreaterThan(0);
  return statements;
}

type FindProblems = (
  database: Database,
  statement: Statement,
  expected: Pick<Case, 'by' | 'isCovered'>,
) => Promise<string[]>;

/** The rows of the page, at most 101, may be sorted again: those steps belong to the whole statement. */
const PROBLEMS: Readonly<Record<Database['engine'], FindProblems>> = {
  async sqlite(database, { sql, values }, { by, isCovered }) {
    const plan = await database.query<{ id: number; parent: number; detail: string }>(
      // The plan is the same without the function, which only the threads of long reads have.
      `EXPLAIN QUERY PLAN ${sql.replaceAll('is_wanted()', '1')}`,
      values,
    );
    const isInside = new Set(
      plan.filter(({ detail }) => /CO-ROUTINE|MATERIALIZE|branch/.test(detail)).map(({ id }) => id),
    );
    const inner = plan.filter(({ parent }) => isInside.has(parent));
    const found = plan.flatMap(({ detail }) =>
      /AUTOMATIC|^SCAN \w+$/.test(detail) && !/SCAN (?:\(|on_page|counted|matching|branch|t$|k$|CONSTANT)/.test(detail)
        ? [detail]
        : [],
    );
    const tables = inner.filter(({ detail }) => /(?:SCAN|SEARCH) [rastkpg]\b/.test(detail));
    const sorted = tables.flatMap(({ parent }) =>
      inner.filter((step) => step.parent === parent && /TEMP B-TREE/.test(step.detail)).map(({ detail }) => detail),
    );
    const isFound = by === undefined || plan.some(({ detail }) => detail.includes(`${by}=?`));
    const uncovered = tables.filter(({ detail }) => isCovered && !/COVERING INDEX/.test(detail));
    return [
      ...found,
      ...sorted,
      ...uncovered.map(({ detail }) => detail),
      ...(isFound ? [] : [`no index is searched by ${by}`]),
    ];
  },
  async mysql(database, { sql, values }, { by, isCovered }) {
    const plan = await database.query<{ table: string | null; key: string | null; type: string; Extra: string | null }>(
      // Each text once: MariaDB leaves out `Using index` when it explains a prepared statement again.
      `EXPLAIN FORMAT=TRADITIONAL ${sql} /* ${newId()} */`,
      values,
    );
    const [server] = await database.query<{ testsInIndex: number }>('SELECT 0 /*M!100800 + 1 */ AS testsInIndex');
    const testsInIndex = server!.testsInIndex === 1 && sql.includes('/*M!100800');
    const isFound = by === undefined || plan.some(({ key }) => key?.includes(`_${by}_`));
    const problems = plan
      .filter(({ table }) => table !== null && /^[rastkpg]$/.test(table))
      .filter(
        ({ key, Extra }) =>
          key === null ||
          /filesort/.test(Extra ?? '') ||
          (isCovered && key.startsWith('accounts_') && !/Using index/.test(Extra ?? '')) ||
          (testsInIndex && key !== 'PRIMARY' && !/Using index condition/.test(Extra ?? '')),
      )
      .map(({ table, key, Extra }) => `${table}: ${key ?? 'no index'} ${Extra ?? ''}`);
    return isFound ? problems : [...problems, `no index is searched by ${by}`];
  },
};

/** A few rows, so that the engines do not answer from an empty table. */
async function fill(database: Database): Promise<void> {
  const id = () => Buffer.from(newId().replaceAll('-', ''), 'hex');
  for (let row = 0; row < 50; row += 1) {
    await database.execute(
      `INSERT INTO audit_records (tenant_id, id, at, event, account_id, actor_id, client_address, request_id, details)
       VALUES (?, ?, ?, ?, ?, ?, 'x', 'x', '{}')`,
      [Buffer.from(row % 2 ? 'acme' : 'globex'), id(), row, row % 3 ? 'a' : 'b', id(), id()],
    );
    await database.execute(
      `INSERT INTO accounts (tenant_id, id, username, name, interactive, roles, disabled, created_at, updated_at, search_text)
       VALUES (?, ?, ?, 'x', 1, 'SALES', 0, 1, 1, ?)`,
      [Buffer.from(row % 2 ? 'acme' : 'globex'), id(), Buffer.from(`u${row}`), Buffer.from(`u${row}`)],
    );
    await database.execute(
      `INSERT INTO applications (tenant_id, id, client_id, name_key, type, name, redirect_uris, post_logout_redirect_uris, scopes,
         resources, has_resources, first_party, require_pkce, require_par, id_token_algorithm, id_token_claims, username_form, device_grant,
         access_token_ttl, refresh_token_idle, refresh_token_lifetime, disabled, created_at, updated_at, version)
       VALUES (?, ?, ?, ?, 'SPA', 'x', '[]', '[]', '', '[]', 0, 0, 1, 0, 'RS256', 1, 'FULL', 0, 900, 900, 900, 0, 1, 1, 1)`,
      [Buffer.from(['acme', 'globex', ''][row % 3]!), id(), Buffer.from(`p${row}`), Buffer.from(`p${row}`)],
    );
  }
}
