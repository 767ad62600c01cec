// Invitations of users, who choose their first password by a link in a mail.
import { InvitationServiceService } from '../../../../proto/gen/authservice/identity/v1/invitation_service.ts';
import { implement, type Service } from '../../../platform/rpc/service.ts';
import type { Principal } from '../../access/principal.ts';
import { createCancelInvitation } from './cancel-invitation.ts';
import { createConfirmInvitation, type ConfirmInvitationDependencies } from './confirm-invitation.ts';
import { createInviteUser, type InviteUserDependencies } from './invite-user.ts';

export function invitationService(
  dependencies: InviteUserDependencies & ConfirmInvitationDependencies,
): Service<Principal> {
  return implement(
    InvitationServiceService,
    {
      inviteUser: createInviteUser(dependencies),
      cancelInvitation: createCancelInvitation(dependencies),
      confirmInvitation: createConfirmInvitation(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
