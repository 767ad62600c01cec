import { base64Key, choice, duration, flag, integer, list, optional, pattern, perCore, text } from '../kinds.ts';
import { cookieName, passkeyHost, rateLimitStore, rpId } from '../network-kinds.ts';
import { both, core, gateway } from '../setting.ts';

/** Tokens, sessions and the protection of the login. */
export const SECURITY_SETTINGS = {
  'app.security.auth-profile': gateway(
    choice('A', 'B'),
    'A',
    'The profile of the authentication endpoints. Profile `A`: the refresh token is in a cookie. Profile `B`: it is ' +
      'in the body.',
  ),
  'app.security.second-factor': core(
    choice('OPTIONAL', 'REQUIRED_FOR_ADMINISTRATORS', 'REQUIRED'),
    'OPTIONAL',
    'The accounts that must have a second factor. Administrators are all accounts that hold a permission that begins with ' +
      '`MANAGE_`. A login without a factor then first creates one. A tenant can be stricter.',
  ),
  'app.security.key-encryption-key': core(
    optional(base64Key(32)),
    'none',
    'Encrypts the keys of access tokens and refresh tokens in the database. Required in PROD. DEV and TEST create a key ' +
      'file in the data folder.',
    { secret: true },
  ),
  'app.security.key-encryption-other-keys': core(
    list('base64 keys of exactly 32 bytes', base64Key(32)),
    'none',
    'Further keys that can decrypt the keys in the database, for a change of `app.security.key-encryption-key`.' +
      ' A start encrypts the keys again that are under one of these.',
    { secret: true },
  ),
  'app.security.jwt.algorithm': core(
    choice('ES256', 'EdDSA', 'RS256'),
    'ES256',
    'Signature algorithm of access tokens. Common JWT libraries verify `ES256` and `RS256`. Some do not verify ' +
      '`EdDSA`: Nimbus (Java, Spring Security) without Google Tink on the class path, Microsoft.IdentityModel ' +
      '(.NET), python-jose.',
  ),
  'app.security.jwt.issuer': core(
    text(255),
    {
      rule: '`app.public-url` if it is set, else `app.name`',
      of: (basis) => basis['app.public-url'] ?? basis['app.name'],
    },
    'Claim `iss` of tokens, and `issuer` of the metadata at `/.well-known/oauth-authorization-server`. RFC 8414 and ' +
      'RFC 9068 require a URL. Libraries refuse an issuer that differs from their URL. Set it only if services reach the ' +
      'gateway by another URL than `app.public-url`. Tokens whose issuer is `app.name` or `app.public-url` stay valid ' +
      'after a change. All others end.',
  ),
  'app.security.jwt.audience': core(
    text(255),
    { rule: '`app.name`', of: (basis) => basis['app.name'] },
    'Claim `aud` of access tokens.',
  ),
  'app.security.jwt.client-id': core(
    text(255),
    { rule: '`app.name`', of: (basis) => basis['app.name'] },
    "Claim `client_id` of users' access tokens (RFC 9068): the application of the login. Tokens of a machine " +
      'client carry its client id.',
  ),
  'app.security.jwt.email-verified': core(
    flag,
    'false',
    "Whether users' access tokens have the claim `emailVerified`: whether a token of a mail has proven the address in `email`. It is as " +
      'old as the token.',
  ),
  'app.security.access-token-ttl': core(
    duration('1s', '24h'),
    '900s',
    'Lifetime of access tokens under Profile A. Under Profile B it is 900 seconds.',
  ),
  'app.security.refresh-session.rotation-mode': core(
    choice('strict', 'reusable'),
    'strict',
    '`strict`: a replayed refresh token revokes its session. `reusable` requires app.env=DEV.',
  ),
  'app.security.refresh-session.cookie-name': both(
    cookieName,
    {
      rule: 'from `app.name`: `my-shop` gives `MY_SHOP_REFRESH`',
      of: (basis) => `${basis['app.name'].toUpperCase().replaceAll('-', '_')}_REFRESH`,
    },
    'Name of the refresh cookie.',
  ),
  'app.security.refresh-session.cookie-per-origin': both(
    flag,
    'false',
    'Whether each origin of `app.http.cors.allowed-origins` has its own refresh cookie. Its name is ' +
      "`<cookie-name>_<first 8 hex digits of the origin's SHA-256>`. A session belongs to one browser origin, so " +
      'several front ends need `true`.',
  ),
  'app.security.refresh-session.cookie-secure': gateway(
    flag,
    { rule: '`true` in PROD, else `false`', of: (basis) => basis['app.env'] === 'PROD' },
    'Whether the refresh cookie is sent over HTTPS only.',
  ),
  'app.security.refresh-session.idle-window': core(
    duration('1s', '400d'),
    '30d',
    "Lifetime of a session with rememberMe without a refresh. Also the cookie's Max-Age.",
  ),
  'app.security.refresh-session.browser-idle-window': core(
    duration('1s', '400d'),
    '24h',
    'Lifetime of a session without rememberMe without a refresh.',
  ),
  'app.security.refresh-session.absolute-lifetime': core(
    optional(duration('1s', '3650d')),
    'none',
    'Maximum lifetime of a session under Profile A, from the login. Under Profile B it is 7 days.',
  ),
  'app.security.refresh-session.legacy-fallbacks': gateway(
    flag,
    'true',
    'Whether a refresh without the cookie can send the refresh token in `X-Refresh-Token` or as Bearer.',
  ),
  'app.security.refresh-token.return-rotated': gateway(
    flag,
    'true',
    'Whether a refresh under Profile B returns the next refresh token. Without it, a session ends with its second' +
      ' refresh.',
  ),
  'app.security.fresh-session': core(
    duration('0s', '400d'),
    '10m',
    'Time after its last password, factor or passkey in which a session can change roles, passwords, secrets, keys and the like' +
      ' (RFC 9470). Later: 401 fresh-session-required. `0` means any time.',
  ),
  'app.security.sessions-per-account': core(
    integer(1, 1_000_000),
    '100',
    'Maximum number of open sessions of an account. A further login ends the session with the oldest use.',
  ),
  'app.security.revocations.streams-per-account': core(
    integer(1, 10_000),
    '100',
    'Maximum number of open streams of revocations of an account, per process of the core. Above it: 429 too-many-requests.',
  ),
  'app.security.lockout.max-failures': core(integer(1, 100), '5', 'Number of wrong passwords that locks an account.'),
  'app.security.lockout.duration': core(duration('1s', '30d'), '15m', 'Duration of an account lock.'),
  'app.security.passkeys.enabled': core(
    flag,
    {
      rule: '`true` if `app.public-url` is set and its host is a name, else `false`',
      of: (basis) => passkeyHost(basis['app.public-url']) !== undefined,
    },
    'Whether users can log in with passkeys (WebAuthn). Passkeys work on the origin of `app.public-url` and on ' +
      '`app.http.cors.allowed-origins`.',
  ),
  'app.security.passkeys.rp-id': core(
    optional(rpId),
    {
      rule: 'the host of `app.public-url`; none if that is an IP address',
      of: (basis) => passkeyHost(basis['app.public-url']),
    },
    'Relying party id of new passkeys: the host of `app.public-url` or a parent domain of it, such as `example.com` for ' +
      '`auth.example.com`. Browsers reject public suffixes such as `co.uk`. Passkeys are bound to the id that they were ' +
      'created with, so users cannot log in with their existing passkeys alone after a change.',
  ),
  'app.security.api-key.enabled': core(
    flag,
    'false',
    'Whether API keys are accepted. If not, the header is ignored, no key can be issued, and existing ones can be listed and revoked.',
  ),
  'app.security.login.rate-limit.store': core(
    rateLimitStore,
    {
      rule: '`memory` in PROD, else `none`',
      of: (basis) => (basis['app.env'] === 'PROD' ? 'memory' : 'none'),
    },
    'Store of the counters of failed logins and of malformed refresh tokens per network (IPv4 address, IPv6 ' +
      '/64). `none` disables the limits. `memory` counts in each process.',
    { secret: true },
  ),
  'app.security.login.rate-limit.points': core(
    integer(1, 1_000_000),
    '100',
    'Maximum number of failed logins of a network per window, and of malformed refresh tokens. Above it: 429.',
  ),
  'app.security.login.rate-limit.window': core(
    duration('1s', '24h'),
    '5m',
    'Window of the limit of failed logins and malformed refresh tokens.',
  ),
  'app.security.m2m.access-token-ttl': core(
    duration('1s', '24h'),
    '300s',
    'Lifetime of the access tokens of machine clients.',
  ),
  'app.security.m2m.rate-limit.store': core(
    rateLimitStore,
    {
      rule: '`memory` in PROD, else `none`',
      of: (basis) => (basis['app.env'] === 'PROD' ? 'memory' : 'none'),
    },
    'Store of the counters of token requests per client id and network (IPv4 address, IPv6 /64). `none` ' +
      'disables the limit and causes a warning. `memory` counts in each process.',
    { secret: true },
  ),
  'app.security.m2m.rate-limit.points': core(
    integer(1, 1_000_000),
    '600',
    'Maximum number of issued tokens per window, client id and network. Refusals have a separate limit of the ' +
      'same size.',
  ),
  'app.security.m2m.rate-limit.introspection-points': core(
    integer(1, 100_000_000),
    '60000',
    'Maximum number of introspections and revocations per window, client id and network. Refused ones count as ' +
      'refusals of token requests.',
  ),
  'app.security.m2m.rate-limit.window': core(
    duration('1s', '24h'),
    '60s',
    'Window of the rate limit of token requests.',
  ),
  'app.tenancy.isolation': core(
    flag,
    'true',
    'Whether service accounts must belong to a tenant. If true, service accounts without a tenant get no ' +
      'tokens, and their tokens and API keys are refused. If false, a SUPER_ADMIN can create them.',
  ),
  'app.security.password.min-length': core(
    integer(12, 128),
    '12',
    'Fewest characters of a new password. Existing passwords stay valid.',
  ),
  'app.security.password.forbidden-words': core(
    list('words of 3 to 64 characters', pattern('', /^[^\s,\p{Cc}]{3,64}$/u)),
    'none',
    'Words that no new password may contain, in any case: of your organisation, its products, systems and places (OWASP ASVS 6.1.2).',
  ),
  'app.security.password.max-concurrent-hashes': core(
    perCore(512),
    'auto',
    'Maximum number of password hashes that are computed at the same time. One network gets at most half of them, and at least one.',
  ),
  'app.security.password.max-hash-memory-bytes': core(
    integer(33_554_432, 1_099_511_627_776),
    '536870912',
    'Maximum memory of all password hashes that are computed at the same time. A hash of this service takes 19 MiB, ' +
      'an imported Argon2 hash as much as its parameters say. The workers of `app.workers` share it. `user import` ' +
      'rejects hashes that need more. A stored hash that needs more is computed while no other one is.',
  ),
  'app.security.password.max-queued': core(
    integer(0, 100_000),
    '64',
    'Maximum number of waiting password hashes. Above it, logins get 503. Waiting networks (an IPv4 address, an' +
      ' IPv6 /64) get equal shares. If all places are taken, the network with most waiting hashes loses one to a ' +
      'network with fewer.',
  ),
};
