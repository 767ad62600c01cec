// The grants table: applications that have access to accounts. A grant of a session is over when its session is: nothing is written here
// then.
import type { Deadline } from '../../../platform/clock.ts';
import { flag, id, integer, optional, selected, time } from '../../../platform/db/columns.ts';
import { bytesToId, idToBytes } from '../../../platform/db/ids.ts';
import { batchLoader } from '../../../platform/db/query/batch-loader.ts';
import {
  acrossTenants,
  scopeCondition,
  tenantScope,
  type AdminScope,
} from '../../../platform/db/query/tenant-scope.ts';
import { defineRecord, type ValuesOf } from '../../../platform/db/record.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import type { CleanupTarget } from '../../../platform/jobs/cleanup.ts';
import { GRANTED_COLUMNS } from '../codes/code-store.ts';
import { bytes, scopes } from '../columns.ts';
import type { Scope } from '../scopes.ts';

export const GRANTS_CLEANUP: CleanupTarget = {
  table: 'grants',
  key: ['tenant_id', 'id'],
  expiresAt: ['idle_expires_at'],
  keptUntil: ['access_expires_at'],
};

const COLUMNS = {
  ...GRANTED_COLUMNS,
  /** UUIDv7; the claim `gid` of its access tokens. */
  id: id('id'),
  /** Whether it outlives its session. */
  offline: flag('offline'),
  selector: bytes('selector'),
  generation: integer('generation'),
  rotatedAt: optional(time('rotated_at')),
  stepScopes: scopes('step_scopes'),
  previousStepScopes: scopes('previous_step_scopes'),
  createdAt: time('created_at'),
  /** When it last got tokens. */
  lastUsedAt: time('last_used_at'),
  idleExpiresAt: time('idle_expires_at'),
  /** When its last access token expires. */
  accessExpiresAt: time('access_expires_at'),
  revokedAt: optional(time('revoked_at')),
};

export const GRANT = defineRecord('grants', { fixed: COLUMNS, fields: {} });
export type Grant = ValuesOf<typeof COLUMNS>;
export type GrantAddress = Pick<Grant, 'tenantId' | 'id'>;

/** Why a grant was revoked. */
export type GrantEnd = 'revoked' | 'replay' | 'too-many' | 'account-changed' | 'restored';

/** A grant, and why it was revoked. */
const ENDED_GRANT = defineRecord('grants', {
  fixed: COLUMNS,
  fields: {},
  selected: {
    revokedReason: selected(
      (g) => `${g}.revoked_reason`,
      (reason: GrantEnd | null) => reason ?? undefined,
    ),
  },
});
export type EndedGrant = Grant & { readonly revokedReason: GrantEnd | undefined };

/** A grant, and its application as audit records name it. */
export interface OwnedGrant {
  readonly id: string;
  readonly application: string;
  readonly clientId: string;
}

/** What a use of a grant changes. */
export interface GrantUse {
  readonly now: number;
  readonly idleExpiresAt: number;
  readonly accessExpiresAt: number;
  /** Set if the refresh token is rotated: the scopes that were asked for. */
  readonly rotation: readonly Scope[] | undefined;
}

type AccountAddress = { readonly tenantId: string | undefined; readonly id: string };

const OF_ALL_TENANTS = acrossTenants('a refresh token is a credential');
const GRANTS = `SELECT ${GRANT.select('g')} FROM grants g`;
const LATER = (column: string) => `${column} = CASE WHEN ${column} < ? THEN ? ELSE ${column} END`;

/** Deletes grants that are over. */
export async function deleteGrants(
  tx: Statements,
  tenantId: string | undefined,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tenantScope(tx, tenantId).execute(
    `DELETE FROM grants WHERE tenant_id = :tenant AND id IN (${ids.map(() => '?').join(', ')})`,
    ids.map(idToBytes),
  );
}

/** Revokes the grants of all accounts that outlive their sessions, for a restored database. */
export async function revokeAllOffline(statements: Statements, now: number): Promise<void> {
  const reason: GrantEnd = 'restored';
  await statements.execute(
    `UPDATE grants SET revoked_at = ?, revoked_reason = ?
      WHERE ${acrossTenants('a restore ends all sessions')} AND offline = 1 AND revoked_at IS NULL`,
    [now, reason],
  );
}

export type GrantStore = ReturnType<typeof createGrantStore>;

export function createGrantStore(database: Database) {
  const { beforeDeadline: before } = database;
  const bySelector = batchLoader(async (selectors) => {
    const rows = await database.query(
      `${GRANTS} WHERE ${OF_ALL_TENANTS} AND g.selector IN (${selectors.map(() => '?').join(', ')})`,
      selectors.map((selector) => Buffer.from(selector, 'hex')),
    );
    return new Map(rows.map((row) => GRANT.read(row)).map((grant) => [grant.selector.toString('hex'), grant]));
  });
  const byId = batchLoader(async (ids) => {
    const rows = await database.query(
      `${GRANTS} WHERE ${acrossTenants('a signed token names its grant')} AND g.id IN (${ids.map(() => '?').join(', ')})`,
      ids.map(idToBytes),
    );
    return new Map(rows.map((row) => GRANT.read(row)).map((grant) => [grant.id, grant]));
  });

  return {
    /** Reads from the database at every call. Concurrent calls share one query. */
    findBySelector: (selector: Buffer) => bySelector(selector.toString('hex')),
    /** Finds the grant of a verified token. Reads as `findBySelector` does. */
    findById: byId,

    /** Finds a grant by one of its keys, also one that is over; undefined if its account is outside the scope. */
    async findInScope(
      scope: AdminScope,
      key: { readonly id: string } | { readonly selector: Buffer },
    ): Promise<EndedGrant | undefined> {
      const within = scopeCondition('g.tenant_id', scope);
      const [column, value] = 'id' in key ? ['id', idToBytes(key.id)] : ['selector', key.selector];
      const [row] = await database.query(
        `SELECT ${ENDED_GRANT.select('g')} FROM grants g WHERE g.${column} = ? AND ${within.sql}`,
        [value, ...within.values],
      );
      return row && ENDED_GRANT.read(row);
    },

    /** Stores a grant. Rejects with DependencyUnavailableError if the deadline has passed. */
    async insert(tx: Statements, grant: Grant, deadline: Deadline): Promise<void> {
      const inserted = await tenantScope(tx, grant.tenantId).execute(
        `INSERT INTO grants (${GRANT.names}) SELECT ${GRANT.placeholders} FROM (SELECT 1 AS one) AS once WHERE ${before}`,
        [...GRANT.insertValues(grant), database.deadlineValue(deadline)],
      );
      if (inserted === 0) throw new DependencyUnavailableError('the deadline passed before the grant was stored');
    },

    /** Stores a use of a grant. Returns false if it was revoked, or its token was rotated, since it was read. */
    async use(
      tx: Statements,
      { tenantId, id, generation }: Pick<Grant, 'tenantId' | 'id' | 'generation'>,
      { now, idleExpiresAt, accessExpiresAt, rotation }: GrantUse,
      deadline: Deadline,
    ): Promise<boolean> {
      // MySQL reads the values of assignments further left, SQLite those before the statement: the old scopes come first.
      const rotated = rotation
        ? 'previous_step_scopes = step_scopes, step_scopes = ?, generation = generation + 1, rotated_at = ?,'
        : '';
      const changed = await tenantScope(tx, tenantId).execute(
        `UPDATE grants SET ${rotated} last_used_at = ?, ${LATER('idle_expires_at')}, ${LATER('access_expires_at')}
          WHERE tenant_id = :tenant AND id = ? AND generation = ? AND revoked_at IS NULL AND ${before}`,
        [
          ...(rotation ? [rotation.join(' '), now] : []),
          now,
          idleExpiresAt,
          idleExpiresAt,
          accessExpiresAt,
          accessExpiresAt,
          idToBytes(id),
          generation,
          database.deadlineValue(deadline),
        ],
      );
      return changed > 0;
    },

    /** Revokes a grant. Returns when its last access token expires; undefined if it is not live, or does not exist. */
    async revoke(tx: Statements, { tenantId, id }: GrantAddress, reason: GrantEnd, now: number, deadline: Deadline) {
      const scope = tenantScope(tx, tenantId);
      const changed = await scope.execute(
        `UPDATE grants SET revoked_at = ?, revoked_reason = ?
          WHERE tenant_id = :tenant AND id = ? AND revoked_at IS NULL AND ${before}`,
        [now, reason, idToBytes(id), database.deadlineValue(deadline)],
      );
      if (changed === 0) return undefined;
      const [row] = await scope.query<{ access_expires_at: number }>(
        'SELECT access_expires_at FROM grants WHERE tenant_id = :tenant AND id = ?',
        [idToBytes(id)],
      );
      return row!.access_expires_at;
    },

    /** Returns the grants of an account that outlive their sessions, in the order of their ids. Those of deleted applications are over. */
    selectOffline: (tx: Statements, { tenantId, id }: AccountAddress) =>
      selectBy(tx, tenantId, 'g.account_id = ?', idToBytes(id)),

    /** Returns the offline grants that began in a session, as `selectOffline` does. */
    selectOfSession: (tx: Statements, tenantId: string | undefined, sessionId: string) =>
      selectBy(tx, tenantId, 'g.session_id = ?', idToBytes(sessionId)),

    /** Whether an application has, or had, a grant of an account that outlives its session. */
    async hasOffline(tx: Statements, account: AccountAddress, applicationId: string): Promise<boolean> {
      const rows = await tenantScope(tx, account.tenantId).query(
        `SELECT 1 AS one FROM grants
          WHERE tenant_id = :tenant AND account_id = ? AND application_id = ? AND offline = 1 LIMIT 1`,
        [idToBytes(account.id), idToBytes(applicationId)],
      );
      return rows.length > 0;
    },
  };

  async function selectBy(
    tx: Statements,
    tenantId: string | undefined,
    condition: string,
    value: Buffer,
  ): Promise<readonly OwnedGrant[]> {
    const rows = await tenantScope(tx, tenantId).query<{ id: Uint8Array; application: Uint8Array; client_id: string }>(
      `SELECT g.id AS id, p.id AS application, CAST(p.client_id AS CHAR) AS client_id
         FROM grants g JOIN applications p ON p.tenant_id = g.application_tenant AND p.id = g.application_id
        WHERE g.tenant_id = :tenant AND ${condition} AND g.offline = 1 AND g.revoked_at IS NULL ORDER BY g.id`,
      [value],
    );
    return rows.map((row) => ({
      id: bytesToId(row.id),
      application: bytesToId(row.application),
      clientId: row.client_id,
    }));
  }
}
