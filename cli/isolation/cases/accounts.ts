// Accounts and their sessions.
import { IdentityServiceService } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { SessionServiceService } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { elsewhere, forbidden, hidden, line, nothing, open, own } from '../line.ts';
import type { RestLines } from '../rest-request.ts';
import { rpcLines } from '../rpc-line.ts';

const BY_PASSWORD = 'takes a username and a password';
const BY_REFRESH = 'takes a refresh credential';
const FOR_ALL = 'the same for everybody';

export const AUTH_ROUTES: RestLines = {
  'POST /auth/login': open(BY_PASSWORD),
  'POST /auth/refresh': open(BY_REFRESH),
  'GET /auth/me': line(own(() => ({}))),
  'GET /auth/verify': line(own(() => ({}))),
  'POST /auth/logout': open("ends the caller's own session"),
  'POST /auth/token': open('takes a client id and a secret'),
  'POST /auth/introspect': open('takes a client id and a secret'),
  'POST /auth/revoke': open('takes a token'),
  'GET /.well-known/oauth-authorization-server': open(FOR_ALL),
  'GET /.well-known/openid-configuration': open(FOR_ALL),
  'GET /.well-known/jwks.json': open(FOR_ALL),
};

const PASSWORD = 'A long enough password';
const NEW_USER = { username: 'isolation@isolation.invalid', password: PASSWORD, name: 'Isolation', roles: ['SALES'] };
const WHOLE_PAGE = { page: { page: 1, perPage: 100 } };

export const IDENTITY_RPCS = rpcLines(IdentityServiceService, {
  getMe: line(own(() => ({}))),
  verifyAccess: line(own(() => ({ permission: [] }))),
  authenticate: open('takes a credential'),
  explainCredential: open('takes a credential'),
  changeOwnPassword: open("changes the caller's own password"),
  createUser: line(elsewhere(({ tenant }) => ({ ...NEW_USER, tenantId: tenant }))),
  getUser: line(hidden(({ user }) => ({ userId: user }))),
  listUsers: line(
    own(() => WHOLE_PAGE),
    elsewhere(({ tenant }) => ({ ...WHOLE_PAGE, tenantId: tenant })),
    nothing(({ mark }) => ({ query: mark })),
  ),
  updateUser: line(
    hidden(({ user }) => ({
      userId: user,
      user: { name: 'Changed' },
      updateMask: ['name'],
    })),
  ),
  setUserRoles: line(hidden(({ user }) => ({ userId: user, roles: ['MANAGER'] }))),
  disableUser: line(hidden(({ user }) => ({ userId: user }))),
  enableUser: line(hidden(({ user }) => ({ userId: user }))),
  deleteUser: line(hidden(({ user }) => ({ userId: user }))),
  unlockUser: line(hidden(({ user }) => ({ userId: user }))),
  setUserPassword: line(hidden(({ user }) => ({ userId: user, password: PASSWORD }))),
});

const CHANGES = { name: 'Changed' };
const ROLES = { roles: ['MANAGER'] };
const ofUser = line<{ path: { userId: string } }>(hidden(({ user }) => ({ path: { userId: user } })));

export const USER_ROUTES: RestLines = {
  'GET /users': line(
    own(() => ({ query: { perPage: '100' } })),
    elsewhere(({ tenant }) => ({ query: { tenantId: tenant } })),
    nothing(({ mark }) => ({ query: { query: mark } })),
  ),
  'POST /users': line(elsewhere(({ tenant }) => ({ body: { ...NEW_USER, tenantId: tenant } }))),
  'GET /users/{userId}': ofUser,
  'PATCH /users/{userId}': line(hidden(({ user }) => ({ path: { userId: user }, body: CHANGES }))),
  'DELETE /users/{userId}': ofUser,
  'PUT /users/{userId}/roles': line(hidden(({ user }) => ({ path: { userId: user }, body: ROLES }))),
  'PUT /users/{userId}/password': line(
    hidden(({ user }) => ({ path: { userId: user }, body: { password: PASSWORD } })),
  ),
  'POST /users/{userId}/enable': ofUser,
  'POST /users/{userId}/disable': ofUser,
  'POST /users/{userId}/unlock': ofUser,
  'GET /users/{userId}/sessions': ofUser,
  'DELETE /users/{userId}/sessions': ofUser,
  'DELETE /users/{userId}/sessions/{sessionId}': line(
    hidden(({ user, session }) => ({ path: { userId: user, sessionId: session } })),
  ),
  'GET /account/sessions': line(own(() => ({ query: { perPage: '100' } }))),
  'DELETE /account/sessions': open("ends the caller's own sessions"),
  'DELETE /account/sessions/{sessionId}': line(hidden(({ session }) => ({ path: { sessionId: session } }))),
  'PUT /account/password': open("changes the caller's own password"),
  'GET /signing-keys': line(forbidden(() => ({}))),
  'POST /signing-keys/rotate': line(forbidden(() => ({}))),
  'POST /credentials/explain': open('takes a credential'),
};

export const SESSION_RPCS = rpcLines(SessionServiceService, {
  login: open(BY_PASSWORD),
  refresh: open(BY_REFRESH),
  logout: open("ends the caller's own session"),
  listMySessions: line(own(() => WHOLE_PAGE)),
  listUserSessions: line(hidden(({ user }) => ({ userId: user }))),
  revokeMySession: line(hidden(({ session }) => ({ sessionId: session }))),
  revokeMyOtherSessions: open("ends the caller's own sessions"),
  revokeSession: line(
    hidden(({ session }) => ({ sessionId: session })),
    hidden(({ session, user }) => ({ sessionId: session, userId: user })),
  ),
  revokeUserSessions: line(hidden(({ user }) => ({ userId: user }))),
  listSigningKeys: line(forbidden(() => ({}))),
  rotateSigningKey: line(forbidden(() => ({}))),
  getJsonWebKeySet: open(FOR_ALL),
  getAuthorizationServerMetadata: open(FOR_ALL),
});
