import { randomBytes } from 'node:crypto';
import type {
  SecureUserRequest,
  SecureUserResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Statements } from '../../../platform/db/types.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import { countMailTokens, endMailTokens } from '../../mail/mail-tokens.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Account } from '../../access/account.ts';
import type { AccountStore } from '../account-store.ts';
import { recoverableAccount, type RecoverableAccount } from '../recovery/recoverable-account.ts';
import { onUser } from './account-administration.ts';
import { assertNotSelf } from './administrator.ts';
import { generatePassword } from './generate-password.ts';
import { storePassword, TEMPORARY_MS } from './set-password.ts';
import type { UserDependencies } from './users.ts';
import { refusal } from '../../access/refusals.ts';

/** What other services have of an account. Each runs in the transaction that has locked the account. */
export interface SecuredParts {
  countGrants(tx: Statements, account: Account, now: number): Promise<number>;
  countChallenges(tx: Statements, account: Account, now: number): Promise<number>;
  /** Ends recovery codes, access codes and enrolments. Returns the number of recovery codes that were not used. */
  endCodes(tx: Statements, account: Account, now: number): Promise<number>;
  factorsSince(
    tx: Statements,
    account: Account,
    since: number,
  ): Promise<readonly { readonly id: string; readonly createdAt: number }[]>;
  /** Returns the networks since a time from which the account had no session before. */
  newNetworks(tx: Statements, account: Account, since: number): Promise<string[]>;
}

export interface SecureUserDependencies extends UserDependencies {
  readonly accounts: UserDependencies['accounts'] & Pick<AccountStore, 'find'>;
  readonly audit: AuditLog;
  readonly policies: Pick<Policies, 'of'>;
  readonly securedParts: SecuredParts;
  /** Adds the mail of a recovery in a transaction. Undefined if mail is off. */
  readonly mailRecovery: ((tx: Statements, account: RecoverableAccount) => Promise<void>) | undefined;
}

const NEW_MS = 7 * 24 * 3600_000;

/**
 * IdentityService.SecureUser. The account is locked first, so a login, a refresh or a grant at the same time is before it, and ends, or
 * after it, and finds another password, other factors and no challenge.
 */
export function createSecureUser(options: SecureUserDependencies) {
  const { administration, accounts, audit, policies, hasher, checkPassword, endSessions, clock } = options;
  const { securedParts, mailRecovery } = options;

  return onUser(administration, async (_request: SecureUserRequest, call, user): Promise<SecureUserResponse> => {
    assertNotSelf(call, user, 'secure');
    const found = await accounts.find(user);
    const isMailed = mailRecovery !== undefined && recoverableAccount(found, policies, clock()) !== undefined;
    const temporaryPassword =
      isMailed || !found?.account.hasPassword
        ? undefined
        : await generatePassword((password) => checkPassword('newPassword', password, user));
    // Without it, the account keeps a password that is known to nobody, so that it can be recovered.
    const passwordHash = await hasher.hash(temporaryPassword ?? randomBytes(32).toString('base64'), call);

    const response = await audit.commit(call, async (tx, emit) => {
      let ended: SecureUserResponse | undefined;
      await administration.changeWithin(tx, emit, call, user, async (locked) => {
        const { account, now, record } = locked;
        if (account.hasPassword !== found?.account.hasPassword) throw refusal('userChanged');
        const since = now - NEW_MS;
        const factors = await securedParts.factorsSince(tx, account, since);
        const networks = await securedParts.newNetworks(tx, account, since);
        const grants = await securedParts.countGrants(tx, account, now);
        const challenges = await securedParts.countChallenges(tx, account, now);
        const mails = await countMailTokens(tx, account, now);
        await endMailTokens(tx, account);
        const { invitationExpiresAt } = account;
        if (invitationExpiresAt !== undefined && invitationExpiresAt > now)
          await locked.update({ invitationExpiresAt: now });
        if (account.hasPassword) {
          const passwordTemporaryUntil = temporaryPassword === undefined ? undefined : now + TEMPORARY_MS;
          await storePassword(locked, passwordHash, { passwordTemporaryUntil });
        }
        const recoveryCodes = await securedParts.endCodes(tx, account, now);
        const sessions = await endSessions(tx, account, call.deadline, record);
        const counts = { sessions, grants, mails, challenges, recoveryCodes };
        record('account.secured', counts);
        const shown = factors.map(({ id, createdAt }) => ({ id, createdAt: new Date(createdAt) }));
        ended = { ...counts, factors: shown, networks };
      });
      if (isMailed) {
        const recoverable = recoverableAccount(await accounts.hold(tx, user), policies, clock());
        if (!recoverable) throw refusal('userChanged');
        await mailRecovery(tx, recoverable);
      }
      return ended!;
    });
    return { ...response, ...(temporaryPassword !== undefined && { temporaryPassword }) };
  });
}
