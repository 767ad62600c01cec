// The TOTP and the recovery codes of accounts, and the list of factors in the row of the account. Each transaction that uses or
// changes a factor has locked the row of the account first, so the factors of an account change one after the other. Statements
// are conditional all the same: on a cluster, the lock of a row holds on its own node only.
import {
  id,
  optional,
  optionalId,
  optionalTenant,
  splitList,
  time,
  integer,
  type Column,
} from '../../platform/db/columns.ts';
import { idToBytes } from '../../platform/db/ids.ts';
import { raiseLowestVersion } from '../../platform/db/lowest-version.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import { defineRecord, type ValuesOf } from '../../platform/db/record.ts';
import type { Statements } from '../../platform/db/types.ts';
import type { Account, FactorMethod } from '../access/account.ts';

type AccountKey = Pick<Account, 'tenantId' | 'id'>;

const encrypted = (name: string): Column<Buffer> => ({ name, fromSql: (stored: Uint8Array) => Buffer.from(stored) });

/** Times of Unix milliseconds. */
const times = (name: string): Column<readonly number[]> => ({
  name,
  fromSql: (stored: string) => splitList(stored).map(Number),
  toSql: (values) => values.join(','),
});

const FIELDS = {
  /** Encrypted: see totp-secrets.ts. */
  totpSecret: optional(encrypted('totp_secret')),
  totpCreatedAt: optional(time('totp_created_at')),
  /** The step of the last accepted code. */
  totpLastStep: optional(integer('totp_last_step')),
  totpLastUsedAt: optional(time('totp_last_used_at')),
  /** The secret of an enrolment that is not confirmed yet, encrypted. */
  pendingTotpSecret: optional(encrypted('pending_totp_secret')),
  pendingTotpExpiresAt: optional(time('pending_totp_expires_at')),
  /** The session that has begun it. */
  pendingTotpSessionId: optionalId('pending_totp_session_id'),
  /** When the present recovery codes were created. */
  recoveryCreatedAt: optional(time('recovery_created_at')),
  /** The access code of an administrator, encrypted. */
  accessCode: optional(encrypted('access_code')),
  /** When the wrong codes that count were given: see code-lock.ts. */
  failedTimes: times('failed_times'),
  lockedUntil: optional(time('locked_until')),
};

const FACTORS = defineRecord('account_factors', {
  fixed: { tenantId: optionalTenant('tenant_id'), accountId: id('account_id') },
  fields: FIELDS,
});
/** Times are Unix milliseconds. */
export type FactorRow = ValuesOf<typeof FIELDS>;

/** The fields of a removed TOTP. Its last step stays, because an account uses each step at most once. */
export const NO_TOTP = { totpSecret: undefined, totpCreatedAt: undefined, totpLastUsedAt: undefined };
export const NO_PENDING_TOTP = {
  pendingTotpSecret: undefined,
  pendingTotpExpiresAt: undefined,
  pendingTotpSessionId: undefined,
};

const NONE: FactorRow = {
  ...NO_TOTP,
  ...NO_PENDING_TOTP,
  totpLastStep: undefined,
  recoveryCreatedAt: undefined,
  accessCode: undefined,
  failedTimes: [],
  lockedUntil: undefined,
};

const OF_ACCOUNT = 'tenant_id = :tenant AND account_id = ?';

/**
 * Reads the factors of an account, without passkeys.
 *
 * @param lock The shareLock of the database, to lock the row in a transaction.
 */
export async function findFactors(
  db: Statements,
  { tenantId, id: accountId }: AccountKey,
  lock = '',
): Promise<FactorRow> {
  const [row] = await tenantScope(db, tenantId).query(
    `SELECT ${FACTORS.select('f')} FROM account_factors f WHERE f.tenant_id = :tenant AND f.account_id = ? ${lock}`,
    [idToBytes(accountId)],
  );
  return row ? FACTORS.read(row) : NONE;
}

/** Changes some fields, and creates the row if it is missing. */
export async function updateFactors(
  tx: Statements,
  { tenantId, id: accountId }: AccountKey,
  changes: Partial<FactorRow>,
): Promise<void> {
  const assignments = FACTORS.changesOf(changes);
  const scope = tenantScope(tx, tenantId);
  const changed = await scope.execute(
    `UPDATE account_factors SET ${assignments.map(([assignment]) => assignment).join(', ')} WHERE ${OF_ACCOUNT}`,
    [...assignments.map(([, value]) => value), idToBytes(accountId)],
  );
  if (changed > 0) return;
  await scope.execute(
    `INSERT INTO account_factors (${FACTORS.names}) VALUES (${FACTORS.placeholders})`,
    FACTORS.insertValues({ ...NONE, ...changes, tenantId, accountId }),
  );
}

/** Forgets the wrong codes of an account, and ends the lock that they have set. */
export async function forgetWrongCodes(tx: Statements, { tenantId, id }: AccountKey): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    // A lock of an earlier version has no times.
    `UPDATE account_factors SET failed_times = '', locked_until = NULL
      WHERE ${OF_ACCOUNT} AND (failed_times <> '' OR locked_until IS NOT NULL)`,
    [idToBytes(id)],
  );
}

/** Uses the code of a step. Returns false if this or a later step was used before. */
export async function claimTotpStep(
  tx: Statements,
  { tenantId, id }: AccountKey,
  step: number,
  now: number,
): Promise<boolean> {
  const changed = await tenantScope(tx, tenantId).execute(
    `UPDATE account_factors SET totp_last_step = ?, totp_last_used_at = ?
      WHERE ${OF_ACCOUNT} AND totp_secret IS NOT NULL AND (totp_last_step IS NULL OR totp_last_step < ?)`,
    [step, now, idToBytes(id), step],
  );
  return changed === 1;
}

/** Uses a recovery code. Returns false if the account has no such code, or it was used before. */
export async function useRecoveryCode(
  tx: Statements,
  { tenantId, id }: AccountKey,
  hash: Buffer,
  now: number,
): Promise<boolean> {
  const changed = await tenantScope(tx, tenantId).execute(
    `UPDATE recovery_codes SET used_at = ? WHERE ${OF_ACCOUNT} AND code_hash = ? AND used_at IS NULL`,
    [now, idToBytes(id), hash],
  );
  return changed === 1;
}

/** Stores an access code, which replaces the earlier one. Without a code, the account has none. */
export async function storeAccessCode(
  tx: Statements,
  account: AccountKey,
  code: { readonly encrypted: Buffer; readonly until: number } | undefined,
): Promise<void> {
  await updateFactors(tx, account, { accessCode: code?.encrypted });
  await tenantScope(tx, account.tenantId).execute(
    'UPDATE accounts SET access_code_until = ? WHERE tenant_id = :tenant AND id = ?',
    [code?.until ?? null, idToBytes(account.id)],
  );
}

/** Uses the access code of an account. Returns false if it has none any more. */
export async function useAccessCode(tx: Statements, { tenantId, id }: AccountKey): Promise<boolean> {
  const changed = await tenantScope(tx, tenantId).execute(
    `UPDATE account_factors SET access_code = NULL WHERE ${OF_ACCOUNT} AND access_code IS NOT NULL`,
    [idToBytes(id)],
  );
  if (changed === 0) return false;
  await storeAccessCode(tx, { tenantId, id }, undefined);
  return true;
}

/** Counts the recovery codes that are left. */
export async function countRecoveryCodes(db: Statements, { tenantId, id }: AccountKey): Promise<number> {
  const [row] = await tenantScope(db, tenantId).query<{ count: number }>(
    `SELECT COUNT(*) AS count FROM recovery_codes WHERE ${OF_ACCOUNT} AND used_at IS NULL`,
    [idToBytes(id)],
  );
  return row!.count;
}

/** Replaces all recovery codes of an account. Without hashes, it has none. */
export async function replaceRecoveryCodes(
  tx: Statements,
  account: AccountKey,
  hashes: readonly Buffer[],
  now: number,
): Promise<void> {
  const scope = tenantScope(tx, account.tenantId);
  const accountId = idToBytes(account.id);
  await scope.execute(`DELETE FROM recovery_codes WHERE ${OF_ACCOUNT}`, [accountId]);
  if (hashes.length > 0)
    await scope.execute(
      `INSERT INTO recovery_codes (tenant_id, account_id, code_hash, created_at)
       VALUES ${hashes.map(() => '(:tenant, ?, ?, ?)').join(', ')}`,
      hashes.flatMap((hash) => [accountId, hash, now]),
    );
  await updateFactors(tx, account, { recoveryCreatedAt: hashes.length > 0 ? now : undefined });
}

const ORDER: readonly FactorMethod[] = ['totp', 'passkey', 'recovery-code'];

/**
 * Stores the factors that an account can use. Logins whose password is being checked are then refused.
 *
 * @param isChange False if only the last recovery code was used: challenges stay valid.
 */
export async function storeFactorList(
  tx: Statements,
  { tenantId, id }: AccountKey,
  methods: readonly FactorMethod[],
  { isChange = true }: { readonly isChange?: boolean } = {},
): Promise<void> {
  const list = ORDER.filter((method) => methods.includes(method));
  await tenantScope(tx, tenantId).execute(
    `UPDATE accounts SET factors = ?, factors_version = factors_version + ${isChange ? 1 : 0}
      WHERE tenant_id = :tenant AND id = ?`,
    [list.join(','), idToBytes(id)],
  );
  if (isChange && list.length > 0) await raiseLowestVersion(tx, 'second_factors');
}
