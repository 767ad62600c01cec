// The mail_tokens table: the tokens in the links of mails, as hashes.
import { createHash, randomBytes } from 'node:crypto';
import type { Deadline } from '../../platform/clock.ts';
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { raiseLowestVersion } from '../../platform/db/lowest-version.ts';
import { acrossTenants, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import type { CleanupTarget } from '../../platform/jobs/cleanup.ts';

/** What a token permits. */
export type TokenPurpose = 'recovery' | 'email' | 'email-stop' | 'invitation';

interface TokenOwner {
  readonly tenantId: string | undefined;
  readonly id: string;
}

/** A token that has not expired. */
interface FoundToken extends TokenOwner {
  /** The address that got the token; undefined if it is the one of the account. */
  readonly email: string | undefined;
  /** The session that has requested the token, and with which it ends; undefined if it belongs to none. */
  readonly sessionId: string | undefined;
  /** Whether its link was shown to an administrator, so that it proves no address. */
  readonly isShown: boolean;
}

/** A token to end. */
interface TakenToken {
  readonly purpose: TokenPurpose;
  readonly token: string;
  readonly now: number;
  /** The address of the account. Another one that got the token does not prove it. Not checked if undefined. */
  readonly email: string | undefined;
  /** The fingerprint of the password. Not checked if undefined, or if the token has none. */
  readonly fingerprint: Buffer | undefined;
}

interface NewToken {
  readonly purpose: TokenPurpose;
  readonly token: string;
  readonly expiresAt: number;
  readonly email?: string | undefined;
  readonly fingerprint?: Buffer | undefined;
  readonly sessionId?: string | undefined;
  readonly mailId?: string | undefined;
  readonly shownAt?: number | undefined;
}

export const MAIL_TOKENS_CLEANUP: CleanupTarget = {
  table: 'mail_tokens',
  key: ['tenant_id', 'account_id', 'purpose'],
  expiresAt: ['expires_at'],
};

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Creates a token of 256 bits. */
export function newMailToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Stores a token. It replaces the owner's earlier one of this purpose. */
export async function putMailToken(
  database: Pick<Database, 'engine'>,
  tx: Statements,
  owner: TokenOwner,
  { purpose, token, expiresAt, email, fingerprint, sessionId, mailId, shownAt }: NewToken,
): Promise<void> {
  const session = sessionId === undefined ? null : idToBytes(sessionId);
  const mail = mailId === undefined ? null : idToBytes(mailId);
  const values = [hashOf(token), expiresAt, email ?? null, fingerprint ?? null, session, mail, shownAt ?? null];
  await tenantScope(tx, owner.tenantId).execute(
    `INSERT INTO mail_tokens
        (tenant_id, account_id, purpose, token_hash, expires_at, email, fingerprint, session_id, mail_id, shown_at)
      VALUES (:tenant, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ${IF_PRESENT[database.engine]} token_hash = ?, expires_at = ?, email = ?, fingerprint = ?, session_id = ?,
        mail_id = ?, shown_at = ?`,
    [idToBytes(owner.id), purpose, ...values, ...values],
  );
  // An older version would take the address for proven.
  if (shownAt !== undefined) await raiseLowestVersion(tx, 'invitation_links');
}

const IF_PRESENT: Readonly<Record<Database['engine'], string>> = {
  sqlite: 'ON CONFLICT (tenant_id, account_id, purpose) DO UPDATE SET',
  mysql: 'ON DUPLICATE KEY UPDATE',
};

/** Finds a token that has not expired. */
export async function findMailToken(
  db: Statements,
  purpose: TokenPurpose,
  token: string,
  now: number,
): Promise<FoundToken | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const [row] = await db.query<{
    tenant_id: string;
    account_id: string;
    email: string | null;
    session_id: string | null;
    shown_at: number | null;
  }>(
    `SELECT CAST(tenant_id AS CHAR) AS tenant_id, ${hexOf('account_id')} AS account_id, email,
        ${hexOf('session_id')} AS session_id, shown_at FROM mail_tokens
      WHERE ${acrossTenants('a token of a mail belongs to one account of all')}
        AND token_hash = ? AND purpose = ? AND expires_at > ?`,
    [hashOf(token), purpose, now],
  );
  return (
    row && {
      tenantId: row.tenant_id || undefined,
      id: hexToId(row.account_id),
      email: row.email ?? undefined,
      sessionId: row.session_id ? hexToId(row.session_id) : undefined,
      isShown: row.shown_at !== null,
    }
  );
}

/** Ends a token that has not expired. Returns false if it is not valid any more, or the deadline has passed. */
export async function takeMailToken(
  database: Pick<Database, 'beforeDeadline' | 'deadlineValue'>,
  tx: Statements,
  owner: TokenOwner,
  { purpose, token, now, email, fingerprint }: TakenToken,
  deadline: Deadline,
): Promise<boolean> {
  const taken = await tenantScope(tx, owner.tenantId).execute(
    `DELETE FROM mail_tokens WHERE tenant_id = :tenant AND account_id = ? AND purpose = ? AND token_hash = ?
        AND expires_at > ? AND COALESCE(email = ?, TRUE) AND COALESCE(fingerprint = ?, TRUE) AND ${database.beforeDeadline}`,
    [
      idToBytes(owner.id),
      purpose,
      hashOf(token),
      now,
      email ?? null,
      fingerprint ?? null,
      database.deadlineValue(deadline),
    ],
  );
  return taken > 0;
}

/** Ends the token of an account for a purpose. */
export async function endMailToken(tx: Statements, { tenantId, id }: TokenOwner, purpose: TokenPurpose): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    'DELETE FROM mail_tokens WHERE tenant_id = :tenant AND account_id = ? AND purpose = ?',
    [idToBytes(id), purpose],
  );
}

/** Makes the state of a mail unknown that was deleted without being sent: as its row is missing, it would count as sent. */
export async function forgetMail(db: Statements, mailId: string): Promise<void> {
  const everywhere = acrossTenants('the mails of all tenants are sent');
  const rows = await db.query<{ tenant_id: string; account_id: string; purpose: TokenPurpose }>(
    `SELECT CAST(tenant_id AS CHAR) AS tenant_id, ${hexOf('account_id')} AS account_id, purpose FROM mail_tokens
      WHERE ${everywhere} AND mail_id = ?`,
    [idToBytes(mailId)],
  );
  for (const row of rows)
    await tenantScope(db, row.tenant_id || undefined).execute(
      `UPDATE mail_tokens SET mail_id = NULL WHERE tenant_id = :tenant AND account_id = ? AND purpose = ? AND mail_id = ?`,
      [idToBytes(hexToId(row.account_id)), row.purpose, idToBytes(mailId)],
    );
}

/** Counts the tokens of an account that can be used. */
export async function countMailTokens(tx: Statements, { tenantId, id }: TokenOwner, now: number): Promise<number> {
  const [row] = await tenantScope(tx, tenantId).query<{ count: number }>(
    'SELECT COUNT(*) AS count FROM mail_tokens WHERE tenant_id = :tenant AND account_id = ? AND expires_at > ?',
    [idToBytes(id), now],
  );
  return row!.count;
}

/** Ends all tokens of an account. */
export async function endMailTokens(tx: Statements, { tenantId, id }: TokenOwner): Promise<void> {
  await tenantScope(tx, tenantId).execute('DELETE FROM mail_tokens WHERE tenant_id = :tenant AND account_id = ?', [
    idToBytes(id),
  ]);
}

/** Ends all tokens, for a restored database: some may have been used or ended after the backup. */
export async function endAllMailTokens(statements: Statements): Promise<void> {
  await statements.execute(`DELETE FROM mail_tokens WHERE ${acrossTenants('a restore ends all sessions')}`);
}

/** Ends the tokens of the accounts of a tenant, apart from their invitations. */
export async function endMailTokensOfTenant(tx: Statements, tenantId: string): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    "DELETE FROM mail_tokens WHERE tenant_id = :tenant AND purpose <> 'invitation'",
  );
}
