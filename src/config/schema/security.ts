import { base64Key, choice, duration, flag, integer, list, optional, perCore, text } from '../kinds.ts';
import { cookieName, rateLimitStore } from '../network-kinds.ts';
import { setting } from '../setting.ts';

/** Tokens, sessions and what guards the login. */
export const SECURITY_SETTINGS = {
  'app.security.auth-profile': setting({
    owner: 'gateway',
    kind: choice('A', 'B'),
    default: 'A',
    doc: 'Which profile of the authentication endpoints is served: `A` keeps the refresh credential in a cookie, `B` in the body.',
  }),
  'app.security.key-encryption-key': setting({
    owner: 'core',
    kind: optional(base64Key(32)),
    default: 'none',
    secret: true,
    doc: 'Encrypts the signing keys in the database. Required in PROD; DEV and TEST make a key file beside the data.',
  }),
  'app.security.key-encryption-other-keys': setting({
    owner: 'core',
    kind: list('base64 keys of exactly 32 bytes', base64Key(32)),
    default: 'none',
    secret: true,
    doc:
      'Further keys that open what is sealed in the database, while `app.security.key-encryption-key` is exchanged. A start ' +
      'seals under that key whatever opens under one of these.',
  }),
  'app.security.jwt.algorithm': setting({
    owner: 'core',
    kind: choice('ES256', 'EdDSA', 'RS256'),
    default: 'ES256',
    doc:
      'Signature algorithm of access tokens. Common JWT libraries verify `ES256` and `RS256`. Some do not verify `EdDSA`: ' +
      'Nimbus (Java, Spring Security) without Google Tink on the class path, Microsoft.IdentityModel (.NET), python-jose.',
  }),
  'app.security.jwt.issuer': setting({
    owner: 'core',
    kind: text(255),
    default: { rule: '`app.name`', of: (basis) => basis['app.name'] },
    doc:
      'Claim `iss` of access tokens and `issuer` of the metadata at `/.well-known/oauth-authorization-server`. A URL is ' +
      'recommended, the one that clients reach the gateway by (`https://auth.example.com`): RFC 8414 and RFC 9068 require ' +
      'it, and libraries refuse a discovered issuer that is not the URL they asked. A change ends all tokens.',
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
      "Claim `client_id` of users' access tokens (RFC 9068): the application that users log in to. Tokens of a machine client " +
      'carry its own client id.',
  }),
  'app.security.access-token-ttl': setting({
    owner: 'core',
    kind: duration('1s', '24h'),
    default: '900s',
    doc: 'Lifetime of the access tokens of profile A; those of profile B always live 900 seconds.',
  }),
  'app.security.refresh-session.rotation-mode': setting({
    owner: 'core',
    kind: choice('strict', 'reusable'),
    default: 'strict',
    doc: '`strict`: a replayed refresh credential revokes its session family. `reusable` only with app.env=DEV.',
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
      'Whether each origin of `app.http.cors.allowed-origins` has a refresh cookie of its own, named `<cookie-name>_<first 8 ' +
      "hex digits of the origin's SHA-256>`. A session belongs to one browser origin: give `true` for several front ends.",
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
    doc: "How long a session with rememberMe lives without a refresh; also the cookie's Max-Age.",
  }),
  'app.security.refresh-session.browser-idle-window': setting({
    owner: 'core',
    kind: duration('1s', '400d'),
    default: '24h',
    doc: 'How long a session without rememberMe lives without a refresh.',
  }),
  'app.security.refresh-session.absolute-lifetime': setting({
    owner: 'core',
    kind: optional(duration('1s', '3650d')),
    default: 'none',
    doc: 'Longest life of a session of profile A, counted from the login; one of profile B always lives 7 days.',
  }),
  'app.security.refresh-session.legacy-fallbacks': setting({
    owner: 'gateway',
    kind: flag,
    default: 'true',
    doc: 'Whether a refresh without the cookie may bring the credential in `X-Refresh-Token` or as a Bearer.',
  }),
  'app.security.refresh-token.return-rotated': setting({
    owner: 'gateway',
    kind: flag,
    default: 'true',
    doc: 'Whether a refresh of profile B returns the next refresh token; without it a session ends with its second refresh.',
  }),
  'app.security.sessions-per-account': setting({
    owner: 'core',
    kind: integer(1, 1_000_000),
    default: '100',
    doc: 'Open sessions that an account may have. A login beyond it ends the session used least recently.',
  }),
  'app.security.lockout.max-failures': setting({
    owner: 'core',
    kind: integer(1, 100),
    default: '5',
    doc: 'Wrong passwords that lock an account.',
  }),
  'app.security.lockout.duration': setting({
    owner: 'core',
    kind: duration('1s', '30d'),
    default: '15m',
    doc: 'How long an account stays locked.',
  }),
  'app.security.api-key.enabled': setting({
    owner: 'core',
    kind: flag,
    default: 'false',
    doc: 'Whether API keys work. While they do not, their header is ignored; they can be issued and revoked all the same.',
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
      'Where failed logins per network (IPv4 address, IPv6 /64) are counted, and apart from them malformed refresh ' +
      'credentials. `none` does not limit them; `memory` limits in each process by itself.',
  }),
  'app.security.login.rate-limit.points': setting({
    owner: 'core',
    kind: integer(1, 1_000_000),
    default: '100',
    doc: 'Failed logins, and malformed refresh credentials, that one network may have per window. Then it gets 429.',
  }),
  'app.security.login.rate-limit.window': setting({
    owner: 'core',
    kind: duration('1s', '24h'),
    default: '5m',
    doc: 'Window of the limit of failed logins and malformed refresh credentials.',
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
      'Where token requests per client id and network (IPv4 address, IPv6 /64) are counted. `none` does not limit them ' +
      'and warns at start; `memory` limits in each process by itself.',
  }),
  'app.security.m2m.rate-limit.points': setting({
    owner: 'core',
    kind: integer(1, 1_000_000),
    default: '600',
    doc: 'Grants that a client id may have from one network per window, and as many refusals beside them.',
  }),
  'app.security.m2m.rate-limit.introspection-points': setting({
    owner: 'core',
    kind: integer(1, 100_000_000),
    default: '60000',
    doc:
      'Introspections and revocations that a client id may make from one network per window, apart from its grants. Refused ' +
      'ones count with the refusals of token requests.',
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
    doc: 'Whether service accounts must belong to a tenant: then those without one get no token, and their tokens and API keys do not work. If false, a SUPER_ADMIN may create them.',
  }),
  'app.security.password.max-concurrent-hashes': setting({
    owner: 'core',
    kind: perCore(512),
    default: 'auto',
    doc: 'Password hashes computed at the same time.',
  }),
  'app.security.password.max-queued': setting({
    owner: 'core',
    kind: integer(0, 100_000),
    default: '64',
    doc:
      'Password hashes that may wait; beyond that logins are answered with 503. Waiting networks (an IPv4 address, an IPv6 ' +
      '/64) take turns; if all places are taken, the network with most waiting hashes gives way to one with fewer.',
  }),
};
