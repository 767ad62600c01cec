import type {
  IntrospectTokenRequest,
  IntrospectTokenResponse,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type { Account } from '../access/account.ts';
import type { FindAuthentication } from '../identity/authentication/step-up.ts';
import type { CheckToken } from '../identity/authentication/authenticate-credentials.ts';
import { permissionNames } from '../access/roles/rights.ts';
import type { Call, Principal } from '../access/principal.ts';
import type { AccessTokens } from '../token/access-token.ts';
import type { AuthenticateCaller, Caller } from './caller.ts';
import { invalidRequest, readPresentedClient } from './client-credentials.ts';

export interface IntrospectTokenDependencies {
  readonly authenticateCaller: AuthenticateCaller;
  /** Returns the response for a token of an application; undefined for any other text. */
  readonly inspectApplicationToken: (
    token: string,
    caller: Caller,
    call: Call,
  ) => Promise<IntrospectTokenResponse | undefined>;
  readonly checkToken: CheckToken;
  readonly tokens: Pick<AccessTokens, 'decode'>;
  readonly findAuthentication: FindAuthentication;
  readonly audience: string;
}

/** ClientCredentialsService.IntrospectToken (RFC 7662). Checks the request's form, then the client, then the token. */
export function createIntrospectToken(options: IntrospectTokenDependencies) {
  const { authenticateCaller, inspectApplicationToken, checkToken, tokens, findAuthentication, audience } = options;

  return async (request: IntrospectTokenRequest, call: Call): Promise<IntrospectTokenResponse> => {
    const { token } = request;
    if (!token) throw invalidRequest('token is missing');
    const caller = await authenticateCaller(readPresentedClient(request), call, 'introspect');
    const ofApplication = await inspectApplicationToken(token, caller, call);
    if (ofApplication) return ofApplication;
    // Applications see tokens of applications only.
    const principal = caller.kind === 'service-account' ? await checkToken(token, call) : undefined;
    if (!principal || !isVisibleTo(caller, principal)) return { active: false, roles: [], amr: [] };
    return {
      active: true,
      ...accountMembers(principal),
      ...(principal.apiKeyHash === undefined ? accessTokenMembers(token) : apiKeyMembers(principal.account)),
      ...(principal.expiresAt !== undefined && { expiresAt: new Date(principal.expiresAt) }),
      ...(await sessionMembers(principal)),
    };
  };

  async function sessionMembers({ account: { tenantId }, sessionId: id, authentication: claimed }: Principal) {
    if (id === undefined) return { amr: [] };
    const authentication = (await findAuthentication({ tenantId, id })) ?? claimed;
    if (authentication === undefined) return { sessionId: id, amr: [] };
    return {
      sessionId: id,
      authenticatedAt: new Date(authentication.authenticatedAt),
      amr: [...authentication.methods],
    };
  }

  /** Reads the claims without verifying them again, because the token has just been verified. */
  function accessTokenMembers(token: string) {
    const { clientId, iss, jti, iat } = tokens.decode(token);
    return {
      ...(clientId !== undefined && { clientId }),
      ...(iat !== undefined && { issuedAt: new Date(iat * 1000) }),
      ...(iss !== undefined && { iss }),
      aud: audience,
      jti,
      tokenType: 'Bearer',
    };
  }
}

/** Resource servers and clients without a tenant can see every token. Other clients see the tokens of their own tenant. */
function isVisibleTo(caller: Caller, { account }: Principal): boolean {
  if (caller.kind === 'application') return false;
  const client = caller.account;
  return client.resourceServer || client.tenantId === undefined || client.tenantId === account.tenantId;
}

function accountMembers({ account, permissions }: Principal) {
  const { id, username, tenantId, rights, interactive, emailVerifiedAt } = account;
  return {
    sub: id,
    username,
    ...(tenantId !== undefined && { tenantId }),
    roles: [...rights.prefixedRoles],
    scope: permissionNames(permissions).join(' '),
    ...(interactive && { emailVerified: emailVerifiedAt !== undefined }),
  };
}

function apiKeyMembers({ username }: Account) {
  return { clientId: username, tokenType: 'api_key' };
}
