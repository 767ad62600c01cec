// The authorization_codes table. A code is random, so its SHA-256 is stored.
import { hash, randomBytes } from 'node:crypto';
import type { Deadline } from '../../../platform/clock.ts';
import { id, optional, optionalId, optionalTenant, text, time } from '../../../platform/db/columns.ts';
import { idToBytes } from '../../../platform/db/ids.ts';
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
import { bytes, methods, otherTenant, scopes, textOrEmpty } from '../columns.ts';

export const CODES_CLEANUP: CleanupTarget = {
  table: 'authorization_codes',
  key: ['tenant_id', 'id'],
  expiresAt: ['kept_until'],
};

export const CODE_LIFETIME_MS = 60_000;
/** A used code is kept so long, so that its replay is recognized. */
const CODE_KEPT_MS = 24 * 3600_000;

/** The columns that a code and its grant have alike. */
export const GRANTED_COLUMNS = {
  /** The tenant of the account. */
  tenantId: optionalTenant('tenant_id'),
  accountId: id('account_id'),
  applicationTenant: otherTenant('application_tenant'),
  applicationId: id('application_id'),
  /** The session in which the user has allowed it. */
  sessionId: id('session_id'),
  scopes: scopes('scopes'),
  /** The audience of its access tokens (RFC 8707); undefined or NO_RESOURCE for the issuer. */
  resource: optional(text('resource')),
  /** When the user of the session was authenticated, Unix milliseconds like all times here. */
  authenticatedAt: time('auth_time'),
  methods: methods('amr'),
  /** The network and the User-Agent header of the browser. */
  network: text('network'),
  userAgent: optional(text('user_agent')),
};

const COLUMNS = {
  ...GRANTED_COLUMNS,
  hash: bytes('id'),
  /** The grant that the code becomes, known beforehand so that a replay can revoke it. */
  grantId: id('grant_id'),
  /** Undefined if the application needs none. */
  consentId: optionalId('consent_id'),
  /** Undefined for the code of a device. */
  redirectUri: textOrEmpty('redirect_uri'),
  challenge: optional(text('challenge')),
  nonce: optional(text('nonce')),
  createdAt: time('created_at'),
  expiresAt: time('expires_at'),
  keptUntil: time('kept_until'),
  usedAt: optional(time('used_at')),
};

const CODE = defineRecord('authorization_codes', { fixed: COLUMNS, fields: {} });
export type AuthorizationCode = ValuesOf<typeof COLUMNS>;

const OF_ALL_TENANTS = acrossTenants('a code is a credential');
const CODE_BYTES = 32;
/** Base64url of the bytes of a code. */
export const CODE_FORM = /^[\w-]{43}$/;

export function newCode(): { readonly text: string; readonly hash: Buffer } {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  return { text: code, hash: codeHash(code) };
}

const codeHash = (code: string): Buffer => hash('sha256', code, 'buffer');

/** Finds a code, also one that is used or late. */
export async function findCode(db: Statements, code: string): Promise<AuthorizationCode | undefined> {
  const [row] = await db.query(
    `SELECT ${CODE.select('c')} FROM authorization_codes c WHERE ${OF_ALL_TENANTS} AND c.id = ?`,
    [codeHash(code)],
  );
  return row && CODE.read(row);
}

/** Finds a code, also one that is used or late; undefined if its account is outside the scope. */
export async function findCodeInScope(
  db: Statements,
  scope: AdminScope,
  code: string,
): Promise<AuthorizationCode | undefined> {
  const within = scopeCondition('c.tenant_id', scope);
  const [row] = await db.query(
    `SELECT ${CODE.select('c')} FROM authorization_codes c WHERE c.id = ? AND ${within.sql}`,
    [codeHash(code), ...within.values],
  );
  return row && CODE.read(row);
}

/** Stores a code. Rejects with DependencyUnavailableError if the deadline has passed. */
export async function insertCode(
  database: Pick<Database, 'beforeDeadline' | 'deadlineValue'>,
  tx: Statements,
  code: AuthorizationCode,
  deadline: Deadline,
): Promise<void> {
  const inserted = await tenantScope(tx, code.tenantId).execute(
    `INSERT INTO authorization_codes (${CODE.names})
     SELECT ${CODE.placeholders} FROM (SELECT 1 AS one) AS once WHERE ${database.beforeDeadline}`,
    [...CODE.insertValues(code), database.deadlineValue(deadline)],
  );
  if (inserted === 0) throw new DependencyUnavailableError('the deadline passed before the code was stored');
}

/** Uses a code. Returns false if it was used before, or is late. */
export async function useCode(
  database: Pick<Database, 'beforeDeadline' | 'deadlineValue'>,
  tx: Statements,
  { tenantId, hash }: Pick<AuthorizationCode, 'tenantId' | 'hash'>,
  now: number,
  deadline: Deadline,
): Promise<boolean> {
  const changed = await tenantScope(tx, tenantId).execute(
    `UPDATE authorization_codes SET used_at = ?, kept_until = ?
      WHERE tenant_id = :tenant AND id = ? AND used_at IS NULL AND expires_at > ? AND ${database.beforeDeadline}`,
    [now, now + CODE_KEPT_MS, hash, now, database.deadlineValue(deadline)],
  );
  return changed > 0;
}

/** Deletes the codes of an account for an application that nobody has redeemed: their consent was revoked. */
export async function deleteOpenCodes(
  tx: Statements,
  { tenantId, id }: { readonly tenantId: string | undefined; readonly id: string },
  applicationId: string,
): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    'DELETE FROM authorization_codes WHERE tenant_id = :tenant AND account_id = ? AND application_id = ? AND used_at IS NULL',
    [idToBytes(id), idToBytes(applicationId)],
  );
}
