import type {
  ConfirmInvitationRequest,
  ConfirmInvitationResponse,
} from '../../../../proto/gen/authservice/identity/v1/invitation_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import type { MailTokens } from '../../mail/mail-tokens.ts';
import type { Call } from '../../access/principal.ts';
import type { AccountStore } from '../account-store.ts';
import { findIneligibility } from '../authentication/eligibility.ts';
import { assertPassword } from '../users/password-policy.ts';
import { storePassword } from '../users/set-password.ts';
import type { UserDependencies } from '../users/users.ts';

export interface ConfirmInvitationDependencies extends Pick<
  UserDependencies,
  'administration' | 'hasher' | 'checkPassword'
> {
  readonly accounts: Pick<AccountStore, 'find' | 'hold'>;
  readonly mailTokens: MailTokens;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** InvitationService.ConfirmInvitation. */
export function createConfirmInvitation(options: ConfirmInvitationDependencies) {
  const { administration, accounts, mailTokens, audit, hasher, checkPassword, clock } = options;

  return async (request: ConfirmInvitationRequest, call: Call): Promise<ConfirmInvitationResponse> => {
    const { token, password } = request;
    const owner = await mailTokens.find('invitation', token);
    const found = owner && (await accounts.find(owner));
    if (!found || findIneligibility('refresh-token', found, clock())) throw new ServiceError('MAIL_TOKEN_INVALID');
    const { account } = found;
    // Before the token is taken, so that it stays valid.
    await assertPassword(checkPassword, 'password', password, account);
    const passwordHash = await hasher.hash(password, call);
    await audit.commit(call, (tx, record) =>
      administration.changeByToken(tx, record, call, account, async (locked) => {
        // A suspension keeps invitations. It cannot begin before the transaction ends.
        const held = await accounts.hold(tx, account);
        if (findIneligibility('refresh-token', held, locked.now)) throw new ServiceError('MAIL_TOKEN_INVALID');
        if (!(await mailTokens.take(tx, account, 'invitation', token, call.deadline)))
          throw new ServiceError('MAIL_TOKEN_INVALID');
        // The user has read a mail to the address, unless an administrator got the link.
        await storePassword(locked, passwordHash, owner.isShown ? {} : { emailVerifiedAt: locked.now });
        locked.record('account.invitation-accepted');
      }),
    );
    return {};
  };
}
