// The session_families table: one row per login.
import type { Deadline } from '../clock.ts';
import { batchLoader, type BatchLoader } from '../db/batch-loader.ts';
import { bytesToId, idToBytes } from '../db/ids.ts';
import { tenantBytes } from '../db/tenant-scope.ts';
import type { Database, Statements } from '../db/types.ts';
import { DependencyUnavailableError } from '../errors.ts';
import type { CleanUpTarget } from '../jobs/clean-up.ts';
import type { RefreshCredential } from './refresh-credential.ts';

export interface SessionFamily {
  /** UUIDv7; the `sid` of its access tokens. */
  readonly id: string;
  readonly tenantId: string | undefined;
  readonly accountId: string;
  readonly form: StoredForm;
  readonly selector: Buffer;
  readonly generation: number;
  readonly verifierHash: Buffer;
  /** Whether its cookies outlive the browser's session; the same for all generations. */
  readonly rememberMe: boolean;
  /** Unix milliseconds, like all times here. */
  readonly createdAt: number;
  /** End of the idle window, never beyond the absolute end. */
  readonly expiresAt: number;
  readonly absoluteExpiresAt: number | undefined;
  /** When the longest-lived access token of the family ends. */
  readonly accessExpiresAt: number;
  readonly revokedAt: number | undefined;
}

/** How the client keeps the refresh credential: in a cookie, or as a token that travels in the body. */
export type StoredForm = 'COOKIE' | 'BODY';

export type RevocationReason = 'logout' | 'replay' | 'revoked' | 'account-changed';

export const SESSION_FAMILIES_CLEAN_UP: CleanUpTarget = {
  table: 'session_families',
  key: ['tenant_id', 'id'],
  expiresAt: ['idle_expires_at'],
  // A token may outlive its session; ending all sessions of an account must still find it.
  keptUntil: ['access_expires_at'],
};

export interface SessionStore {
  /** Rejects with DependencyUnavailableError when the deadline has passed. */
  insert(tx: Statements, family: SessionFamily, clientAddress: string, deadline: Deadline): Promise<void>;
  /** Read from the database at every call; calls of one moment share a query. */
  findBySelector(selector: Buffer): Promise<SessionFamily | undefined>;
  /** Advances to the next generation, if `family` is still what is stored and the deadline has not passed. */
  advance(family: SessionFamily, next: RefreshCredential, times: SlidTimes, deadline: Deadline): Promise<boolean>;
  /** Slides the window of a family that is not revoked, whatever its generation. */
  slide(family: SessionFamily, times: SlidTimes, deadline: Deadline): Promise<boolean>;
  /** Revokes a family. Undefined where there is no such family any more. */
  revoke(
    tx: Statements,
    family: { readonly tenantId: string | undefined; readonly id: string },
    reason: RevocationReason,
    now: number,
    deadline: Deadline,
  ): Promise<Revocation | undefined>;
  /** Revokes all families of an account. */
  revokeAll(
    tx: Statements,
    account: { readonly tenantId: string | undefined; readonly id: string },
    reason: RevocationReason,
    now: number,
    deadline: Deadline,
  ): Promise<RevocationOfAll>;
}

export interface RevocationOfAll {
  /** How many were open. */
  readonly count: number;
  /** Those whose access tokens may still live, revoked before or not. */
  readonly living: readonly { readonly id: string; readonly accessExpiresAt: number }[];
}

export interface Revocation {
  /** False where the family was revoked before. */
  readonly first: boolean;
  /** When the last access token of the family ends. */
  readonly accessExpiresAt: number;
}

export interface SlidTimes {
  readonly now: number;
  readonly expiresAt: number;
  readonly accessExpiresAt: number;
}

interface FamilyRow {
  id: Uint8Array;
  tenant_id: Uint8Array;
  account_id: Uint8Array;
  credential_form: StoredForm;
  selector: Uint8Array;
  generation: number;
  verifier_hash: Uint8Array;
  remember_me: number;
  created_at: number;
  idle_expires_at: number;
  absolute_expires_at: number | null;
  access_expires_at: number;
  revoked_at: number | null;
}

const CLOCK_MARGIN_MS = 60_000;

const LATER = (column: string) => `${column} = CASE WHEN ${column} < ? THEN ? ELSE ${column} END`;

export function createSessionStore(database: Database): SessionStore {
  const before = database.beforeDeadline;
  const bySelector: BatchLoader<SessionFamily> = batchLoader(async (selectors) => {
    const rows = await database.query<FamilyRow>(
      `SELECT id, tenant_id, account_id, credential_form, selector, generation, verifier_hash, remember_me, created_at, idle_expires_at,
              absolute_expires_at, access_expires_at, revoked_at
         FROM session_families WHERE selector IN (${selectors.map(() => '?').join(',')})`,
      selectors.map((selector) => Buffer.from(selector, 'hex')),
    );
    return new Map(
      rows.map((row) => {
        const family = familyOf(row);
        return [family.selector.toString('hex'), family];
      }),
    );
  });
  return {
    async insert(tx, family, clientAddress, deadline) {
      const inserted = await tx.execute(
        `INSERT INTO session_families (tenant_id, id, account_id, selector, verifier_hash, generation, credential_form,
           remember_me, client_address, created_at, refreshed_at, idle_expires_at, absolute_expires_at, access_expires_at)
         SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM (SELECT 1 AS one) AS once WHERE ${before}`,
        [
          tenantBytes(family.tenantId),
          idToBytes(family.id),
          idToBytes(family.accountId),
          family.selector,
          family.verifierHash,
          family.generation,
          family.form,
          family.rememberMe ? 1 : 0,
          clientAddress,
          family.createdAt,
          family.createdAt,
          family.expiresAt,
          family.absoluteExpiresAt ?? null,
          family.accessExpiresAt,
          database.deadlineValue(deadline),
        ],
      );
      if (inserted === 0) throw new DependencyUnavailableError('the deadline passed before the session was stored');
    },

    findBySelector: (selector) => bySelector(selector.toString('hex')),

    async advance(family, next, times, deadline) {
      const changed = await database.execute(
        `UPDATE session_families
            SET generation = ?, verifier_hash = ?, refreshed_at = ?, idle_expires_at = ?, ${LATER('access_expires_at')}
          WHERE tenant_id = ? AND id = ? AND generation = ? AND verifier_hash = ? AND revoked_at IS NULL
            AND idle_expires_at > ? AND ${before}`,
        [
          next.generation,
          next.verifierHash,
          times.now,
          times.expiresAt,
          times.accessExpiresAt,
          times.accessExpiresAt,
          tenantBytes(family.tenantId),
          idToBytes(family.id),
          family.generation,
          family.verifierHash,
          times.now,
          database.deadlineValue(deadline),
        ],
      );
      return changed > 0;
    },

    async slide(family, times, deadline) {
      const changed = await database.execute(
        `UPDATE session_families
            SET refreshed_at = ?, ${LATER('idle_expires_at')}, ${LATER('access_expires_at')}
          WHERE tenant_id = ? AND id = ? AND revoked_at IS NULL AND idle_expires_at > ? AND ${before}`,
        [
          times.now,
          times.expiresAt,
          times.expiresAt,
          times.accessExpiresAt,
          times.accessExpiresAt,
          tenantBytes(family.tenantId),
          idToBytes(family.id),
          times.now,
          database.deadlineValue(deadline),
        ],
      );
      return changed > 0;
    },

    async revoke(tx, { tenantId, id }, reason, now, deadline) {
      const key = [tenantBytes(tenantId), idToBytes(id)];
      const changed = await tx.execute(
        `UPDATE session_families SET revoked_at = ?, revoked_reason = ?
          WHERE tenant_id = ? AND id = ? AND revoked_at IS NULL AND ${before}`,
        [now, reason, ...key, database.deadlineValue(deadline)],
      );
      const [row] = await tx.query<{ access_expires_at: number }>(
        'SELECT access_expires_at FROM session_families WHERE tenant_id = ? AND id = ?',
        key,
      );
      return row && { first: changed > 0, accessExpiresAt: row.access_expires_at };
    },

    async revokeAll(tx, { tenantId, id }, reason, now, deadline) {
      const account = [tenantBytes(tenantId), idToBytes(id)];
      const revokeUntil = (expired: '>' | '<=') =>
        tx.execute(
          `UPDATE session_families SET revoked_at = ?, revoked_reason = ?
            WHERE tenant_id = ? AND account_id = ? AND revoked_at IS NULL AND idle_expires_at ${expired} ? AND ${before}`,
          [now, reason, ...account, now, database.deadlineValue(deadline)],
        );
      const count = await revokeUntil('>');
      // What has expired by this clock may not have by that of another process.
      await revokeUntil('<=');
      const rows = await tx.query<{ id: Uint8Array; access_expires_at: number }>(
        `SELECT id, access_expires_at FROM session_families
          WHERE tenant_id = ? AND account_id = ? AND access_expires_at > ? ORDER BY id`,
        [...account, now - CLOCK_MARGIN_MS],
      );
      const living = rows.map((row) => ({ id: bytesToId(row.id), accessExpiresAt: row.access_expires_at }));
      return { count, living };
    },
  };
}

function familyOf(row: FamilyRow): SessionFamily {
  return {
    id: bytesToId(row.id),
    tenantId: Buffer.from(row.tenant_id).toString() || undefined,
    accountId: bytesToId(row.account_id),
    form: row.credential_form,
    selector: Buffer.from(row.selector),
    generation: row.generation,
    verifierHash: Buffer.from(row.verifier_hash),
    rememberMe: row.remember_me === 1,
    createdAt: row.created_at,
    expiresAt: row.idle_expires_at,
    absoluteExpiresAt: row.absolute_expires_at ?? undefined,
    accessExpiresAt: row.access_expires_at,
    revokedAt: row.revoked_at ?? undefined,
  };
}
