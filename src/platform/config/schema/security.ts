import { base64Key, choice, duration, flag, integer, list, optional, perCore, text } from '../kinds.ts';
import { cookieName, rateLimitStore } from '../network-kinds.ts';
import { setting } from '../setting.ts';

/** Tokens, sessions and the protection of the login. */
export const SECURITY_SETTINGS = {
  'app.security.auth-profile': setting({
    owner: 'gateway',
    kind: choice('A', 'B'),
    default: 'A',
    doc:
      'The profile of the authentication endpoints. Profile `A`: the refresh token is in a cookie. Profile `B`: it is ' +
      'in the body.',
  }),
  'app.security.key-encryption-key': setting({
    owner: 'core',
    kind: optional(base64Key(32)),
    default: 'none',
    secret: true,
    doc:
      'Encrypts the keys of access tokens and refresh tokens in the database. Required in PROD. DEV and TEST create a key ' +
      'file in the data folder.',
  }),
  'app.security.key-encryption-other-keys': setting({
    owner: 'core',
    kind: list('base64 keys of exactly 32 bytes', base64Key(32)),
    default: 'none',
    secret: true,
    doc:
      'Further keys that can decrypt the keys in the database, for a change of `app.security.key-encryption-key`.' +
      ' A start encrypts the keys again that are under one of these.',
  }),
  'app.security.jwt.algorithm': setting({
    owner: 'core',
    kind: choice('ES256', 'EdDSA', 'RS256'),
    default: 'ES256',
    doc:
      'Signature algorithm of access tokens. Common JWT libraries verify `ES256` and `RS256`. Some do not verify ' +
      '`EdDSA`: Nimbus (Java, Spring Security) without Google Tink on the class path, Microsoft.IdentityModel ' +
      '(.NET), python-jose.',
  }),
  'app.security.jwt.issuer': setting({
    owner: 'core',
    kind: text(255),
    default: { rule: '`app.name`', of: (basis) => basis['app.name'] },
    doc:
      'Claim `iss` of access tokens, and `issuer` of the metadata at `/.well-known/oauth-authorization-server`. ' +
      'Use the URL of the gateway for clients (`https://auth.example.com`). RFC 8414 and RFC 9068 require a URL. ' +
      'Libraries refuse an issuer that differs from their URL. A change ends all tokens.',
  }),
  'app.security.jwt.audience': setting({
    owner: 'core',
    kind: text(255),
    default: { rule: '`app.name`', of: (basis) => basis['app.name'] },
    doc: 'Claim `aud` of access tokens.',
  }),
  'app.security.jwt.client-id': setting({
    owner: 'core',
    kind: text(255),
    default: { rule: '`app.name`', of: (basis) => basis['app.name'] },
    doc:
      "Claim `client_id` of users' access tokens (RFC 9068): the application of the login. Tokens of a machine " +
      'client carry its client id.',
  }),
  'app.security.access-token-ttl': setting({
    owner: 'core',
    kind: duration('1s', '24h'),
    default: '900s',
    doc: 'Lifetime of access tokens under Profile A. Under Profile B it is 900 seconds.',
  }),
  'app.security.refresh-session.rotation-mode': setting({
    owner: 'core',
    kind: choice('strict', 'reusable'),
    default: 'strict',
    doc: '`strict`: a replayed refresh token revokes its session. `reusable` requires app.env=DEV.',
  }),
  'app.security.refresh-session.cookie-name': setting({
    owner: 'both',
    kind: cookieName,
    default: {
      rule: 'from `app.name`: `my-shop` gives `MY_SHOP_REFRESH`',
      of: (basis) => `${basis['app.name'].toUpperCase().replaceAll('-', '_')}_REFRESH`,
    },
    doc: 'Name of the refresh cookie.',
  }),
  'app.security.refresh-session.cookie-per-origin': setting({
    owner: 'both',
    kind: flag,
    default: 'false',
    doc:
      'Whether each origin of `app.http.cors.allowed-origins` has its own refresh cookie. Its name is ' +
      "`<cookie-name>_<first 8 hex digits of the origin's SHA-256>`. A session belongs to one browser origin, so " +
      'several front ends need `true`.',
  }),
  'app.security.refresh-session.cookie-secure': setting({
    owner: 'gateway',
    kind: flag,
    default: { rule: '`true` in PROD, else `false`', of: (basis) => basis['app.env'] === 'PROD' },
    doc: 'Whether the refresh cookie is sent over HTTPS only.',
  }),
  'app.security.refresh-session.idle-window': setting({
    owner: 'core',
    kind: duration('1s', '400d'),
    default: '30d',
    doc: "Lifetime of a session with rememberMe without a refresh. Also the cookie's Max-Age.",
  }),
  'app.security.refresh-session.browser-idle-window': setting({
    owner: 'core',
    kind: duration('1s', '400d'),
    default: '24h',
    doc: 'Lifetime of a session without rememberMe without a refresh.',
  }),
  'app.security.refresh-session.absolute-lifetime': setting({
    owner: 'core',
    kind: optional(duration('1s', '3650d')),
    default: 'none',
    doc: 'Maximum lifetime of a session under Profile A, from the login. Under Profile B it is 7 days.',
  }),
  'app.security.refresh-session.legacy-fallbacks': setting({
    owner: 'gateway',
    kind: flag,
    default: 'true',
    doc: 'Whether a refresh without the cookie can send the refresh token in `X-Refresh-Token` or as Bearer.',
  }),
  'app.security.refresh-token.return-rotated': setting({
    owner: 'gateway',
    kind: flag,
    default: 'true',
    doc:
      'Whether a refresh under Profile B returns the next refresh token. Without it, a session ends with its second' +
      ' refresh.',
  }),
  'app.security.sessions-per-account': setting({
    owner: 'core',
    kind: integer(1, 1_000_000),
    default: '100',
    doc: 'Maximum number of open sessions of an account. A further login ends the session with the oldest use.',
  }),
  'app.security.lockout.max-failures': setting({
    owner: 'core',
    kind: integer(1, 100),
    default: '5',
    doc: 'Number of wrong passwords that locks an account.',
  }),
  'app.security.lockout.duration': setting({
    owner: 'core',
    kind: duration('1s', '30d'),
    default: '15m',
    doc: 'Duration of an account lock.',
  }),
  'app.security.api-key.enabled': setting({
    owner: 'core',
    kind: flag,
    default: 'false',
    doc: 'Whether API keys are accepted. If not, the header is ignored, but keys can be issued and revoked.',
  }),
  'app.security.login.rate-limit.store': setting({
    owner: 'core',
    kind: rateLimitStore,
    default: {
      rule: '`memory` in PROD, else `none`',
      of: (basis) => (basis['app.env'] === 'PROD' ? 'memory' : 'none'),
    },
    secret: true,
    doc:
      'Store of the counters of failed logins and of malformed refresh tokens per network (IPv4 address, IPv6 ' +
      '/64). `none` disables the limits. `memory` counts in each process.',
  }),
  'app.security.login.rate-limit.points': setting({
    owner: 'core',
    kind: integer(1, 1_000_000),
    default: '100',
    doc: 'Maximum number of failed logins of a network per window, and of malformed refresh tokens. Above it: 429.',
  }),
  'app.security.login.rate-limit.window': setting({
    owner: 'core',
    kind: duration('1s', '24h'),
    default: '5m',
    doc: 'Window of the limit of failed logins and malformed refresh tokens.',
  }),
  'app.security.m2m.access-token-ttl': setting({
    owner: 'core',
    kind: duration('1s', '24h'),
    default: '300s',
    doc: 'Lifetime of the access tokens of machine clients.',
  }),
  'app.security.m2m.rate-limit.store': setting({
    owner: 'core',
    kind: rateLimitStore,
    default: {
      rule: '`memory` in PROD, else `none`',
      of: (basis) => (basis['app.env'] === 'PROD' ? 'memory' : 'none'),
    },
    secret: true,
    doc:
      'Store of the counters of token requests per client id and network (IPv4 address, IPv6 /64). `none` ' +
      'disables the limit and causes a warning. `memory` counts in each process.',
  }),
  'app.security.m2m.rate-limit.points': setting({
    owner: 'core',
    kind: integer(1, 1_000_000),
    default: '600',
    doc:
      'Maximum number of issued tokens per window, client id and network. Refusals have a separate limit of the ' +
      'same size.',
  }),
  'app.security.m2m.rate-limit.introspection-points': setting({
    owner: 'core',
    kind: integer(1, 100_000_000),
    default: '60000',
    doc:
      'Maximum number of introspections and revocations per window, client id and network. Refused ones count as ' +
      'refusals of token requests.',
  }),
  'app.security.m2m.rate-limit.window': setting({
    owner: 'core',
    kind: duration('1s', '24h'),
    default: '60s',
    doc: 'Window of the rate limit of token requests.',
  }),
  'app.tenancy.isolation': setting({
    owner: 'core',
    kind: flag,
    default: 'true',
    doc:
      'Whether service accounts must belong to a tenant. If true, service accounts without a tenant get no ' +
      'tokens, and their tokens and API keys are refused. If false, a SUPER_ADMIN can create them.',
  }),
  'app.security.password.max-concurrent-hashes': setting({
    owner: 'core',
    kind: perCore(512),
    default: 'auto',
    doc: 'Maximum number of password hashes that are computed at the same time.',
  }),
  'app.security.password.max-hash-memory-bytes': setting({
    owner: 'core',
    kind: integer(33_554_432, 1_099_511_627_776),
    default: '536870912',
    doc:
      'Maximum memory of all password hashes that are computed at the same time. A hash of this service takes 19 MiB, ' +
      'an imported Argon2 hash as much as its parameters say. The workers of `app.workers` share it. `user import` ' +
      'rejects hashes that need more. A stored hash that needs more is computed while no other one is.',
  }),
  'app.security.password.max-queued': setting({
    owner: 'core',
    kind: integer(0, 100_000),
    default: '64',
    doc:
      'Maximum number of waiting password hashes. Above it, logins get 503. Waiting networks (an IPv4 address, an' +
      ' IPv6 /64) get equal shares. If all places are taken, the network with most waiting hashes loses one to a ' +
      'network with fewer.',
  }),
};
