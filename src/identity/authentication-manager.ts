// Checks a username and a password: the one place where passwords are evaluated.
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditContext, AuditLog } from '../audit/audit-log.ts';
import type { Clock, Deadline } from '../clock.ts';
import type { Database, Statements } from '../db/types.ts';
import { DependencyUnavailableError, ServiceError, type ReasonName } from '../errors.ts';
import type { Account } from './account.ts';
import type { AccountLock, LockSubject } from './account-lock.ts';
import { replacePasswordHash, type AccountStore, type PasswordStanding } from './account-store.ts';
import { isPast, lockedDetail, loginRefusal, type Refusal } from './eligibility.ts';
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
}

export function createAuthenticationManager(options: {
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly lock: AccountLock;
  readonly hasher: PasswordHasher;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Whether refusals must be indistinguishable by time: then each costs what a wrong password costs. */
  readonly uniformTiming: boolean;
}): AuthenticationManager {
  const { database, accounts, lock, hasher, audit, clock, uniformTiming } = options;

  return {
    async authenticate({ username, password }, context, prepare) {
      const standing = await accounts.findByUsername(username);
      const refusal = loginRefusal(standing, clock());
      if (!standing || refusal) return refuseUnevaluated(standing, refusal!, { username, password }, context);

      const { account } = standing;
      const claim = await claimWhenFree({ account }, context.deadline);
      if (claim.kind === 'locked') {
        const locked: Refusal<ReasonName> = { reason: 'ACCOUNT_LOCKED', detail: lockedDetail(claim.until) };
        return refuseUnevaluated(standing, locked, { username, password }, context);
      }
      const right = await releasingOnFailure({ account }, () => isRight(standing, password, context.deadline));
      if (!right)
        return refuseWrong(
          { account },
          { reason: 'BAD_CREDENTIALS', detail: 'the password is wrong' },
          { account, username },
          context,
        );
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
  };

  async function isRight(standing: PasswordStanding, password: string, deadline: Deadline): Promise<boolean> {
    if (standing.passwordHash !== undefined) return hasher.verify(standing.passwordHash, password, deadline);
    await hasher.verifyNothing(password, deadline);
    return false;
  }

  async function refuseUnevaluated(
    standing: PasswordStanding | undefined,
    refusal: Refusal<ReasonName>,
    { username, password }: { username: string; password: string },
    context: AuditContext,
  ): Promise<never> {
    const account = standing?.account;
    if (uniformTiming) {
      const subject: LockSubject = { decoy: username };
      const pretend =
        refusal.reason === 'ACCOUNT_LOCKED' ? { kind: 'locked' } : await claimWhenFree(subject, context.deadline);
      await hasher.verifyNothing(password, context.deadline);
      if (pretend.kind === 'claimed') return refuseWrong(subject, refusal, { account, username }, context);
    }
    await audit.commit(context, async (_tx, record) => record(failure(refusal, account, username)));
    throw new ServiceError(refusal.reason, { detail: refusal.detail });
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
