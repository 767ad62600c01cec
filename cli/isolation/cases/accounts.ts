// Cases of accounts and sessions.
import { IdentityServiceService } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
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
} from '../probe-case.ts';

const BY_PASSWORD = 'takes a username and a password';
const BY_REFRESH = 'takes a refresh token';
const FOR_ALL = 'the same for all callers';

export const AUTH_ROUTES: RestCases = {
  'POST /auth/login': notApplicable(BY_PASSWORD),
  'POST /auth/refresh': notApplicable(BY_REFRESH),
  'GET /auth/me': probes(own(() => ({}))),
  'GET /auth/verify': probes(own(() => ({}))),
  'POST /auth/logout': notApplicable("ends the caller's own session"),
  'POST /auth/token': notApplicable('takes a client id and a secret'),
  'POST /auth/introspect': notApplicable('takes a client id and a secret'),
  'POST /auth/revoke': notApplicable('takes a token'),
  'GET /.well-known/oauth-authorization-server': notApplicable(FOR_ALL),
  'GET /.well-known/openid-configuration': notApplicable(FOR_ALL),
  'GET /.well-known/jwks.json': notApplicable(FOR_ALL),
};

const PASSWORD = 'A long enough password';
const NEW_USER = { username: 'isolation@isolation.invalid', password: PASSWORD, name: 'Isolation', roles: ['SALES'] };
const WHOLE_PAGE = { page: { page: 1, perPage: 100 } };

export const IDENTITY_RPCS = rpcCases(IdentityServiceService, {
  getMe: probes(own(() => ({}))),
  verifyAccess: probes(own(() => ({ permission: [] }))),
  authenticate: notApplicable('takes a credential'),
  explainCredential: notApplicable('takes a credential'),
  changeOwnPassword: notApplicable("changes the caller's own password"),
  createUser: probes(elsewhere(({ tenant }) => ({ ...NEW_USER, tenantId: tenant }))),
  getUser: probes(hidden(({ user }) => ({ userId: user }))),
  listUsers: probes(
    own(() => WHOLE_PAGE),
    elsewhere(({ tenant }) => ({ ...WHOLE_PAGE, tenantId: tenant })),
    nothing(({ mark }) => ({ query: mark })),
  ),
  updateUser: probes(
    hidden(({ user }) => ({
      userId: user,
      user: { name: 'Changed' },
      updateMask: ['name'],
    })),
  ),
  setUserRoles: probes(hidden(({ user }) => ({ userId: user, roles: ['MANAGER'] }))),
  disableUser: probes(hidden(({ user }) => ({ userId: user }))),
  enableUser: probes(hidden(({ user }) => ({ userId: user }))),
  deleteUser: probes(hidden(({ user }) => ({ userId: user }))),
  unlockUser: probes(hidden(({ user }) => ({ userId: user }))),
  setUserPassword: probes(hidden(({ user }) => ({ userId: user, password: PASSWORD }))),
});

const CHANGES = { name: 'Changed' };
const ROLES = { roles: ['MANAGER'] };
const ofUser = probes<{ path: { userId: string } }>(hidden(({ user }) => ({ path: { userId: user } })));

export const USER_ROUTES: RestCases = {
  'GET /users': probes(
    own(() => ({ query: { perPage: '100' } })),
    elsewhere(({ tenant }) => ({ query: { tenantId: tenant } })),
    nothing(({ mark }) => ({ query: { query: mark } })),
  ),
  'POST /users': probes(elsewhere(({ tenant }) => ({ body: { ...NEW_USER, tenantId: tenant } }))),
  'GET /users/{userId}': ofUser,
  'PATCH /users/{userId}': probes(hidden(({ user }) => ({ path: { userId: user }, body: CHANGES }))),
  'DELETE /users/{userId}': ofUser,
  'PUT /users/{userId}/roles': probes(hidden(({ user }) => ({ path: { userId: user }, body: ROLES }))),
  'PUT /users/{userId}/password': probes(
    hidden(({ user }) => ({ path: { userId: user }, body: { password: PASSWORD } })),
  ),
  'POST /users/{userId}/enable': ofUser,
  'POST /users/{userId}/disable': ofUser,
  'POST /users/{userId}/unlock': ofUser,
  'GET /users/{userId}/sessions': ofUser,
  'DELETE /users/{userId}/sessions': ofUser,
  'DELETE /users/{userId}/sessions/{sessionId}': probes(
    hidden(({ user, session }) => ({ path: { userId: user, sessionId: session } })),
  ),
  'GET /account/sessions': probes(own(() => ({ query: { perPage: '100' } }))),
  'DELETE /account/sessions': notApplicable("ends the caller's own sessions"),
  'DELETE /account/sessions/{sessionId}': probes(hidden(({ session }) => ({ path: { sessionId: session } }))),
  'PUT /account/password': notApplicable("changes the caller's own password"),
  'GET /signing-keys': probes(forbidden(() => ({}))),
  'POST /signing-keys/rotate': probes(forbidden(() => ({}))),
  'POST /credentials/explain': notApplicable('takes a credential'),
};

export const SESSION_RPCS = rpcCases(SessionServiceService, {
  login: notApplicable(BY_PASSWORD),
  refresh: notApplicable(BY_REFRESH),
  logout: notApplicable("ends the caller's own session"),
  listMySessions: probes(own(() => WHOLE_PAGE)),
  listUserSessions: probes(hidden(({ user }) => ({ userId: user }))),
  revokeMySession: probes(hidden(({ session }) => ({ sessionId: session }))),
  revokeMyOtherSessions: notApplicable("ends the caller's own sessions"),
  revokeSession: probes(
    hidden(({ session }) => ({ sessionId: session })),
    hidden(({ session, user }) => ({ sessionId: session, userId: user })),
  ),
  revokeUserSessions: probes(hidden(({ user }) => ({ userId: user }))),
  listSigningKeys: probes(forbidden(() => ({}))),
  rotateSigningKey: probes(forbidden(() => ({}))),
  getJsonWebKeySet: notApplicable(FOR_ALL),
  getAuthorizationServerMetadata: notApplicable(FOR_ALL),
});
