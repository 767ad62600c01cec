// Checks a username and a password: the one place where passwords are evaluated.
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditContext, AuditEvent, AuditLog } from '../audit/audit-log.ts';
import type { Clock, Deadline } from '../clock.ts';
import type { Database, Statements } from '../db/types.ts';
import { DependencyUnavailableError, ServiceError, type ReasonName } from '../errors.ts';
import type { Account } from './account.ts';
import type { AccountLock, LockSubject } from './account-lock.ts';
import { replacePasswordHash, type AccountStore, type PasswordStanding } from './account-store.ts';
import { isLocked, isPast, lockedDetail, loginRefusal, type Refusal } from './eligibility.ts';
import type { PasswordHasher } from './password-hasher.ts';

export interface AuthenticationManager {
  /**
   * Authenticates a user; `prepare` then readies what the login opens, and what it returns runs in the transaction that
   * ends the attempt. Rejects with the reason of the
   * refusal: ACCOUNT_NOT_FOUND, LOGIN_POLICY_REJECTED, ACCOUNT_LOCKED, ACCOUNT_DISABLED, ACCOUNT_EXPIRED,
   * BAD_CREDENTIALS, CREDENTIALS_EXPIRED; every one is an audit record before it is thrown.
   */
  authenticate<T>(
    attempt: { readonly username: string; readonly password: string },
    context: AuditContext,
    prepare: (account: Account) => Promise<(tx: Statements) => Promise<T>>,
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
    prepare: () => Promise<
      (tx: Statements, record: (event: AuditEvent) => void, settle: () => Promise<void>) => Promise<T>
    >,
  ): Promise<T>;
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
}): AuthenticationManager {
  const { database, accounts, lock, hasher, audit, clock, uniformRefusals } = options;

  return {
    async authenticate({ username, password }, context, prepare) {
      const standing = await accounts.findByUsername(username);
      const refusal = loginRefusal(standing, clock());
      if (!standing || refusal)
        return refuseUnevaluated(refusal!, { account: standing?.account, username, password }, context);

      const { account } = standing;
      await demandRight(standing, { username, password }, context);
      if (isPast(account.credentialsExpireAt, clock())) return refuseOutdated(standing, context);

      const open = await releasingOnFailure({ account }, () => prepare(account));
      const result = await audit.commit(context, async (tx, record) => {
        await lock.settleRight(tx, account, standing.passwordHash!, context.deadline);
        const opened = await open(tx);
        record({ event: 'login.succeeded', tenantId: account.tenantId, accountId: account.id, username });
        return opened;
      });
      await renewOutdatedHash(standing, password, context.deadline);
      return result;
    },

    async confirm({ id, username }, password, context, prepare) {
      const standing = await accounts.findByUsername(username);
      if (standing?.account.id !== id) throw new ServiceError('SUBJECT_UNKNOWN');
      const { account } = standing;
      await demandRight(standing, { username, password }, context);
      const act = await releasingOnFailure({ account }, prepare);
      return audit.commit(context, (tx, record) =>
        act(tx, record, () => lock.settleRight(tx, account, standing.passwordHash!, context.deadline)),
      );
    },
  };

  /** Evaluates a password under a claim, which stays open where it is right. Rejects where it is wrong or the account locked. */
  async function demandRight(
    standing: PasswordStanding,
    { username, password }: { username: string; password: string },
    context: AuditContext,
  ): Promise<void> {
    const { account } = standing;
    const claim = await claimWhenFree({ account }, context.deadline);
    if (claim.kind === 'locked') {
      const locked: Refusal<ReasonName> = { reason: 'ACCOUNT_LOCKED', detail: lockedDetail(claim.until) };
      return refuseUnevaluated(locked, { account, username, password }, context);
    }
    const right = await releasingOnFailure({ account }, () => isRight(standing, password, context.deadline));
    if (right) return;
    const wrong: Refusal<ReasonName> = { reason: 'BAD_CREDENTIALS', detail: 'the password is wrong' };
    return refuseWrong({ account }, wrong, { account, username }, context);
  }

  async function isRight(standing: PasswordStanding, password: string, deadline: Deadline): Promise<boolean> {
    if (standing.passwordHash !== undefined) return hasher.verify(standing.passwordHash, password, deadline);
    await hasher.verifyNothing(password, deadline);
    return false;
  }

  async function refuseUnevaluated(
    refusal: Refusal<ReasonName>,
    { account, username, password }: { account: Account | undefined; username: string; password: string },
    context: AuditContext,
  ): Promise<never> {
    let shown = refusal.reason;
    if (uniformRefusals) {
      const subject: LockSubject = { decoy: username };
      const nothing = () => hasher.verifyNothing(password, context.deadline);
      const locked = refusal.reason === 'ACCOUNT_LOCKED' || (account !== undefined && isLocked(account, clock()));
      if (!locked && (await claimWhenFree(subject, context.deadline)).kind === 'claimed') {
        await releasingOnFailure(subject, nothing);
        return refuseWrong(subject, refusal, { account, username }, context);
      }
      await nothing();
      shown = 'ACCOUNT_LOCKED';
    }
    await audit.commit(context, async (_tx, record) => record(failure(refusal, account, username)));
    throw new ServiceError(shown, { detail: refusal.detail });
  }

  async function refuseWrong(
    subject: LockSubject,
    refusal: Refusal<ReasonName>,
    { account, username }: { account: Account | undefined; username: string },
    context: AuditContext,
  ): Promise<never> {
    await audit.commit(context, async (tx, record) => {
      const lockedUntil = await lock.settleWrong(tx, subject, context.deadline);
      record(failure(refusal, account, username));
      if (lockedUntil !== undefined && 'account' in subject) {
        const details = { lockedUntil: new Date(lockedUntil).toISOString() };
        record({ event: 'account.locked', tenantId: account?.tenantId, accountId: account?.id, username, details });
      }
    });
    throw new ServiceError(refusal.reason, { detail: refusal.detail });
  }

  async function refuseOutdated({ account, passwordHash }: PasswordStanding, context: AuditContext): Promise<never> {
    const refusal = { reason: 'CREDENTIALS_EXPIRED', detail: 'the password has expired' } as const;
    if (uniformRefusals) return refuseWrong({ account }, refusal, { account, username: account.username }, context);
    await audit.commit(context, async (tx, record) => {
      await lock.settleRight(tx, account, passwordHash!, context.deadline);
      record(failure(refusal, account, account.username));
    });
    throw new ServiceError(refusal.reason, { detail: refusal.detail });
  }

  async function renewOutdatedHash(
    { account, passwordHash }: PasswordStanding,
    password: string,
    deadline: Deadline,
  ): Promise<void> {
    if (passwordHash === undefined || !hasher.isOutdated(passwordHash)) return;
    await replacePasswordHash(database, account, passwordHash, await hasher.hash(password, deadline));
  }

  // Those who wait hold nothing; the first ones under way decide whether they are let in or locked out.
  async function claimWhenFree(subject: LockSubject, deadline: Deadline) {
    for (let pause = 10; ; pause = Math.min(pause * 1.5, 100)) {
      const outcome = await lock.claim(subject, deadline);
      if (outcome.kind !== 'busy') return outcome;
      if (deadline.signal.aborted) throw tooLate();
      await delay(pause);
    }
  }

  async function releasingOnFailure<T>(subject: LockSubject, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // A claim that cannot be given back runs out by itself; the first error tells more.
      await lock.release(subject).catch(() => {});
      throw error;
    }
  }
}

function failure(refusal: Refusal<ReasonName>, account: Account | undefined, username: string) {
  const details = { reason: refusal.reason };
  return { event: 'login.failed', tenantId: account?.tenantId, accountId: account?.id, username, details } as const;
}

function tooLate(): DependencyUnavailableError {
  return new DependencyUnavailableError('the deadline of the login has passed');
}
