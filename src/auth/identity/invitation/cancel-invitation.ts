import type {
  CancelInvitationRequest,
  CancelInvitationResponse,
} from '../../../../proto/gen/authservice/identity/v1/invitation_service.ts';
import { endMailTokens } from '../../mail/mail-tokens.ts';
import type { AccountStore } from '../account-store.ts';
import { onUser, type AccountAdministration } from '../users/account-administration.ts';
import { refusal } from '../../access/refusals.ts';

export interface CancelInvitationDependencies {
  readonly administration: Pick<AccountAdministration, 'findUser' | 'change'>;
  readonly accounts: Pick<AccountStore, 'hold'>;
}

/** InvitationService.CancelInvitation. */
export function createCancelInvitation({ administration, accounts }: CancelInvitationDependencies) {
  return onUser(
    administration,
    async (_request: CancelInvitationRequest, call, user): Promise<CancelInvitationResponse> => {
      await administration.change(call, user, async ({ tx, account, now, update, record }) => {
        if ((await accounts.hold(tx, account))?.account.hasPassword) throw refusal('userHasPassword');
        const { invitationExpiresAt } = account;
        if (invitationExpiresAt === undefined || invitationExpiresAt <= now) return;
        await endMailTokens(tx, account);
        await update({ invitationExpiresAt: now });
        record('account.invitation-cancelled');
      });
      return {};
    },
  );
}
