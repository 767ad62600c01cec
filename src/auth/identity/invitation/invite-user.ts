import type {
  CreateInvitationLinkRequest,
  CreateInvitationLinkResponse,
  InviteUserRequest,
  InviteUserResponse,
} from '../../../../proto/gen/authservice/identity/v1/invitation_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { AccountStore } from '../account-store.ts';
import type { FoundAccount } from '../account-row.ts';
import { findIneligibility } from '../authentication/eligibility.ts';
import { onUser, type AccountAdministration } from '../users/account-administration.ts';
import type { Invitations } from './invitations.ts';
import { findingParams, refusal } from '../../access/refusals.ts';

export interface InviteUserDependencies {
  readonly administration: Pick<AccountAdministration, 'findUser' | 'change'>;
  readonly accounts: Pick<AccountStore, 'find' | 'hold'>;
  readonly invitations: Invitations;
  readonly clock: Clock;
}

/** InvitationService.InviteUser. */
export function createInviteUser({ administration, accounts, invitations, clock }: InviteUserDependencies) {
  return onUser(administration, async ({ language }: InviteUserRequest, call, user): Promise<InviteUserResponse> => {
    emailToInvite(await accounts.find(user), clock());
    await invitations.assertWithinLimits(user, call);
    await administration.change(call, user, async ({ tx, account, now, update, record }) => {
      const to = emailToInvite(await accounts.hold(tx, account), now);
      const invitationExpiresAt = invitations.newExpiry();
      await invitations.send(tx, account, { to, expiresAt: invitationExpiresAt, language });
      await update({ invitationExpiresAt });
      record('account.invited');
    });
    return {};
  });
}

/** InvitationService.CreateInvitationLink. The rights are those of SetUserPassword, because the link does the same. */
export function createInvitationLink({ administration, accounts, invitations, clock }: InviteUserDependencies) {
  return onUser(
    administration,
    async (_request: CreateInvitationLinkRequest, call, user): Promise<CreateInvitationLinkResponse> => {
      assertInvitable(await accounts.find(user), clock());
      let created: CreateInvitationLinkResponse | undefined;
      await administration.change(call, user, async ({ tx, account, now, update, record }) => {
        assertInvitable(await accounts.hold(tx, account), now);
        const invitationExpiresAt = invitations.newExpiry();
        const link = await invitations.createLink(tx, account, invitationExpiresAt);
        await update({ invitationExpiresAt });
        record('account.invited', SHOWN);
        created = { link, expiresAt: new Date(invitationExpiresAt) };
      });
      return created!;
    },
  );
}

/** The detail of the audit record of an invitation whose link was shown. */
export const SHOWN = { link: 'shown' };

/** Returns the address of a user that can be invited by mail. Throws CONFLICT otherwise. */
export function emailToInvite(found: FoundAccount | undefined, now: number): string {
  const { email } = assertInvitable(found, now);
  if (email === undefined) throw refusal('userHasNoEmail');
  return email;
}

/** Returns a user that can be invited. Throws CONFLICT otherwise. */
export function assertInvitable(found: FoundAccount | undefined, now: number): FoundAccount['account'] {
  if (found === undefined) throw new ServiceError('NOT_FOUND');
  const { hasPassword, tenantId } = found.account;
  const ineligible = findIneligibility('refresh-token', found, now);
  if (hasPassword) throw refusal('userHasPassword');
  // As for recoveries: who reads one mailbox must not get all tenants.
  if (tenantId === undefined) throw refusal('superAdminNotInvited');
  if (ineligible) throw refusal('userCannotLogIn', findingParams(ineligible));
  return found.account;
}
