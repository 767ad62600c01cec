// Invitations of users, who choose their first password by a link in a mail.
// Decides: who may invite whom, and whether a link still sets the password.
// States: an invitation is open until it is used, replaced by the next one, or expires. While its tenant is suspended, it is refused.
// Tables: none (the links are those of `mail`).
// Routes: /auth/invitation/confirm, /users/invitations, /users/:userId/invite, /users/:userId/invitation-link.
import { InvitationServiceService } from '../../../../proto/gen/authservice/identity/v1/invitation_service.ts';
import { implement, type Service } from '../../../platform/rpc/service.ts';
import type { Principal } from '../../access/principal.ts';
import { createCancelInvitation } from './cancel-invitation.ts';
import { createConfirmInvitation, type ConfirmInvitationDependencies } from './confirm-invitation.ts';
import { createInvitationLink, createInviteUser, type InviteUserDependencies } from './invite-user.ts';
import { createInviteUsers, type InviteUsersDependencies } from './invite-users.ts';

export function invitationService(
  dependencies: InviteUserDependencies & InviteUsersDependencies & ConfirmInvitationDependencies,
): Service<Principal> {
  return implement(
    InvitationServiceService,
    {
      inviteUsers: createInviteUsers(dependencies),
      inviteUser: createInviteUser(dependencies),
      createInvitationLink: createInvitationLink(dependencies),
      cancelInvitation: createCancelInvitation(dependencies),
      confirmInvitation: createConfirmInvitation(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
