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
    own(({ tenant }) => ({ ...WHOLE_PAGE, tenantId: tenant })),
    nothing(({ mark }) => ({ query: mark })),
  ),
  updateUser: line(
    hidden(({ user }) => ({
      userId: user,
      name: 'Changed',
      clearAccountExpiresAt: false,
      clearCredentialsExpireAt: false,
    })),
  ),
  setUserRoles: line(hidden(({ user }) => ({ userId: user, roles: ['MANAGER'] }))),
  disableUser: line(hidden(({ user }) => ({ userId: user }))),
  enableUser: line(hidden(({ user }) => ({ userId: user }))),
  deleteUser: line(hidden(({ user }) => ({ userId: user }))),
  unlockUser: line(hidden(({ user }) => ({ userId: user }))),
  setUserPassword: line(hidden(({ user }) => ({ userId: user, password: PASSWORD }))),
});

export const SESSION_RPCS = rpcLines(SessionServiceService, {
  login: open(BY_PASSWORD),
  refresh: open(BY_REFRESH),
  logout: open("ends the caller's own session"),
  listMySessions: line(own(() => WHOLE_PAGE)),
  listUserSessions: line(hidden(({ user }) => ({ userId: user }))),
  revokeSession: line(hidden(({ session }) => ({ sessionId: session }))),
  revokeUserSessions: line(hidden(({ user }) => ({ userId: user }))),
  listSigningKeys: line(forbidden(() => ({}))),
  rotateSigningKey: line(forbidden(() => ({}))),
  getJsonWebKeySet: open(FOR_ALL),
  getAuthorizationServerMetadata: open(FOR_ALL),
});
