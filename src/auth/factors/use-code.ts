// Uses a TOTP or recovery code of an account. The transaction has locked the account's row, so at most five wrong codes are evaluated
// however many come at once: the count of each is committed before the next one is read.
import type { Database, Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { toBase32 } from '../../platform/formats/base32.ts';
import type { AuditEvent } from '../audit/trail/audit-log.ts';
import { SAMPLE_TOTP_SECRET } from '../identity/sample-credentials.ts';
import type { Notify } from '../mail/notices.ts';
import type { Account } from '../access/account.ts';
import { matchesAccessCode } from './access-code.ts';
import { codeLockEnd, countWrongCode, NO_FAILURES } from './code-lock.ts';
import {
  claimTotpStep,
  countRecoveryCodes,
  findFactors,
  storeFactorList,
  updateFactors,
  useAccessCode,
  useRecoveryCode,
  type FactorRow,
} from './factor-store.ts';
import { recoveryCodeHash } from './recovery-code.ts';
import { matchTotp } from './totp.ts';
import type { TotpSecrets } from './totp-secrets.ts';

export type CodeKind = 'totp' | 'recovery-code' | 'access-code';

/** The transaction in which a factor is used. */
export interface FactorUse {
  readonly tx: Statements;
  readonly record: (event: AuditEvent) => void;
  /** The account as the transaction has read it, after it has locked its row. */
  readonly account: Account;
  readonly now: number;
}

/**
 * Returns whether a code is right, and uses it. Throws SECOND_FACTOR_LOCKED if no code is evaluated. A wrong code is counted:
 * the transaction must be committed then.
 */
export type UseCode = (use: FactorUse, kind: CodeKind, code: string) => Promise<boolean>;

export interface UseCodeDependencies {
  readonly secrets: TotpSecrets;
  readonly database: Pick<Database, 'shareLock'>;
  /** Whether codes of the published secret are wrong. */
  readonly refuseSamples: boolean;
  readonly notify: Notify;
}

export function createUseCode({ secrets, database, refuseSamples, notify }: UseCodeDependencies): UseCode {
  const claims = { totp: claimTotp, 'recovery-code': claimRecoveryCode, 'access-code': claimAccessCode };

  return async (use, kind, code) => {
    const { tx, account, now } = use;
    // The lock of the account holds on its own node of a cluster only. A count of another node must not come after this read.
    const row = await findFactors(tx, account, database.shareLock);
    const until = codeLockEnd(row, now);
    if (until !== undefined) {
      const detail = `wrong codes have locked the second factor until ${new Date(until).toISOString()}`;
      throw new ServiceError('SECOND_FACTOR_LOCKED', { detail, retryAfterMs: until - now });
    }
    const isRight = await claims[kind](use, code, row);
    if (!isRight) await countWrong(use, kind, row, notify);
    else if (row.failedTimes.length > 0) await updateFactors(tx, account, NO_FAILURES);
    return isRight;
  };

  async function claimTotp({ tx, account, now }: FactorUse, code: string, row: FactorRow): Promise<boolean> {
    if (row.totpSecret === undefined) return false;
    const secret = secrets.decrypt(account.id, row.totpSecret);
    if (refuseSamples && toBase32(secret) === SAMPLE_TOTP_SECRET) return false;
    const step = matchTotp(secret, code, { now, lastStep: row.totpLastStep });
    return step !== undefined && claimTotpStep(tx, account, step, now);
  }

  async function claimAccessCode(use: FactorUse, code: string, { accessCode }: FactorRow): Promise<boolean> {
    const { tx, record, account, now } = use;
    if (accessCode === undefined || (account.accessCodeUntil ?? 0) <= now) return false;
    if (!matchesAccessCode(code, secrets.decrypt(account.id, accessCode))) return false;
    if (!(await useAccessCode(tx, account))) return false;
    record(factorEvent('access-code.used', account, {}));
    return true;
  }
}

async function claimRecoveryCode({ tx, record, account, now }: FactorUse, code: string): Promise<boolean> {
  const hash = recoveryCodeHash(code);
  if (hash === undefined || !(await useRecoveryCode(tx, account, hash, now))) return false;
  const remaining = await countRecoveryCodes(tx, account);
  if (remaining === 0) {
    const others = account.factors.filter((method) => method !== 'recovery-code');
    await storeFactorList(tx, account, others, { isChange: false });
  }
  record(factorEvent('recovery-code.used', account, { remaining }));
  return true;
}

async function countWrong(
  { tx, record, account, now }: FactorUse,
  method: CodeKind,
  row: FactorRow,
  notify: Notify,
): Promise<void> {
  const counted = countWrongCode(row, now);
  await updateFactors(tx, account, counted);
  record(factorEvent('second-factor.failed', account, { method }));
  if (counted.lockedUntil === undefined) return;
  const lockedUntil = new Date(counted.lockedUntil).toISOString();
  record(factorEvent('second-factor.locked', account, { lockedUntil }));
  await notify(tx, 'factor-locked', account, now);
}

type FactorEventName = Extract<
  AuditEvent['event'],
  `${string}factor.${string}` | 'recovery-code.used' | 'access-code.used'
>;

/** Creates an audit event of the owner of a factor. */
export function factorEvent<Name extends FactorEventName>(
  event: Name,
  { id: accountId, tenantId, username }: Account,
  details: NonNullable<AuditEvent['details']>,
) {
  return { event, tenantId, accountId, username, details };
}
