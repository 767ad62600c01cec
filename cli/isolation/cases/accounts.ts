// Cases of accounts, sessions and credentials.
import { IdentityServiceService } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { EmailServiceService } from '../../../proto/gen/authservice/identity/v1/email_service.ts';
import { InvitationServiceService } from '../../../proto/gen/authservice/identity/v1/invitation_service.ts';
import { RecoveryServiceService } from '../../../proto/gen/authservice/identity/v1/recovery_service.ts';
import { SessionServiceService } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import {
  elsewhere,
  forbidden,
  hidden,
  probes,
  nothing,
  notApplicable,
  own,
  type RestCases,
  rpcCases,
  WHOLE_PAGE,
} from '../probe-case.ts';

const BY_PASSWORD = notApplicable('takes a username and a password');
const BY_USERNAME = notApplicable('takes a username');
const BY_MAIL_TOKEN = notApplicable('takes the token of a mail');
const BY_PASSKEY = notApplicable('authenticates by a passkey');
const BY_CHALLENGE = notApplicable('takes the challenge of a login');
const BY_REFRESH = notApplicable('takes a refresh token');
const BY_CREDENTIAL = notApplicable('takes a credential');
const BY_CLIENT = notApplicable('takes a client id and a secret');
const FOR_ALL = notApplicable('the same for all callers');
const OWN_SESSION = notApplicable("ends the caller's own session");
const OF_CALLER = probes<object>(own(() => ({})));

export const AUTH_ROUTES: RestCases = {
  'GET /auth/options': FOR_ALL,
  'POST /auth/login': BY_PASSWORD,
  'POST /auth/second-factor': BY_CHALLENGE,
  'POST /auth/second-factor/enrolment': BY_CHALLENGE,
  'POST /auth/second-factor/passkey-options': BY_CHALLENGE,
  'POST /auth/passkey/options': BY_PASSKEY,
  'POST /auth/passkey': BY_PASSKEY,
  'POST /auth/refresh': BY_REFRESH,
  'POST /auth/recovery': BY_USERNAME,
  'POST /auth/recovery/confirm': BY_MAIL_TOKEN,
  'POST /auth/email/confirm': BY_MAIL_TOKEN,
  'POST /auth/invitation/confirm': BY_MAIL_TOKEN,
  'GET /auth/me': OF_CALLER,
  'GET /auth/verify': OF_CALLER,
  'GET /auth/revocations': probes<object>(forbidden(() => ({}))),
  'POST /auth/logout': OWN_SESSION,
  'POST /auth/token': BY_CLIENT,
  'POST /auth/revoke': notApplicable('takes a token'),
  'GET /.well-known/oauth-authorization-server': FOR_ALL,
  'GET /.well-known/openid-configuration': FOR_ALL,
  'GET /.well-known/jwks.json': FOR_ALL,
};

const PASSWORD = 'A long enough password';
const NEW_USER = { username: 'isolation@isolation.invalid', password: PASSWORD, name: 'Isolation', roles: ['SALES'] };
const OF_USER = probes<{ userId: string }>(hidden(({ user }) => ({ userId: user })));

export const IDENTITY_RPCS = rpcCases(IdentityServiceService, {
  getMe: OF_CALLER,
  getMyAccount: OF_CALLER,
  verifyAccess: probes(own(() => ({ permission: [] }))),
  authenticate: BY_CREDENTIAL,
  explainCredential: BY_CREDENTIAL,
  changeOwnPassword: notApplicable("changes the caller's own password"),
  createUser: probes(elsewhere(({ tenant }) => ({ ...NEW_USER, tenantId: tenant }))),
  getUser: OF_USER,
  listUsers: probes(
    own(() => WHOLE_PAGE),
    elsewhere(({ tenant }) => ({ ...WHOLE_PAGE, tenantId: tenant })),
    nothing(({ mark }) => ({ query: mark })),
  ),
  updateUser: probes(hidden(({ user }) => ({ userId: user, user: { name: 'Changed' }, updateMask: ['name'] }))),
  setUserRoles: probes(hidden(({ user }) => ({ userId: user, roles: ['MANAGER'] }))),
  disableUser: OF_USER,
  enableUser: OF_USER,
  deleteUser: OF_USER,
  unlockUser: OF_USER,
  setUserPassword: probes(hidden(({ user }) => ({ userId: user, password: PASSWORD }))),
});

export const RECOVERY_RPCS = rpcCases(RecoveryServiceService, {
  requestRecovery: BY_USERNAME,
  confirmRecovery: BY_MAIL_TOKEN,
});

export const EMAIL_RPCS = rpcCases(EmailServiceService, {
  requestEmailChange: notApplicable("changes the caller's own account"),
  confirmEmail: BY_MAIL_TOKEN,
});

export const INVITATION_RPCS = rpcCases(InvitationServiceService, {
  inviteUser: OF_USER,
  cancelInvitation: OF_USER,
  confirmInvitation: BY_MAIL_TOKEN,
});

export const SESSION_RPCS = rpcCases(SessionServiceService, {
  login: BY_PASSWORD,
  completeLogin: BY_CHALLENGE,
  startEnrolment: BY_CHALLENGE,
  createSecondFactorPasskeyOptions: BY_CHALLENGE,
  createPasskeyLoginOptions: BY_PASSKEY,
  loginWithPasskey: BY_PASSKEY,
  refresh: BY_REFRESH,
  logout: OWN_SESSION,
  confirmSession: notApplicable("confirms the caller's own session"),
  createConfirmationPasskeyOptions: notApplicable("creates options for the caller's own session"),
  listMySessions: probes(own(() => WHOLE_PAGE)),
  listSessions: probes(
    own(() => WHOLE_PAGE),
    elsewhere(({ tenant }) => ({ ...WHOLE_PAGE, tenantId: tenant })),
    nothing(({ user }) => ({ userId: user })),
  ),
  listUserSessions: OF_USER,
  revokeMySession: probes(hidden(({ session }) => ({ sessionId: session }))),
  revokeMyOtherSessions: notApplicable("ends the caller's own sessions"),
  revokeSession: probes(
    hidden(({ session }) => ({ sessionId: session })),
    hidden(({ user, session }) => ({ userId: user, sessionId: session })),
  ),
  revokeUserSessions: OF_USER,
  streamRevocations: probes(forbidden(() => ({}))),
  listSigningKeys: probes(forbidden(() => ({}))),
  rotateSigningKey: probes(forbidden(() => ({}))),
  getLoginOptions: FOR_ALL,
  getJsonWebKeySet: FOR_ALL,
  getAuthorizationServerMetadata: FOR_ALL,
});
