// Authentication: passwords, account lock, bearer tokens, eligibility, permissions.
// Passwords are evaluated only here. Every evaluated password is counted and audited, even if the caller has
// disconnected.
import type { AuditContext, AuditEvent, AuditLog, RefusalEvent } from '../../audit/trail/audit-log.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { RunRefusable } from '../../../platform/concurrency/pace-failures.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError, type ReasonName } from '../../../platform/errors.ts';
import type { TenantPolicy } from '../../access/policy/effective-policy.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Account } from '../../access/account.ts';
import type { AccountLock } from './account-lock.ts';
import { replacePasswordHash, type AccountStore, type AccountWithPassword } from '../account-store.ts';
import { authenticationEvent, createAuthenticateClient } from './authenticate-client.ts';
import { isLocked, lockedUntil, type Refusal } from './eligibility.ts';
import { createFindLoginPolicy, lockPolicyOf } from './login-policy.ts';
import { findLoginRefusal, passwordExpired } from './login-refusal.ts';
import { createEvaluatePassword, type Evaluated, type PasswordAttempt } from './evaluate-password.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { isSamplePassword } from '../sample-credentials.ts';
import { createOutcomeRecorder, type OutcomeWrite } from './outcome-recorder.ts';

export type AuthenticationManager = ReturnType<typeof createAuthenticationManager>;

/** Work that runs in the transaction of a login. If it opens a session, it records `login.succeeded`. */
type Opening<T> = (tx: Statements, record: (event: AuditEvent) => void) => Promise<T>;

/** Work that runs in the transaction of a confirmed password. */
type Confirmed<T> = (...[tx, record, endAttempt]: [...Parameters<Opening<T>>, () => Promise<void>]) => Promise<T>;

/** A login. */
interface Login {
  readonly username: string;
  readonly password: string;
  /** Whether minimal disclosure shows a lock. Default: it does not. */
  readonly namesLock?: boolean;
  /** Returns why the policy of the account's tenant refuses the login; undefined if it does not. Default: it does not. */
  readonly findPolicyRefusal?: (policy: TenantPolicy) => string | undefined;
}

/** One login attempt. */
interface Attempt extends PasswordAttempt {
  readonly username: string;
  readonly account: Account | undefined;
  readonly namesLock?: boolean;
}

export function createAuthenticationManager(options: {
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly policies: Pick<Policies, 'of' | 'load'>;
  readonly lock: AccountLock;
  readonly hasher: PasswordHasher;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /**
   * Whether refusals must not reveal differences between accounts. If so, each refusal takes as long as a wrong
   * password, and counts and locks like one. This includes usernames that do not exist.
   */
  readonly uniformRefusals: boolean;
  readonly runRefusable: RunRefusable;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
  /** Whether published passwords count as wrong. */
  readonly refuseSamples: boolean;
}) {
  const { database, accounts, policies, lock, hasher, audit, clock, uniformRefusals, refuseSamples } = options;
  const outcomes = createOutcomeRecorder();
  const findLoginPolicy = createFindLoginPolicy(options);
  const evaluate = createEvaluatePassword({ ...options, outcomes });

  return {
    authenticate: <T>(...call: Parameters<typeof authenticate<T>>) =>
      outcomes.track(options.runRefusable(() => authenticate(...call))),
    confirm: <T>(...call: Parameters<typeof confirm<T>>) => outcomes.track(confirm(...call)),
    authenticateClient: createAuthenticateClient(options),
    /** Waits until every attempt in progress is recorded. Call it before closing the database. */
    recorded: outcomes.recorded,
  };

  /**
   * Authenticates a user. `prepare` does the work before the login transaction and returns a function that runs inside
   * it. The same transaction ends the attempt. Rejects with ACCOUNT_NOT_FOUND, LOGIN_POLICY_REJECTED, ACCOUNT_LOCKED,
   * ACCOUNT_DISABLED, ACCOUNT_EXPIRED, BAD_CREDENTIALS or CREDENTIALS_EXPIRED. Each refusal is recorded in the audit
   * log before it is thrown. No session is created after the caller's deadline.
   */
  async function authenticate<T>(
    { username, password, namesLock = false, findPolicyRefusal }: Login,
    context: AuditContext,
    prepare: (account: Account, policy: TenantPolicy) => Promise<Opening<T>>,
  ): Promise<T> {
    const accountWithTenant = await accounts.findByUsername(username);
    const policy = await findLoginPolicy(accountWithTenant, username);
    const refusal = findLoginRefusal('password', accountWithTenant, findPolicyRefusal?.(policy), clock());
    const attempt = { ...createAttempt(accountWithTenant, policy, refusal, username, password), namesLock };
    if (refusal && !uniformRefusals) return refuse(attempt, refusal, context);

    const { slot, isOutdated } = await requireCorrectPassword(attempt, refusal, context);
    const account = attempt.account!;
    const outdated = passwordExpired(account, clock());
    if (outdated) return refuseOutdated(attempt, slot, outdated, context);
    const result = await recordUnusedOnFailure(attempt, slot, context, async () => {
      const open = await prepare(account, policy);
      return audit.commit(context, async (tx, record) => {
        await lock.recordSuccess(tx, account, slot, context.deadline);
        return open(tx, record);
      });
    });
    if (isOutdated) renewHash(attempt, context);
    return result;
  }

  /**
   * Checks the current password of a logged-in user. It counts and locks like the password of a login. `prepare` does
   * the work before the transaction and returns a function that runs inside it. That function calls `endAttempt` to end the
   * attempt. Rejects with BAD_CREDENTIALS, ACCOUNT_LOCKED, or SUBJECT_UNKNOWN if the account does not exist.
   */
  async function confirm<T>(
    { id, username }: Pick<Account, 'id' | 'username'>,
    password: string,
    context: AuditContext,
    prepare: () => Promise<Confirmed<T>>,
  ): Promise<T> {
    const accountWithTenant = await accounts.findByUsername(username);
    if (accountWithTenant?.account.id !== id) throw new ServiceError('SUBJECT_UNKNOWN');
    const policy = policies.of(accountWithTenant.definitions);
    const attempt = createAttempt(accountWithTenant, policy, undefined, username, password);
    const { slot } = await requireCorrectPassword(attempt, undefined, context);
    return recordUnusedOnFailure(attempt, slot, context, async () => {
      const act = await prepare();
      return audit.commit(context, (tx, record) =>
        act(tx, record, () => lock.recordSuccess(tx, accountWithTenant.account, slot, context.deadline)),
      );
    });
  }

  /** Returns the evaluation of a correct password. Rejects if the password is wrong or the account is locked. */
  async function requireCorrectPassword(
    attempt: Attempt,
    refusal: Refusal<ReasonName> | undefined,
    context: AuditContext,
  ): Promise<Pick<Evaluated, 'slot' | 'isOutdated'>> {
    const evaluation = await evaluate(attempt, context);
    if (evaluation.kind === 'locked') {
      const locked: Refusal<ReasonName> = { reason: 'ACCOUNT_LOCKED', detail: lockedUntil(evaluation.until).detail };
      return refuse(attempt, refusal ?? locked, context, { shown: 'ACCOUNT_LOCKED' });
    }
    const { slot } = evaluation;
    // Checked after the hash, so that a published password takes as long as any other and counts like a wrong one.
    const isSample = refuseSamples && isSamplePassword(attempt.password);
    if (evaluation.isCorrect && !isSample) return evaluation;
    return refuse(attempt, refusal && !isLock(refusal) ? refusal : isSample ? SAMPLE : WRONG, context, { slot });
  }

  /** @param how.slot The slot in which the wrong password was evaluated; undefined if none was evaluated. */
  async function refuse(
    attempt: Attempt,
    refusal: Refusal<ReasonName>,
    context: AuditContext,
    { slot, shown = refusal.reason }: { readonly slot?: string; readonly shown?: ReasonName } = {},
  ): Promise<never> {
    const event = authenticationEvent('login.failed', attempt, { reason: refusal.reason });
    if (slot === undefined) await refuseUnevaluated(attempt, event, context);
    else await outcomes.record(context, countFailure(attempt, slot, event));
    const alwaysNamed = attempt.namesLock && shown === 'ACCOUNT_LOCKED';
    throw new ServiceError(shown, { detail: refusal.detail, alwaysNamed });
  }

  /** Nothing is counted. If refusals must be uniform, the same statements run as for a wrong password. */
  async function refuseUnevaluated({ subject }: Attempt, event: RefusalEvent, context: AuditContext): Promise<void> {
    if (uniformRefusals)
      await database.transaction(context.deadline, (tx) =>
        lock.recordFailure(tx, subject, undefined, context.deadline),
      );
    audit.refuse(context, event);
  }

  /** Ends the slot of a wrong password, counts it, and records this event in the same transaction. */
  function countFailure(attempt: Attempt, slot: string, event: RefusalEvent): OutcomeWrite<void> {
    const { subject } = attempt;
    return (detached, isRepeated) =>
      audit.commit(detached, async (tx, record) => {
        const { counted, lockedUntil } = await lock.recordFailure(tx, subject, slot, detached.deadline);
        // An earlier run was committed, but its response was lost.
        if (isRepeated && !counted) return;
        record(event);
        if (lockedUntil === undefined || !('account' in subject)) return;
        const details = { lockedUntil: new Date(lockedUntil).toISOString() };
        record(authenticationEvent('account.locked', attempt, details));
      });
  }

  async function refuseOutdated(
    attempt: Attempt,
    slot: string,
    refusal: Refusal<ReasonName>,
    context: AuditContext,
  ): Promise<never> {
    if (uniformRefusals) return refuse(attempt, refusal, context, { slot });
    await outcomes.record(
      context,
      endUnused(attempt, slot, authenticationEvent('login.failed', attempt, { reason: refusal.reason })),
    );
    throw new ServiceError(refusal.reason, { detail: refusal.detail });
  }

  /** Runs the work after a correct password. If the work fails, the attempt is still recorded. */
  async function recordUnusedOnFailure<T>(
    attempt: Attempt,
    slot: string,
    context: AuditContext,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const aborted = authenticationEvent('login.aborted', attempt, { reason: reasonOf(error, context) });
      outcomes.recordLater(context, endUnused(attempt, slot, aborted));
      throw error;
    }
  }

  /**
   * Ends the slot of a correct password that did not lead to a login, and records this event. Repeated runs have no
   * further effect.
   */
  function endUnused(attempt: Attempt, slot: string, event: AuditEvent): OutcomeWrite<void> {
    return (detached) =>
      audit.commit(detached, async (tx, record) => {
        if (await lock.recordUnused(tx, attempt.account!, slot, detached.deadline)) record(event);
      });
  }

  /** Runs in the background, because a successful login must not fail if the hash cannot be renewed. */
  function renewHash({ account, passwordHash, password }: Attempt, context: AuditContext): void {
    outcomes.recordLater(context, async (detached) =>
      replacePasswordHash(database, account!, passwordHash!, await hasher.hash(password, detached)),
    );
  }

  /** Selects the password hash to evaluate for this username and the lock that counts. */
  function createAttempt(
    accountWithTenant: AccountWithPassword | undefined,
    tenantPolicy: TenantPolicy,
    refusal: Refusal<ReasonName> | undefined,
    username: string,
    password: string,
  ): Attempt {
    const policy = lockPolicyOf(tenantPolicy);
    const account = accountWithTenant?.account;
    const isOwn = account !== undefined && (refusal === undefined || isLocked(account, clock()));
    return {
      username,
      password,
      account,
      subject: isOwn ? { account, policy } : { decoy: username, policy },
      passwordHash: refusal === undefined || isLock(refusal) ? accountWithTenant?.passwordHash : undefined,
    };
  }
}

const WRONG: Refusal<ReasonName> = { reason: 'BAD_CREDENTIALS', detail: 'the password is wrong' };
const SAMPLE: Refusal<ReasonName> = {
  reason: 'BAD_CREDENTIALS',
  detail: 'the password is a published sample, which app.env=PROD refuses',
};

function isLock({ reason }: Refusal<ReasonName>): boolean {
  return reason === 'ACCOUNT_LOCKED';
}

/** Returns why a correct password did not lead to a login. A cancelled call or an expired deadline comes first. */
function reasonOf(error: unknown, { deadline: { signal } }: AuditContext): ReasonName {
  const cause: unknown = signal.aborted ? signal.reason : error;
  return cause instanceof ServiceError ? cause.reason : 'AUTHENTICATION_SERVICE_UNAVAILABLE';
}
