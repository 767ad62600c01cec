// The findings of the checks of credentials: a stable code, its parameters, and the English sentence that is made of them. The console has
// texts of its own for the codes.
import { fillTemplate, type ParameterOf, type Params } from '../../platform/template.ts';

/**
 * The sentences. `{policy}` stands for all values of the tenant's policy among the parameters. Without one, its parentheses are left
 * out.
 */
export const FINDINGS = {
  // Accounts and tenants.
  ACCOUNT_DISABLED: 'the account is disabled',
  ACCOUNT_EXPIRED: 'the account has expired',
  ACCOUNT_LOCKED: 'the account is locked until {until} ({policy})',
  ACCOUNT_OF_SERVICE: 'a service account may not log in',
  ACCOUNT_OF_USER: 'the account is not a service account',
  ACCOUNT_UNKNOWN: 'the account does not exist',
  ACCOUNT_USABLE: 'account {account} may use this credential',
  ACCOUNT_WITHOUT_TENANT: 'the account has no tenant',
  SUBJECT_UNKNOWN: 'the subject of the credential does not exist',
  TENANT_ACTIVE: 'tenant {tenant} is active',
  TENANT_NONE: 'the account belongs to no tenant',
  TENANT_SUSPENDED: 'the tenant is suspended',

  // Usernames, passwords and second factors.
  USERNAME_FOUND: 'it is the username of account {account}',
  USERNAME_MALFORMED: 'a username has {minimum} to {maximum} characters',
  USERNAME_UNKNOWN: 'no account has this username',
  USERNAME_WELL_FORMED: 'the username is well-formed',
  INVITATION_ENDED: 'the invitation has ended, and no password was chosen',
  INVITATION_OPEN: 'the user was invited and has not chosen a password',
  PASSWORD_EXPIRED: 'the password has expired',
  PASSWORD_MISSING: 'the account has no password',
  PASSWORD_NOT_EXPIRED: 'the password has not expired',
  PASSWORD_TEMPORARY: 'the password is temporary, and the login replaces it',
  TEMPORARY_PASSWORD_ENDED: 'the temporary password has ended',
  FACTOR_ENROLMENT:
    'the tenant requires a second factor ({policy}), and the account has none: the login creates one of {methods}',
  FACTOR_MISSING: 'the tenant requires a second factor, which the login had not ({policy})',
  FACTOR_NEEDED: 'the login needs a second factor of the account: {methods}',
  FACTOR_NOT_NEEDED: 'the login needs no second factor ({policy})',
  FACTOR_OF_SESSION_MISSING:
    'the tenant requires a second factor, which the login had not ({policy}); a refresh would end the session',
  METHODS_OF_LOGIN_SUFFICE: 'the methods of the login, {methods}, are enough ({policy})',
  METHODS_OF_SESSION_SUFFICE: 'the methods of the session, {methods}, are enough ({policy})',
  PASSKEYS_OFF: 'the account has passkeys only, and app.security.passkeys.enabled is false',
  POLICY_VALUES: '{policy}',

  // Access tokens.
  APPLICATION_TOKEN_EXPIRED: 'the token has expired (issued for {seconds} s)',
  APPLICATION_TOKEN_NOT_EXPIRED: 'the token has not expired (issued for {seconds} s)',
  APPLICATION_TOKEN_WELL_FORMED: 'the token is a JWT with a subject and a grant',
  MACHINE_TOKEN_EXPIRED:
    "the token has expired (issued for {seconds} s; of the service's app.security.m2m.access-token-ttl)",
  MACHINE_TOKEN_NOT_EXPIRED:
    "the token has not expired (issued for {seconds} s; of the service's app.security.m2m.access-token-ttl)",
  SESSION_TOKEN_EXPIRED: 'the token has expired (issued for {seconds} s; Profile A: {policy})',
  SESSION_TOKEN_NOT_EXPIRED: 'the token has not expired (issued for {seconds} s; Profile A: {policy})',
  TOKEN_CLAIM_INVALID: "the token's {claim} has an invalid value",
  TOKEN_CLAIM_MISSING: 'the token lacks {claim}',
  TOKEN_CLAIMS_MISSING: 'the token lacks a claim',
  TOKEN_EXPIRED: 'the token has expired',
  TOKEN_FOR_ISSUER: 'a key of this service has signed it, for userinfo and introspection; all else refuses it',
  TOKEN_FOR_RESOURCE:
    'a key of this service has signed it, for the resource {resource}; this service and userinfo refuse it',
  TOKEN_FOR_SERVICE:
    'a key of this service has signed it, for this service, as a token of its session; userinfo refuses it',
  TOKEN_FROM_FUTURE: 'the token was issued in the future',
  TOKEN_IDS_INVALID: 'the token has an invalid sub, sid or jti',
  TOKEN_KEY_UNKNOWN: 'the token was not signed by a key of this service',
  TOKEN_NOT_EXPIRED: 'the token has not expired',
  TOKEN_NOT_JWT: 'the token is not a JWT',
  TOKEN_NOT_OF_APPLICATION: 'the token was not issued to an application',
  TOKEN_NOT_REVOKED: 'token {token} is not revoked',
  TOKEN_OF_APPLICATION: 'the token is for an application, not for this service',
  TOKEN_REVOKED: 'token {token} is revoked',
  TOKEN_SIGNATURE_NOT_CANONICAL: 'the signature is not canonical base64url',
  TOKEN_SIGNATURE_WRONG: 'the signature is not that of the named key',
  TOKEN_SIGNED: 'a key of this service has signed it, for this issuer and audience',
  TOKEN_TENANT_WRONG: "the token's tenant is not the account's",
  TOKEN_TOO_LONG: 'the token is too long',
  TOKEN_UNVERIFIED: 'the token failed verification: {reason}',
  TOKEN_WELL_FORMED: 'the token is a JWT with a subject and a session or token id',

  // Refresh tokens of sessions, and sessions.
  REFRESH_TOKEN_EXPIRED: 'the refresh token has expired',
  REFRESH_TOKEN_FOREIGN: 'the refresh token was not issued by this service',
  REFRESH_TOKEN_ISSUED: 'this service has issued it',
  GENERATION_CURRENT: 'generation {generation} is the current one',
  GENERATION_FORGED: 'generation {generation} was never issued with this verifier; generation {current} is current',
  GENERATION_REPEATED:
    'generation {generation} was presented while {current} is current: it gets the same successor again',
  GENERATION_REPLAYED: 'generation {generation} was presented while {current} is current: a replay',
  GENERATION_REUSABLE:
    'generation {generation} was presented while {current} is current: it stays valid in reusable mode',
  GENERATION_UNDECIDED:
    'generation {generation} was presented while {current} is current: the renewal may still be set back; until that is decided, a refresh waits, then fails with 503',
  GENERATION_UNKNOWN: 'generation {generation} was presented while {current} is current: the refresh token is unknown',
  REPLAY_OF_GRANT:
    'generation {generation} was presented while {current} is current: a replay, which would revoke the grant',
  REPLAY_OF_SESSION:
    'generation {generation} was presented while {current} is current: a replay, which would revoke the session',
  SESSION_BROWSER_WINDOW_ENDED:
    "the idle window (of the service's app.security.refresh-session.browser-idle-window) of the session has ended",
  SESSION_BROWSER_WINDOW_OPEN:
    "the session ends with its idle window (of the service's app.security.refresh-session.browser-idle-window)",
  SESSION_EXPIRED: 'session {session} has expired',
  SESSION_FOUND: 'it belongs to session {session}',
  SESSION_IDLE_WINDOW_ENDED: 'the idle window ({policy}) of the session has ended',
  SESSION_IDLE_WINDOW_OPEN: 'the session ends with its idle window ({policy})',
  SESSION_LIFETIME_ENDED: 'the absolute lifetime ({policy}) of the session has ended',
  SESSION_LIFETIME_OPEN: 'the session ends with its absolute lifetime ({policy})',
  SESSION_NOT_REVOKED: 'session {session} is not revoked',
  SESSION_OPEN: 'session {session} is open',
  SESSION_OUTLIVED: 'the grant outlives session {session}',
  SESSION_REVOKED: 'session {session} is revoked',
  SESSION_UNKNOWN: 'the session is unknown',
  SESSION_REVOKED_BY_ACCOUNT_CHANGE:
    'session {session} was revoked at generation {generation} by a change of its account',
  SESSION_REVOKED_BY_LIMIT:
    "session {session} was revoked at generation {generation} by a login beyond app.security.sessions-per-account, or sessionsPerAccount of the tenant's policy",
  SESSION_REVOKED_BY_LOGIN:
    'session {session} was revoked at generation {generation} by another login in the same browser',
  SESSION_REVOKED_BY_LOGOUT: 'session {session} was revoked at generation {generation} by a logout',
  SESSION_REVOKED_BY_PERSON:
    'session {session} was revoked at generation {generation} by its owner or an administrator',
  SESSION_REVOKED_BY_POLICY:
    'session {session} was revoked at generation {generation} because the tenant requires a second factor, which the login had not',
  SESSION_REVOKED_BY_REPLAY:
    'session {session} was revoked at generation {generation} by the replay of an earlier refresh token',
  SESSION_REVOKED_BY_RESTORE:
    'session {session} was revoked at generation {generation} because the database was restored from a backup',

  // Codes, grants and refresh tokens of applications.
  APPLICATION_DELETED: 'the application was deleted',
  APPLICATION_DISABLED: '{clientId}: the application is disabled',
  APPLICATION_LACKS_AUDIENCE: '{clientId}: the application may no longer ask for the audience of the token',
  APPLICATION_LACKS_DEVICE_GRANT: '{clientId}: the application has no device grant',
  APPLICATION_LACKS_REDIRECT_URI: '{clientId}: the application no longer has the redirect URI of the code',
  APPLICATION_NOT_FOR_ACCOUNT: '{clientId}: the application does not serve the account',
  APPLICATION_NOT_PERMITTED: '{clientId}: the account lacks {permission}, which the application requires',
  APPLICATION_SERVES_ACCOUNT: '{clientId}, {application}, serves the account',
  APPLICATION_TENANT_SUSPENDED: '{clientId}: its tenant is suspended',
  CODE_EXPIRED: 'the code has expired',
  CODE_FOUND: 'it is a code for account {account}, with the scopes {scopes}',
  CODE_FOUND_WITHOUT_SCOPE: 'it is a code for account {account}, without a scope',
  CODE_MALFORMED: 'the text has not the form of a code',
  CODE_NOT_EXPIRED: 'the code has not expired',
  CODE_UNKNOWN: 'the code is unknown; codes are deleted some time after their end',
  CODE_UNUSED: 'it was not used before',
  CODE_USED: 'it was used for grant {grant}; another use would revoke the grant',
  CODE_USED_IN_TIME: 'it was used in time',
  CODE_WELL_FORMED: 'the text has the form of a code',
  GRANT_EXPIRED: 'the grant has expired (refreshTokenIdle and refreshTokenLifetime of the application)',
  GRANT_FOUND: 'it belongs to grant {grant} of account {account}, with the scopes {scopes}',
  GRANT_FOUND_WITHOUT_SCOPE: 'it belongs to grant {grant} of account {account}, without a scope',
  GRANT_NOT_EXPIRED: 'the grant has not expired (refreshTokenIdle and refreshTokenLifetime of the application)',
  GRANT_NOT_REVOKED: 'the grant is not revoked',
  GRANT_REVOKED_BY_ACCOUNT_CHANGE: 'the grant was revoked by a change of its account',
  GRANT_REVOKED_BY_LIMIT: 'the grant was revoked by a newer one: an account has at most 20 for an application',
  GRANT_REVOKED_BY_PERSON: 'the grant was revoked by its user, an administrator or its application',
  GRANT_REVOKED_BY_REPLAY: 'the grant was revoked by the replay of its code or of an earlier refresh token',
  GRANT_REVOKED_BY_RESTORE: 'the grant was revoked because the database was restored from a backup',
  GRANT_UNKNOWN: 'the grant is unknown; grants are deleted some time after their end',
  GRANT_TOKEN_FOREIGN: 'the refresh token was not issued by this service to an application',
  GRANT_TOKEN_ISSUED: 'this service has issued it to an application',

  // API keys and client secrets.
  API_KEY_EXPIRED: 'the API key has expired',
  API_KEY_FOUND: 'it is the API key {apiKey}',
  API_KEY_MALFORMED: 'the text is not an API key: its form or its checksum is wrong',
  API_KEY_NOT_EXPIRED: 'the API key has not expired',
  API_KEY_NOT_REVOKED: 'the API key is not revoked',
  API_KEY_OF_USER: 'only a service account may hold API keys',
  API_KEY_REVOKED: 'the API key is revoked',
  API_KEY_UNKNOWN: 'the API key is unknown',
  API_KEY_WELL_FORMED: 'form and checksum are those of an API key',
  API_KEYS_OFF: 'app.security.api-key.enabled is false: API keys are ignored',
  API_KEYS_ON: 'this deployment accepts API keys',
  CLIENT_ID_FOUND: 'it is the client id of account {account}',
  CLIENT_ID_MALFORMED: 'a client id has {minimum} to {maximum} characters',
  CLIENT_ID_UNKNOWN: 'no account has this client id',
  CLIENT_ID_WELL_FORMED: 'the client id is well-formed',
  CLIENT_SECRET_MISSING: 'the account has no client secret',
  CLIENT_SECRETS_EXPIRED: 'all client secrets have expired',
  CLIENT_SECRETS_LIVE: 'live client secrets: {secrets}',
} as const;

export type FindingCode = keyof typeof FINDINGS;

/** What a check has found. */
export interface Finding {
  readonly code: FindingCode;
  readonly params: Params;
  /** The sentence of the code. */
  readonly detail: string;
}

/** The parameters that a code always has. Those of the policy have the names of its fields. */
type RequiredOf<Code extends FindingCode> = Exclude<ParameterOf<(typeof FINDINGS)[Code]>, 'policy'>;

/** Creates a finding. Parameters hold no secret, no token and no hash. */
export function finding<Code extends FindingCode>(
  code: Code,
  ...[params = {}]: [RequiredOf<Code>] extends [never]
    ? [Params?]
    : [Params & Readonly<Record<RequiredOf<Code>, string>>]
): Finding {
  const values: Params = params;
  const policy = describePolicy(values);
  const template = policy === '' ? FINDINGS[code].replace(' ({policy})', '') : FINDINGS[code];
  const textOf = (name: string) => (name === 'policy' ? policy : (WORDS[name]?.(values[name]!) ?? values[name] ?? ''));
  return { code, params: values, detail: fillTemplate(template, textOf) };
}

/** How the values of some parameters read. */
const WORDS: Readonly<Record<string, (value: string) => string>> = {
  methods: (value) => value.replaceAll(' ', ', '),
  secrets: (value) =>
    value
      .split(' ')
      .map((secret) => secret.split('/'))
      .map(([id, until]) => (until === undefined ? `${id} without an end` : `${id} until ${until}`))
      .join(', '),
};

/** The source of a value that the policy of the tenant sets. Otherwise, it is the name of a setting. */
export const OF_TENANT = 'TENANT';

/** Describes the values of the policy among parameters: those that have a source. */
function describePolicy(params: Params): string {
  return Object.keys(params)
    .filter((name) => `${name}Source` in params)
    .map((name) => {
      const source = params[`${name}Source`]!;
      return `${name} ${params[name]}, of the ${source === OF_TENANT ? "tenant's policy" : `service's ${source}`}`;
    })
    .join('; ');
}
