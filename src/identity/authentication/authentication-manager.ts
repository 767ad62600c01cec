// Authentication: passwords, account lock, bearer tokens, eligibility, permissions.
// Imported by src/identity and the services above it.
// Passwords are evaluated only here. An evaluated password is counted and audited, also if the caller is gone.
import type { AuditContext, AuditEvent, AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../clock.ts';
import type { Database, Statements } from '../../db/types.ts';
import { ServiceError, type ReasonName } from '../../errors.ts';
import type { Account } from '../../principal/account.ts';
import type { AccountLock } from './account-lock.ts';
import { replacePasswordHash, type AccountStore, type PasswordStanding } from '../account-store.ts';
import { createAuthenticateClient, type AuthenticateClient } from './authenticate-client.ts';
import { authenticationEvent } from './authentication-audit.ts';
import {
  findIneligibility,
  isLocked,
  isPast,
  lockedDetail,
  type IneligibilityCause,
  type Refusal,
} from './eligibility.ts';
import { createEvaluatePassword, type PasswordAttempt } from './evaluate-password.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { createSettlements, type Settlement } from './settlements.ts';

export interface AuthenticationManager {
  /**
   * Authenticates a user; `prepare` then readies what the login opens, and what it returns runs in the transaction that
   * ends the attempt. Rejects with the reason of the refusal: ACCOUNT_NOT_FOUND, LOGIN_POLICY_REJECTED, ACCOUNT_LOCKED, ACCOUNT_DISABLED, ACCOUNT_EXPIRED,
   * BAD_CREDENTIALS, CREDENTIALS_EXPIRED; every one is an audit record before it is thrown. Nothing is opened after the
   * caller's deadline.
   */
  authenticate<T>(
    attempt: { readonly username: string; readonly password: string },
    context: AuditContext,
    prepare: (account: Account) => Promise<(tx: Statements, record: (event: AuditEvent) => void) => Promise<T>>,
  ): Promise<T>;
  /**
   * Has the user behind a session confirm its password, which counts and locks like that of a login. `prepare` then readies
   * what follows; what it returns runs in one transaction and ends the attempt there by `settle`. Rejects with
   * BAD_CREDENTIALS, ACCOUNT_LOCKED, or SUBJECT_UNKNOWN where the account is gone.
   */
  confirm<T>(
    account: Pick<Account, 'id' | 'username'>,
    password: string,
    context: AuditContext,
    prepare: () => Promise<Confirmed<T>>,
  ): Promise<T>;
  readonly authenticateClient: AuthenticateClient;
  /** Waits until every attempt that was begun is settled; before the database closes. */
  settled(): Promise<void>;
}

/** What follows a confirmed password, in its transaction. */
type Confirmed<T> = (tx: Statements, record: (event: AuditEvent) => void, settle: () => Promise<void>) => Promise<T>;

/** One try to log in. */
interface Attempt extends PasswordAttempt {
  readonly username: string;
  readonly account: Account | undefined;
}

export function createAuthenticationManager(options: {
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly lock: AccountLock;
  readonly hasher: PasswordHasher;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /**
   * Whether refusals must not tell accounts apart: then each costs what a wrong password costs, and counts and locks like one,
   * for a username that does not exist as well.
   */
  readonly uniformRefusals: boolean;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}): AuthenticationManager {
  const { database, accounts, lock, hasher, audit, clock, uniformRefusals } = options;
  const settlements = createSettlements();
  const evaluate = createEvaluatePassword({ ...options, settlements });

  return {
    authenticate: (...call) => settlements.track(authenticate(...call)),
    confirm: (...call) => settlements.track(confirm(...call)),
    authenticateClient: createAuthenticateClient(options),
    settled: settlements.settled,
  };

  async function authenticate<T>(
    { username, password }: { readonly username: string; readonly password: string },
    context: AuditContext,
    prepare: (account: Account) => Promise<(tx: Statements, record: (event: AuditEvent) => void) => Promise<T>>,
  ): Promise<T> {
    const standing = await accounts.findByUsername(username);
    const refusal = loginRefusal(standing);
    const attempt = attemptOn(standing, refusal, username, password);
    if (refusal && !uniformRefusals) return refuse(attempt, refusal, context);

    const slot = await requireRight(attempt, refusal, context);
    const account = attempt.account!;
    if (isPast(account.credentialsExpireAt, clock())) return refuseOutdated(attempt, slot, context);
    const result = await settlingOnFailure(attempt, slot, context, async () => {
      const open = await prepare(account);
      return audit.commit(context, async (tx, record) => {
        await lock.recordSuccess(tx, account, slot, attempt.passwordHash!, context.deadline);
        const opened = await open(tx, record);
        record(authenticationEvent('login.succeeded', attempt));
        return opened;
      });
    });
    if (hasher.isOutdated(attempt.passwordHash!)) renewHash(attempt, context);
    return result;
  }

  async function confirm<T>(
    { id, username }: Pick<Account, 'id' | 'username'>,
    password: string,
    context: AuditContext,
    prepare: () => Promise<Confirmed<T>>,
  ): Promise<T> {
    const standing = await accounts.findByUsername(username);
    if (standing?.account.id !== id) throw new ServiceError('SUBJECT_UNKNOWN');
    const attempt = attemptOn(standing, undefined, username, password);
    const slot = await requireRight(attempt, undefined, context);
    return settlingOnFailure(attempt, slot, context, async () => {
      const act = await prepare();
      return audit.commit(context, (tx, record) =>
        act(tx, record, () => lock.recordSuccess(tx, standing.account, slot, attempt.passwordHash!, context.deadline)),
      );
    });
  }

  /** Returns the slot of a right password, which is still open. Rejects if it is wrong or the account is locked. */
  async function requireRight(
    attempt: Attempt,
    refusal: Refusal<ReasonName> | undefined,
    context: AuditContext,
  ): Promise<string> {
    const evaluation = await evaluate(attempt, context);
    if (evaluation.kind === 'locked') {
      const locked: Refusal<ReasonName> = { reason: 'ACCOUNT_LOCKED', detail: lockedDetail(evaluation.until) };
      return refuse(attempt, refusal ?? locked, context, { shown: 'ACCOUNT_LOCKED' });
    }
    const { slot } = evaluation;
    if (evaluation.right) return slot;
    return refuse(attempt, refusal && !isLock(refusal) ? refusal : WRONG, context, { slot });
  }

  /** @param how.slot The slot in which the wrong password was evaluated, if any was. */
  async function refuse(
    attempt: Attempt,
    refusal: Refusal<ReasonName>,
    context: AuditContext,
    { slot, shown = refusal.reason }: { readonly slot?: string; readonly shown?: ReasonName } = {},
  ): Promise<never> {
    const { subject } = attempt;
    const settlement: Settlement<void> = (own, isRepeated) =>
      audit.commit(own, async (tx, record) => {
        const counts = slot !== undefined || uniformRefusals;
        const wrong = counts ? await lock.recordFailure(tx, subject, slot, own.deadline) : undefined;
        // An earlier run was committed and its answer lost.
        if (isRepeated && slot !== undefined && !wrong?.counted) return;
        record(authenticationEvent('login.failed', attempt, { reason: refusal.reason }));
        if (wrong?.lockedUntil === undefined || !('account' in subject)) return;
        const details = { lockedUntil: new Date(wrong.lockedUntil).toISOString() };
        record(authenticationEvent('account.locked', attempt, details));
      });
    await (slot === undefined ? settlement(context, false) : settlements.settle(context, settlement));
    throw new ServiceError(shown, { detail: refusal.detail });
  }

  async function refuseOutdated(attempt: Attempt, slot: string, context: AuditContext): Promise<never> {
    const refusal = { reason: 'CREDENTIALS_EXPIRED', detail: 'the password has expired' } as const;
    if (uniformRefusals) return refuse(attempt, refusal, context, { slot });
    await settlements.settle(
      context,
      endUnused(attempt, slot, authenticationEvent('login.failed', attempt, { reason: refusal.reason })),
    );
    throw new ServiceError(refusal.reason, { detail: refusal.detail });
  }

  /** Runs what a right password lets in. If that fails, the password has been evaluated all the same. */
  async function settlingOnFailure<T>(
    attempt: Attempt,
    slot: string,
    context: AuditContext,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const aborted = authenticationEvent('login.aborted', attempt, { reason: reasonOf(error, context) });
      settlements.settleLater(context, endUnused(attempt, slot, aborted));
      throw error;
    }
  }

  /** Ends the slot of a right password that lets nobody in, with this record; once, however often it runs. */
  function endUnused(attempt: Attempt, slot: string, event: AuditEvent): Settlement<void> {
    return (own) =>
      audit.commit(own, async (tx, record) => {
        if (await lock.settleUnused(tx, attempt.account!, slot, attempt.passwordHash!, own.deadline)) record(event);
      });
  }

  /** In the background: a login that has succeeded must not fail for it. */
  function renewHash({ account, passwordHash, password }: Attempt, context: AuditContext): void {
    settlements.settleLater(context, async (own) =>
      replacePasswordHash(database, account!, passwordHash!, await hasher.hash(password, own)),
    );
  }

  function loginRefusal(standing: PasswordStanding | undefined): Refusal<ReasonName> | undefined {
    const found = findIneligibility('password', standing, clock());
    return found && { ...found, reason: LOGIN_REASONS[found.reason] };
  }

  /** What is evaluated for this username, and whose lock counts. */
  function attemptOn(
    standing: PasswordStanding | undefined,
    refusal: Refusal<ReasonName> | undefined,
    username: string,
    password: string,
  ): Attempt {
    const account = standing?.account;
    const isOwn = account !== undefined && (refusal === undefined || isLocked(account, clock()));
    return {
      username,
      password,
      account,
      subject: isOwn ? { account } : { decoy: username },
      passwordHash: refusal === undefined || isLock(refusal) ? standing?.passwordHash : undefined,
    };
  }
}

/** What a login is refused with before its password is looked at. */
const LOGIN_REASONS: Readonly<Record<IneligibilityCause, ReasonName>> = {
  unknown: 'ACCOUNT_NOT_FOUND',
  'service-account': 'LOGIN_POLICY_REJECTED',
  'interactive-account': 'LOGIN_POLICY_REJECTED',
  tenantless: 'LOGIN_POLICY_REJECTED',
  'tenant-suspended': 'LOGIN_POLICY_REJECTED',
  locked: 'ACCOUNT_LOCKED',
  disabled: 'ACCOUNT_DISABLED',
  expired: 'ACCOUNT_EXPIRED',
};

const WRONG: Refusal<ReasonName> = { reason: 'BAD_CREDENTIALS', detail: 'the password is wrong' };

function isLock({ reason }: Refusal<ReasonName>): boolean {
  return reason === 'ACCOUNT_LOCKED';
}

/** Why a right password let nobody in: the end of the call, if that was it. */
function reasonOf(error: unknown, { deadline: { signal } }: AuditContext): ReasonName {
  const cause: unknown = signal.aborted ? signal.reason : error;
  return cause instanceof ServiceError ? cause.reason : 'AUTHENTICATION_SERVICE_UNAVAILABLE';
}
