import type {
  ConfirmRecoveryRequest,
  ConfirmRecoveryResponse,
} from '../../../../proto/gen/authservice/identity/v1/recovery_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import { passwordFingerprint, type MailTokens } from '../../mail/mail-tokens.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Call } from '../../access/principal.ts';
import type { AccountStore } from '../account-store.ts';
import { assertPassword } from '../users/password-policy.ts';
import { replacePassword } from '../users/set-password.ts';
import type { UserDependencies } from '../users/users.ts';
import { recoverableAccount } from './recoverable-account.ts';

export interface ConfirmRecoveryDependencies extends Pick<
  UserDependencies,
  'administration' | 'hasher' | 'checkPassword' | 'endSessions' | 'notify'
> {
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly policies: Pick<Policies, 'of'>;
  readonly mailTokens: MailTokens;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** RecoveryService.ConfirmRecovery. Second factors and their lock stay: a mailbox is not a second factor. */
export function createConfirmRecovery(options: ConfirmRecoveryDependencies) {
  const { administration, accounts, policies, mailTokens, audit, hasher, checkPassword, clock } = options;

  return async ({ token, newPassword }: ConfirmRecoveryRequest, call: Call): Promise<ConfirmRecoveryResponse> => {
    const owner = await mailTokens.find('recovery', token);
    const account = owner && recoverableAccount(await accounts.find(owner), policies, clock());
    if (!account) throw new ServiceError('MAIL_TOKEN_INVALID');
    // Before the token is taken, so that it stays valid.
    await assertPassword(checkPassword, 'newPassword', newPassword, account);
    const passwordHash = await hasher.hash(newPassword, call);
    await audit.commit(call, (tx, record) =>
      administration.changeByToken(tx, record, call, account, async (locked) => {
        // The account is locked, so of parallel calls one takes the token. Stopping the account or its tenant ends the token.
        // Another node of a cluster can have changed the address or the password beside the request, whose token it has not seen.
        const fingerprint = passwordFingerprint(account, locked.account.passwordVersion);
        const required = { email: locked.account.email ?? '', fingerprint };
        if (!(await mailTokens.take(tx, account, 'recovery', token, call.deadline, required)))
          throw new ServiceError('MAIL_TOKEN_INVALID');
        // The user has read a mail to the address. A change of the address would have ended the token.
        if (locked.account.emailVerifiedAt === undefined) await locked.update({ emailVerifiedAt: locked.now });
        await replacePassword(locked, passwordHash, options, call, { notice: 'recovery-used' });
      }),
    );
    return {};
  };
}
