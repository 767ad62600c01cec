// The metadata of the authorization server (RFC 8414 section 2), and of the OpenID provider if it is on (OpenID Connect Discovery section 3).
import type { Static } from 'typebox';
import type { GetAuthorizationServerMetadataResponse } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { Type } from '../type.ts';

const Texts = (example: string, description: string) =>
  Type.Array(Type.String({ examples: [example] }), { description });
const AuthMethods = (description: string) => Texts('client_secret_basic', description);
const Algorithms = (description: string) => Texts('ES256', description);
const Url = (path: string, description: string) =>
  Type.String({ description, examples: [`https://auth.example.com${path}`] });
const ProviderUrl = (path: string, description: string) =>
  Type.Optional(Url(`/api/v1/auth/oauth2${path}`, description));

/** The members of the OpenID provider. Without it, they are absent. */
const PROVIDER_MEMBERS = {
  authorization_endpoint: ProviderUrl('/authorize', 'Asks the user to log in to an application.'),
  userinfo_endpoint: ProviderUrl('/userinfo', 'Claims about the user of an access token.'),
  pushed_authorization_request_endpoint: ProviderUrl('/par', 'Takes authorization requests in advance (RFC 9126).'),
  end_session_endpoint: ProviderUrl('/end-session', 'Logs out the user of the browser (RP-Initiated Logout 1.0).'),
  backchannel_logout_supported: Type.Optional(
    Type.Literal(true, {
      description: 'Applications get a logout token at the end of a session: `backchannelLogoutUri`.',
    }),
  ),
  backchannel_logout_session_supported: Type.Optional(
    Type.Literal(true, { description: 'Logout tokens and ID tokens contain `sid`.' }),
  ),
  device_authorization_endpoint: ProviderUrl('/device', 'Starts the authorization of a device (RFC 8628).'),
  require_pushed_authorization_requests: Type.Optional(
    Type.Literal(false, { description: 'An application can require them for itself: `requirePar`.' }),
  ),
  response_modes_supported: Type.Optional(Texts('query', 'How the response returns to the application.')),
  scopes_supported: Type.Optional(Texts('openid', 'Scopes of applications. Others are ignored.')),
  claims_supported: Type.Optional(Texts('sub', 'Claims of ID tokens and of userinfo.')),
  code_challenge_methods_supported: Type.Optional(Texts('S256', 'Methods of PKCE (RFC 7636).')),
  acr_values_supported: Type.Optional(
    Texts('mfa', 'Context classes that an application can ask for: `mfa` by two factors, `phr` by a passkey.'),
  ),
  prompt_values_supported: Type.Optional(Texts('login', 'Values of the parameter `prompt`.')),
  ui_locales_supported: Type.Optional(Texts('en', 'Languages of the pages.')),
  token_endpoint_auth_signing_alg_values_supported: Type.Optional(
    Algorithms('Algorithms of client assertions (RFC 7523) at the token endpoint.'),
  ),
  introspection_endpoint_auth_signing_alg_values_supported: Type.Optional(
    Algorithms('Algorithms of client assertions at the introspection endpoint.'),
  ),
  revocation_endpoint_auth_signing_alg_values_supported: Type.Optional(
    Algorithms('Algorithms of client assertions at the revocation endpoint.'),
  ),
  authorization_response_iss_parameter_supported: Type.Optional(
    Type.Literal(true, { description: 'Responses contain `iss` (RFC 9207).' }),
  ),
  request_parameter_supported: Type.Optional(Type.Literal(false, { description: 'No request objects.' })),
  request_uri_parameter_supported: Type.Optional(
    Type.Literal(false, { description: 'No request objects by reference. Pushed requests are served.' }),
  ),
  claims_parameter_supported: Type.Optional(Type.Literal(false, { description: 'The parameter `claims` is ignored.' })),
};

export const AuthorizationServerMetadata = Type.Object(
  {
    issuer: Url('', 'Claim `iss` of tokens, the setting `app.security.jwt.issuer`.'),
    jwks_uri: Url('/.well-known/jwks.json', 'The keys that verify access tokens and ID tokens.'),
    token_endpoint: Url('/api/v1/auth/oauth2/token', 'Issues tokens to applications and machine clients.'),
    token_endpoint_auth_methods_supported: AuthMethods(
      'How clients authenticate there; `none` for public applications.',
    ),
    introspection_endpoint: Url('/api/v1/auth/introspect', 'Token introspection (RFC 7662).'),
    introspection_endpoint_auth_methods_supported: AuthMethods('How clients authenticate there.'),
    revocation_endpoint: Url('/api/v1/auth/revoke', 'Token revocation (RFC 7009).'),
    revocation_endpoint_auth_methods_supported: AuthMethods(
      'How clients authenticate there; `none` for tokens of users and of public applications.',
    ),
    grant_types_supported: Texts('authorization_code', 'Grants of the token endpoint.'),
    response_types_supported: Texts(
      'code',
      '`code`: applications get an authorization code. `none`: `app.oauth.enabled` is `false`; users log in by POST /auth/login.',
    ),
    subject_types_supported: Texts('public', '`public`: every client sees the same `sub` for an account.'),
    id_token_signing_alg_values_supported: Texts(
      'RS256',
      'Algorithms of ID tokens. If none are issued, those of the published keys, and `RS256`, which OpenID requires.',
    ),
    access_token_signing_alg_values_supported: Algorithms(
      'Algorithms of the published keys of access tokens. Not registered by RFC 8414.',
    ),
    ...PROVIDER_MEMBERS,
  },
  {
    title: 'AuthorizationServerMetadata',
    description:
      'Authorization server metadata (RFC 8414 section 2), and OpenID provider metadata if `app.oauth.enabled` is `true`.',
  },
);

type Metadata = Static<typeof AuthorizationServerMetadata>;

/** URLs, without a slash at the end. */
interface Places {
  readonly base: string;
  /** The folder of the authentication endpoints. */
  readonly auth: string;
  /** Whether this gateway serves the paths of the OpenID provider. */
  readonly isProvider: boolean;
}

/** Returns the metadata. The core issues no ID tokens if its OpenID provider is off. */
export function metadataOf(core: GetAuthorizationServerMetadataResponse, places: Places): Metadata {
  const { base, auth, isProvider } = places;
  const common = {
    issuer: core.issuer,
    jwks_uri: `${base}/.well-known/jwks.json`,
    introspection_endpoint: `${auth}/introspect`,
    revocation_endpoint: `${auth}/revoke`,
    subject_types_supported: ['public'],
    access_token_signing_alg_values_supported: core.signingAlgorithms,
  };
  const isOpen = isProvider && core.idTokenSigningAlgorithms.length > 0;
  return isOpen
    ? {
        ...common,
        ...providerMembers(`${auth}/oauth2`),
        id_token_signing_alg_values_supported: core.idTokenSigningAlgorithms,
      }
    : { ...common, ...machineMembers(auth, core.signingAlgorithms) };
}

const BY_SECRET = ['client_secret_basic', 'client_secret_post'];

/**
 * The members without the OpenID provider. Readers of OpenID metadata require some of them (OpenID Connect Discovery section 3): go-oidc
 * accepts access tokens signed with the listed algorithms, and Authlib refuses a list without RS256.
 */
function machineMembers(auth: string, signingAlgorithms: readonly string[]) {
  return {
    token_endpoint: `${auth}/token`,
    token_endpoint_auth_methods_supported: BY_SECRET,
    introspection_endpoint_auth_methods_supported: BY_SECRET,
    revocation_endpoint_auth_methods_supported: [...BY_SECRET, 'none'],
    grant_types_supported: ['client_credentials'],
    response_types_supported: ['none'],
    id_token_signing_alg_values_supported: [...new Set([...signingAlgorithms, 'RS256'])],
  };
}

const BY_SECRET_OR_KEY = [...BY_SECRET, 'private_key_jwt'];
const ASSERTION_ALGORITHMS = ['ES256', 'EdDSA', 'RS256', 'PS256'];
const TOKEN_CLAIMS = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'at_hash', 'sid'];
const USER_CLAIMS = ['name', 'preferred_username', 'updated_at', 'locale', 'email', 'email_verified'];
const OWN_CLAIMS = ['roles', 'groups', 'tenantId', 'tenantName'];

function providerMembers(oauth2: string) {
  return {
    authorization_endpoint: `${oauth2}/authorize`,
    token_endpoint: `${oauth2}/token`,
    userinfo_endpoint: `${oauth2}/userinfo`,
    pushed_authorization_request_endpoint: `${oauth2}/par`,
    end_session_endpoint: `${oauth2}/end-session`,
    backchannel_logout_supported: true as const,
    backchannel_logout_session_supported: true as const,
    device_authorization_endpoint: `${oauth2}/device`,
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    token_endpoint_auth_methods_supported: [...BY_SECRET_OR_KEY, 'none'],
    introspection_endpoint_auth_methods_supported: BY_SECRET_OR_KEY,
    revocation_endpoint_auth_methods_supported: [...BY_SECRET_OR_KEY, 'none'],
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    require_pushed_authorization_requests: false as const,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    scopes_supported: ['openid', 'profile', 'email', 'roles', 'groups', 'tenant', 'offline_access'],
    claims_supported: [...TOKEN_CLAIMS, ...USER_CLAIMS, ...OWN_CLAIMS],
    code_challenge_methods_supported: ['S256'],
    acr_values_supported: ['mfa', 'phr'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    ui_locales_supported: ['en', 'de'],
    authorization_response_iss_parameter_supported: true as const,
    request_parameter_supported: false as const,
    request_uri_parameter_supported: false as const,
    claims_parameter_supported: false as const,
  };
}
