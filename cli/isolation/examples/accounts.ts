// Examples of accounts, invitations and the recovery of passwords.
import { EmailServiceService } from '../../../proto/gen/authservice/identity/v1/email_service.ts';
import { IdentityServiceService } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { InvitationServiceService } from '../../../proto/gen/authservice/identity/v1/invitation_service.ts';
import { RecoveryServiceService } from '../../../proto/gen/authservice/identity/v1/recovery_service.ts';
import { examplesOf } from '../example.ts';
import { WHOLE_PAGE } from '../probe-case.ts';
import { emailOf, type Records } from '../records.ts';
import { PASSWORD, TOKEN } from './values.ts';

const BY_CREDENTIAL = 'takes a credential';
const BY_MAIL_TOKEN = 'takes the token of a mail';
const ofUser = ({ user }: Records) => ({ userId: user });

export const IDENTITY = examplesOf(IdentityServiceService, {
  getMe: () => ({}),
  getMyAccount: () => ({}),
  verifyAccess: () => ({ permission: [] }),
  authenticate: {
    request: ({ token }) => ({ credential: { $case: 'bearerToken' as const, value: token } }),
    notApplicable: BY_CREDENTIAL,
  },
  explainCredential: {
    request: ({ mark }) => ({ credential: { $case: 'username' as const, value: emailOf(mark) } }),
    notApplicable: BY_CREDENTIAL,
  },
  changeOwnPassword: {
    request: () => ({ currentPassword: PASSWORD, newPassword: `${PASSWORD}, changed` }),
    notApplicable: "changes the caller's own password",
  },
  createUser: ({ mark }) => ({
    username: `new-${emailOf(mark)}`,
    password: PASSWORD,
    name: 'Isolation',
    roles: ['SALES'],
  }),
  getUser: ofUser,
  listUserPermissions: ofUser,
  listUsers: () => WHOLE_PAGE,
  updateUser: ({ user }) => ({ userId: user, user: { name: 'Changed' }, updateMask: ['name'] }),
  setUserRoles: ({ user }) => ({ userId: user, roles: ['MANAGER'] }),
  disableUser: ofUser,
  enableUser: ofUser,
  deleteUser: ofUser,
  unlockUser: ofUser,
  secureUser: ofUser,
  setUserPassword: ({ user }) => ({ userId: user, password: PASSWORD }),
});

export const RECOVERY = examplesOf(RecoveryServiceService, {
  requestRecovery: { request: ({ mark }) => ({ username: emailOf(mark) }), notApplicable: 'takes a username' },
  sendRecovery: ofUser,
  confirmRecovery: { request: () => ({ token: TOKEN, newPassword: PASSWORD }), notApplicable: BY_MAIL_TOKEN },
});

export const EMAIL = examplesOf(EmailServiceService, {
  requestEmailChange: {
    request: ({ mark }) => ({ email: `new-${emailOf(mark)}` }),
    notApplicable: "changes the caller's own account",
  },
  confirmEmail: { request: () => ({ token: TOKEN }), notApplicable: BY_MAIL_TOKEN },
  stopEmailChange: { request: () => ({ token: TOKEN }), notApplicable: BY_MAIL_TOKEN },
});

export const INVITATION = examplesOf(InvitationServiceService, {
  inviteUsers: ({ mark }) => ({
    users: [{ username: `invited-${emailOf(mark)}`, roles: ['SALES'] }],
  }),
  inviteUser: ofUser,
  createInvitationLink: ofUser,
  cancelInvitation: ofUser,
  confirmInvitation: { request: () => ({ token: TOKEN, password: PASSWORD }), notApplicable: BY_MAIL_TOKEN },
});
