// Lists of grants. grant-store.ts writes their rows.
import { selected } from '../../../platform/db/columns.ts';
import { bytesToId, idToBytes } from '../../../platform/db/ids.ts';
import type { ListOrder } from '../../../platform/db/query/list-order.ts';
import { queryPage } from '../../../platform/db/query/page-query.ts';
import type { CursorPage, Found } from '../../../platform/db/query/page.ts';
import { useIndex } from '../../../platform/db/query/hints.ts';
import { acrossTenants, tenantScope } from '../../../platform/db/query/tenant-scope.ts';
import { defineRecord, type ValuesOf } from '../../../platform/db/record.ts';
import type { Database, Row, Statements } from '../../../platform/db/types.ts';
import { openSession } from '../../session/session-list-store.ts';
import { GRANT, type Grant } from './grant-store.ts';

/** The application of a grant, as its users see it. */
const APPLICATION_COLUMNS = {
  clientId: selected(
    () => 'CAST(p.client_id AS CHAR)',
    (clientId: string) => clientId,
  ),
  applicationName: selected(
    () => 'p.name',
    (name: string) => name,
  ),
};

const OF_APPLICATION = defineRecord('applications', { fixed: {}, fields: {}, selected: APPLICATION_COLUMNS });
export type ListedGrant = Grant & ValuesOf<typeof APPLICATION_COLUMNS>;

/** Newest first: ids ascend with time. */
export const GRANT_ORDER: ListOrder = { key: [{ column: 'g.id', kind: 'id' }], descending: true };

type AccountAddress = { readonly tenantId: string | undefined; readonly id: string };

const APPLICATIONS = 'JOIN applications p ON p.tenant_id = g.application_tenant AND p.id = g.application_id';
/** Its values: the time, twice. */
const LIVE = `g.revoked_at IS NULL AND g.idle_expires_at > ? AND (g.offline = 1 OR ${openSession('g')})`;

function read(row: Row): ListedGrant {
  return { ...GRANT.read(row), ...OF_APPLICATION.read(row) };
}

const COLUMNS = `${GRANT.select('g')}, ${OF_APPLICATION.select('p')}`;

/** The live grants of an account, newest first. */
export function selectGrants(
  database: Database,
  account: AccountAddress,
  now: number,
  page: CursorPage,
): Promise<Found<ListedGrant>> {
  return queryPage(
    database,
    {
      table: 'grants',
      alias: 'g',
      primaryKey: ['tenant_id', 'id'],
      order: GRANT_ORDER,
      scope: { everyTenant: false, tenantId: account.tenantId },
      branches: [
        {
          index: ['tenant_id', 'account_id', 'application_id'],
          matching: [
            { sql: 'g.account_id = ?', values: [idToBytes(account.id)] },
            { sql: LIVE, values: [now, now] },
          ],
        },
      ],
      columns: COLUMNS,
      joins: APPLICATIONS,
      read,
    },
    page,
  );
}

/** Returns a live grant of an account. */
export async function findGrant(
  db: Statements,
  account: AccountAddress,
  id: string,
  now: number,
): Promise<ListedGrant | undefined> {
  const [row] = await tenantScope(db, account.tenantId).query(
    `SELECT ${COLUMNS} FROM grants g ${APPLICATIONS}
      WHERE g.tenant_id = :tenant AND g.id = ? AND g.account_id = ? AND ${LIVE}`,
    [idToBytes(id), idToBytes(account.id), now, now],
  );
  return row && read(row);
}

/** Counts the live grants among the next ones after an id. `last` is the id of the last one that was read. */
export async function countLive(
  database: Pick<Database, 'engine' | 'query'>,
  after: string | undefined,
  size: number,
  now: number,
): Promise<{ readonly read: number; readonly live: number; readonly last: string | undefined }> {
  // MySQL returns sums as texts.
  const [row] = await database.query<{ counted: number; live: number | string | null; last: Uint8Array | null }>(
    `SELECT COUNT(*) AS counted, SUM(page.live) AS live, MAX(page.id) AS last FROM (
       SELECT g.id AS id, CASE WHEN ${LIVE} THEN 1 ELSE 0 END AS live
         FROM ${useIndex(database, 'grants', 'g', 'UNIQUE id')}
        WHERE ${acrossTenants('the grants of all tenants are counted')} AND g.id > ? ORDER BY g.id LIMIT ${size}) page`,
    [now, now, after === undefined ? Buffer.alloc(0) : idToBytes(after)],
  );
  const { counted: read, live, last } = row!;
  return { read, live: Number(live ?? 0), last: last ? bytesToId(last) : undefined };
}

/** Live grants of an account for one application. A further one ends the least recently used. */
const MAX_GRANTS = 20;
/** The rows of grants that are over, which each redemption reads: so many stay, and twice as many are too many. */
const MAX_OVER = 20;
/** More than both. */
const MAX_READ = 1_000;

/** The grants of an account for an application that leave no room for one more. */
export interface Surplus {
  /** The least recently used live ones. */
  readonly live: readonly string[];
  /** Old ones that are over for ever, with all their tokens. */
  readonly over: readonly string[];
}

/** Returns the surplus of an account, which is locked, for an application. */
export async function selectSurplus(
  tx: Statements,
  account: AccountAddress,
  applicationId: string,
  now: number,
): Promise<Surplus> {
  const rows = await tenantScope(tx, account.tenantId).query<{ id: Uint8Array; is_live: number; ends_at: number }>(
    `SELECT g.id AS id, CASE WHEN ${LIVE} THEN 1 ELSE 0 END AS is_live, g.access_expires_at AS ends_at FROM grants g
      WHERE g.tenant_id = :tenant AND g.account_id = ? AND g.application_id = ?
      ORDER BY g.last_used_at DESC, g.id DESC LIMIT ${MAX_READ}`,
    [now, now, idToBytes(account.id), idToBytes(applicationId)],
  );
  const idsOf = (found: typeof rows) => found.map(({ id }) => bytesToId(id));
  const live = rows.filter((row) => row.is_live === 1);
  const over = rows.filter((row) => row.is_live === 0 && row.ends_at <= now);
  return {
    live: idsOf(live.slice(MAX_GRANTS - 1)),
    over: idsOf(over.length > 2 * MAX_OVER ? over.slice(MAX_OVER) : []),
  };
}

/** Counts the live grants of an account. */
export async function countLiveOf(tx: Statements, account: AccountAddress, now: number): Promise<number> {
  const [row] = await tenantScope(tx, account.tenantId).query<{ count: number }>(
    `SELECT COUNT(*) AS count FROM grants g WHERE g.tenant_id = :tenant AND g.account_id = ? AND ${LIVE}`,
    [idToBytes(account.id), now, now],
  );
  return row!.count;
}

/** Returns the live grants of an account for an application. */
export async function selectLive(
  tx: Statements,
  account: AccountAddress,
  applicationId: string,
  now: number,
): Promise<readonly string[]> {
  const rows = await tenantScope(tx, account.tenantId).query<{ id: Uint8Array }>(
    `SELECT g.id AS id FROM grants g
      WHERE g.tenant_id = :tenant AND g.account_id = ? AND g.application_id = ? AND ${LIVE} ORDER BY g.id LIMIT ${MAX_READ}`,
    [idToBytes(account.id), idToBytes(applicationId), now, now],
  );
  return rows.map((row) => bytesToId(row.id));
}
