// The applications table.
import { idToBytes } from '../../../platform/db/ids.ts';
import { given } from '../../../platform/db/query/condition.ts';
import type { ListOrder } from '../../../platform/db/query/list-order.ts';
import { queryPage } from '../../../platform/db/query/page-query.ts';
import type { CursorPage, Found } from '../../../platform/db/query/page.ts';
import {
  acrossTenants,
  scopeCondition,
  tenantScope,
  type AdminScope,
} from '../../../platform/db/query/tenant-scope.ts';
import type { Database, Row, Statements } from '../../../platform/db/types.ts';
import { APPLICATION, type Application, type ApplicationAddress } from './application.ts';
import { COMMAND_LINE_ID } from './command-line.ts';

/** Newest first: ids ascend with time. */
export const APPLICATION_ORDER: ListOrder = { key: [{ column: 'p.id', kind: 'id' }], descending: true };

const ADDRESSED = 'WHERE tenant_id = :tenant AND id = ?';
const SELECT = `SELECT ${APPLICATION.select('p')} FROM applications p`;
const OF_ALL_TENANTS = acrossTenants('a client id belongs to one application of all');

export interface ApplicationFilter {
  /** A part of the client id or the name. */
  readonly query: string | undefined;
  readonly disabled: boolean | undefined;
  /** The id of an application that is left out. */
  readonly except: string | undefined;
}

/** Lists the applications of a scope. */
export async function selectApplications(
  database: Database,
  scope: AdminScope,
  { query, disabled, except }: ApplicationFilter,
  page: CursorPage,
): Promise<Found<Application>> {
  const matching = [
    ...given(query?.toLowerCase(), 'INSTR(LOWER(CONCAT(CAST(p.client_id AS CHAR), CHAR(10), p.name)), ?) > 0'),
    ...given(disabled === undefined ? undefined : Number(disabled), 'p.disabled = ?'),
    ...given(except === undefined ? undefined : idToBytes(except), 'p.id <> ?'),
  ];
  return queryPage(
    database,
    {
      table: 'applications',
      alias: 'p',
      primaryKey: ['tenant_id', 'id'],
      order: APPLICATION_ORDER,
      scope,
      branches: [{ index: scope.everyTenant ? 'UNIQUE id' : 'PRIMARY', matching }],
      columns: APPLICATION.select('p'),
      read: (row: Row) => APPLICATION.read(row),
    },
    page,
  );
}

/** Returns an application; undefined if it is outside the scope. */
export async function findApplication(db: Statements, scope: AdminScope, id: string): Promise<Application | undefined> {
  const within = scopeCondition('p.tenant_id', scope);
  const [row] = await db.query(`${SELECT} WHERE p.id = ? AND ${within.sql}`, [idToBytes(id), ...within.values]);
  return row && APPLICATION.read(row);
}

/** Returns the application with a client id in any case, of any tenant. */
export async function findApplicationByName(db: Statements, clientId: string): Promise<Application | undefined> {
  const [row] = await db.query(`${SELECT} WHERE ${OF_ALL_TENANTS} AND p.name_key = ?`, [
    Buffer.from(clientId.toLowerCase()),
  ]);
  return row && APPLICATION.read(row);
}

/** Returns those of some names in lower case that are client ids of applications. */
export async function selectNamesOfApplications(
  db: Statements,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await db.query<{ readonly name: string }>(
    `SELECT CAST(name_key AS CHAR) AS name FROM applications
      WHERE ${OF_ALL_TENANTS} AND name_key IN (${names.map(() => '?').join(', ')})`,
    names.map((name) => Buffer.from(name)),
  );
  return new Set(rows.map(({ name }) => name));
}

/** Returns the names of those of some client ids that are applications of a scope. */
export async function selectApplicationNames(
  db: Statements,
  scope: AdminScope,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (clientIds.length === 0) return new Map();
  const within = scopeCondition('tenant_id', scope);
  const rows = await db.query<{ readonly id: string; readonly name: string }>(
    `SELECT CAST(client_id AS CHAR) AS id, name FROM applications
      WHERE name_key IN (${clientIds.map(() => '?').join(', ')}) AND ${within.sql}`,
    [...clientIds.map((clientId) => Buffer.from(clientId.toLowerCase())), ...within.values],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns an application and locks it until the transaction ends. */
export async function lockApplication(
  tx: Statements,
  { tenantId, id }: ApplicationAddress,
): Promise<Application | undefined> {
  await tenantScope(tx, tenantId).execute(`UPDATE applications SET id = id ${ADDRESSED}`, [idToBytes(id)]);
  return findApplication(tx, { everyTenant: false, tenantId }, id);
}

/** Returns the logo of an application. */
export async function findLogo(db: Statements, { tenantId, id }: ApplicationAddress): Promise<Buffer | undefined> {
  const [row] = await tenantScope(db, tenantId).query<{ logo: Uint8Array | null }>(
    `SELECT logo FROM applications ${ADDRESSED}`,
    [idToBytes(id)],
  );
  return row?.logo ? Buffer.from(row.logo) : undefined;
}

/** Returns those of some texts that are client ids. */
export async function selectClientIds(db: Statements, texts: readonly string[]): Promise<ReadonlySet<string>> {
  const names = await selectNamesOfApplications(db, [...new Set(texts.map((text) => text.toLowerCase()))]);
  return new Set(texts.filter((text) => names.has(text.toLowerCase())));
}

/** Whether an application can ask for this audience. Reads all applications with resources. */
export async function isResource(db: Statements, audience: string): Promise<boolean> {
  const [row] = await db.query(
    `SELECT 1 AS one FROM applications WHERE ${OF_ALL_TENANTS} AND has_resources = 1 AND INSTR(resources, ?) > 0 LIMIT 1`,
    [JSON.stringify(audience)],
  );
  return row !== undefined;
}

/** Returns the number of applications of a tenant, or of those for all tenants without the command line. */
export async function countApplications(db: Statements, tenantId: string | undefined): Promise<number> {
  const [row] = await tenantScope(db, tenantId).query<{ total: number }>(
    'SELECT COUNT(*) AS total FROM applications WHERE tenant_id = :tenant AND id <> ?',
    [idToBytes(COMMAND_LINE_ID)],
  );
  return row!.total;
}

/** Rejects with DatabaseError `duplicate` if the client id is taken. */
export async function insertApplication(tx: Statements, application: Application): Promise<void> {
  await tenantScope(tx, application.tenantId).execute(
    `INSERT INTO applications (${APPLICATION.names}) VALUES (${APPLICATION.placeholders})`,
    APPLICATION.insertValues(application),
  );
}

export async function updateApplication(tx: Statements, application: Application): Promise<void> {
  await tenantScope(tx, application.tenantId).execute(
    `UPDATE applications SET ${APPLICATION.assignments} ${ADDRESSED}`,
    [...APPLICATION.updateValues(application), idToBytes(application.id)],
  );
}

export async function deleteApplication(tx: Statements, { tenantId, id }: ApplicationAddress): Promise<void> {
  await tenantScope(tx, tenantId).execute(`DELETE FROM applications ${ADDRESSED}`, [idToBytes(id)]);
}
