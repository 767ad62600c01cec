// The catalogue of errors: the HTTP status, codes and public text of each reason of the core. http-failures.ts has the failures of HTTP.
// The compiler keeps it complete: a reason that is added to the proto does not build without an entry here.
import type { ReasonName } from '../errors.ts';
import type { Entry, FailureKind, OAuthCode, ReasonKind } from './failure-kind.ts';
import { HTTP_FAILURES, type HttpFailure } from './http-failures.ts';

/** The name of a failure: a reason of the core, or a failure of HTTP. */
export type FailureName = ReasonName | HttpFailure;

/** The default code of a failure at the endpoints of machine clients. */
export const DEFAULT_OAUTH_CODE: OAuthCode = 'invalid_request';

/** The detail of a login without usable credentials, the same in both disclosure modes. */
export const MISSING_LOGIN_CREDENTIALS = 'Missing login credentials';

/** How long a caller should wait before it retries if the core gives no time, in milliseconds. */
export const DEFAULT_RETRY_AFTER_MS = 1000;
const RETRY_SECONDS = 2;

const unavailable = {
  grpcStatus: 'UNAVAILABLE',
  status: 503,
  code: 'service-unavailable',
  detail: 'The service is temporarily unavailable',
  oauthCode: 'temporarily_unavailable',
  profileBCode: 'AUTH_SERVICE_UNAVAILABLE',
  retryAfterSeconds: RETRY_SECONDS,
} as const;

const payloadTooLarge = { status: 413, code: 'payload-too-large' } as const;

const unsupportedMediaType = {
  grpcStatus: 'INVALID_ARGUMENT',
  status: 415,
  code: 'unsupported-media-type',
  detail: 'The body is not of a kind that is accepted here',
} as const;

const unauthorized = (detail: string, profileBCode: string): Entry<ReasonKind> => ({
  grpcStatus: 'UNAUTHENTICATED',
  status: 401,
  code: 'unauthorized',
  detail,
  fixedDetail: true,
  bearerChallenge: true,
  profileBCode,
});

const refusedLogin = (detail: string, profileBCode: string): Entry<ReasonKind> => ({
  grpcStatus: 'UNAUTHENTICATED',
  status: 401,
  detail,
  refusedLogin: true,
  profileBCode,
});

/** A failure that RFC 6749 or RFC 7009 defines. It has the same code in every error format. */
const oauth = (code: OAuthCode, detail: string): Entry<ReasonKind> => ({
  grpcStatus: 'INVALID_ARGUMENT',
  status: 400,
  code,
  detail,
  oauthCode: code,
});

/** Adds codes and titles: NOT_FOUND has the code `not-found` and the title `Not found`, unless it declares others. */
function complete<Name extends string, Kind extends FailureKind>(
  entries: Readonly<Record<Name, Entry<Kind>>>,
): Readonly<Record<Name, Kind>> {
  const kinds = Object.entries<Entry<Kind>>(entries).map(([name, entry]) => {
    const { code = name.toLowerCase().replaceAll('_', '-') } = entry;
    const title = code[0]!.toUpperCase() + code.slice(1).replaceAll(/[-_]/g, ' ');
    return [name, { code, title, ...entry }];
  });
  return Object.fromEntries(kinds) as Record<Name, Kind>;
}

/** The failures that the core reports. */
export const REASONS = complete<ReasonName, ReasonKind>({
  VALIDATION_ERROR: {
    grpcStatus: 'INVALID_ARGUMENT',
    status: 400,
    title: 'Validation failed',
    detail: 'Request validation failed',
    keepsPublicText: true,
    profileBCode: 'AUTH_VALIDATION_ERROR',
  },
  BAD_CREDENTIALS: refusedLogin('Invalid username or password', 'AUTH_INVALID_CREDENTIALS'),
  ACCOUNT_NOT_FOUND: refusedLogin('No account has this username', 'AUTH_USER_NOT_FOUND'),
  LOGIN_POLICY_REJECTED: {
    ...refusedLogin('The account may not log in this way', 'AUTH_ACCOUNT_DISABLED'),
    title: 'Login rejected by policy',
  },
  ACCOUNT_LOCKED: {
    ...refusedLogin('The account is locked for a while', 'AUTH_ACCOUNT_LOCKED'),
    grpcStatus: 'FAILED_PRECONDITION',
    status: 423,
  },
  ACCOUNT_DISABLED: refusedLogin('The account is disabled', 'AUTH_ACCOUNT_DISABLED'),
  ACCOUNT_EXPIRED: refusedLogin('The account has expired', 'AUTH_ACCOUNT_DISABLED'),
  CREDENTIALS_EXPIRED: refusedLogin('The password has expired', 'AUTH_ACCOUNT_DISABLED'),
  SECOND_FACTOR_REQUIRED: {
    grpcStatus: 'UNAUTHENTICATED',
    status: 401,
    detail: 'The login needs a second factor',
    profileBCode: 'AUTH_SECOND_FACTOR_REQUIRED',
  },
  SECOND_FACTOR_ENROLMENT_REQUIRED: {
    grpcStatus: 'UNAUTHENTICATED',
    status: 401,
    detail: 'The account must create a second factor first',
    profileBCode: 'AUTH_SECOND_FACTOR_ENROLMENT_REQUIRED',
  },
  PASSWORD_CHANGE_REQUIRED: {
    grpcStatus: 'UNAUTHENTICATED',
    status: 401,
    detail: 'The password is temporary and must be changed',
    profileBCode: 'AUTH_PASSWORD_CHANGE_REQUIRED',
  },
  CHALLENGE_INVALID: refusedLogin('The challenge is unknown, used or expired', 'AUTH_CHALLENGE_INVALID'),
  SECOND_FACTOR_INVALID: refusedLogin('The second factor is wrong or was used before', 'AUTH_SECOND_FACTOR_INVALID'),
  SECOND_FACTOR_LOCKED: {
    grpcStatus: 'FAILED_PRECONDITION',
    status: 423,
    detail: 'Too many wrong codes; wait a while',
    namesRetryAfter: true,
    profileBCode: 'AUTH_SECOND_FACTOR_LOCKED',
  },
  REFRESH_SESSION_INVALID: {
    grpcStatus: 'UNAUTHENTICATED',
    status: 401,
    detail: 'The refresh session is not valid',
    profileBCode: 'AUTH_TOKEN_INVALID',
  },
  TOKEN_MISSING: unauthorized('Unauthorized - Missing or invalid token', 'AUTH_TOKEN_MISSING'),
  TOKEN_INVALID: unauthorized('Unauthorized - Invalid or expired token', 'AUTH_TOKEN_INVALID'),
  SUBJECT_UNKNOWN: unauthorized('Unauthorized - User not found', 'AUTH_TOKEN_INVALID'),
  FRESH_SESSION_REQUIRED: {
    grpcStatus: 'UNAUTHENTICATED',
    status: 401,
    detail: 'The login is too old or too weak for this: confirm it',
    bearerChallenge: true,
    bearerError: 'insufficient_user_authentication',
    profileBCode: 'AUTH_FRESH_SESSION_REQUIRED',
  },
  PERMISSION_DENIED: { grpcStatus: 'PERMISSION_DENIED', status: 403, detail: 'The account may not do this' },
  NOT_FOUND: { grpcStatus: 'NOT_FOUND', status: 404, detail: 'The resource does not exist' },
  TOO_MANY_REQUESTS: {
    grpcStatus: 'RESOURCE_EXHAUSTED',
    status: 429,
    detail: 'Too many requests',
    oauthCode: 'temporarily_unavailable',
    retryAfterSeconds: RETRY_SECONDS,
  },
  AUTHENTICATION_SERVICE_UNAVAILABLE: {
    ...unavailable,
    code: 'authentication-service-unavailable',
    detail: 'Authentication is temporarily unavailable',
  },
  SERVICE_UNAVAILABLE: unavailable,
  INVALID_REQUEST: oauth('invalid_request', 'The request is malformed'),
  INVALID_CLIENT: {
    ...oauth('invalid_client', 'Client authentication failed'),
    grpcStatus: 'UNAUTHENTICATED',
    status: 401,
  },
  UNSUPPORTED_GRANT_TYPE: oauth('unsupported_grant_type', 'The grant type is not supported'),
  INVALID_SCOPE: oauth('invalid_scope', 'The client cannot have this scope'),
  INVALID_GRANT: oauth('invalid_grant', 'The code or the refresh token cannot be used'),
  AUTHORIZATION_PENDING: oauth('authorization_pending', 'The user has not decided yet'),
  SLOW_DOWN: oauth('slow_down', 'The device asks too often: wait 5 s longer between two requests'),
  ACCESS_DENIED: oauth('access_denied', 'The user has denied the device'),
  EXPIRED_TOKEN: oauth('expired_token', 'The code of the device has expired'),
  UNAUTHORIZED_CLIENT: oauth('unauthorized_client', 'The client may not use this grant type'),
  INVALID_TARGET: oauth('invalid_target', 'The application may not ask for this resource'),
  UNSUPPORTED_RESPONSE_TYPE: oauth('unsupported_response_type', 'The response type must be code'),
  REQUEST_NOT_SUPPORTED: oauth('request_not_supported', 'Request objects are not supported'),
  REQUEST_URI_NOT_SUPPORTED: oauth('request_uri_not_supported', 'The parameter request_uri is not supported here'),
  REGISTRATION_NOT_SUPPORTED: oauth('registration_not_supported', 'The parameter registration is not supported'),
  INSUFFICIENT_SCOPE: {
    ...oauth('insufficient_scope', 'The token lacks the scope that the call needs'),
    grpcStatus: 'PERMISSION_DENIED',
    status: 403,
  },
  UNSUPPORTED_TOKEN_TYPE: oauth('unsupported_token_type', 'API keys are not revoked here'),
  TENANT_MISMATCH: { grpcStatus: 'PERMISSION_DENIED', status: 403, detail: "The tenant is not the caller's" },
  MAIL_TOKEN_INVALID: {
    grpcStatus: 'INVALID_ARGUMENT',
    status: 400,
    detail: 'The link is not valid: it was used, a newer one replaced it, or it is too old',
    profileBCode: 'AUTH_MAIL_TOKEN_INVALID',
  },
  CONFLICT: { grpcStatus: 'FAILED_PRECONDITION', status: 409, detail: 'The state of the resource forbids this' },
  PRINCIPAL_NOT_ELIGIBLE: {
    grpcStatus: 'FAILED_PRECONDITION',
    status: 409,
    detail: 'The account is not of the kind that may have this',
  },
  INVALID_TRANSITION: {
    grpcStatus: 'FAILED_PRECONDITION',
    status: 409,
    detail: 'The order cannot go to this status from its own',
  },
  INSUFFICIENT_STOCK: { grpcStatus: 'FAILED_PRECONDITION', status: 409, detail: 'The stock of a product is too low' },
  QUOTA_EXCEEDED: {
    grpcStatus: 'RESOURCE_EXHAUSTED',
    status: 409,
    detail: 'The tenant has too many files that are not attached',
  },
  PRECONDITION_FAILED: { grpcStatus: 'ABORTED', status: 412, detail: 'The resource has been changed since' },
  RANGE_NOT_SATISFIABLE: {
    grpcStatus: 'OUT_OF_RANGE',
    status: 416,
    detail: 'The content has no byte in the wanted range',
  },
  CANCELLED: { ...unavailable, grpcStatus: 'CANCELLED', detail: 'The call was cancelled' },
  DEADLINE_EXCEEDED: { ...unavailable, grpcStatus: 'DEADLINE_EXCEEDED', detail: 'The deadline of the call passed' },
  PAYLOAD_TOO_LARGE: { ...payloadTooLarge, grpcStatus: 'OUT_OF_RANGE', detail: 'The request body is too large' },
  MESSAGE_TOO_LARGE: { ...payloadTooLarge, grpcStatus: 'RESOURCE_EXHAUSTED', detail: 'The message is too large' },
  UNSUPPORTED_MEDIA_TYPE: { ...unsupportedMediaType, oauthStatus: 400 },
  UNSUPPORTED_COMPRESSION: {
    ...unsupportedMediaType,
    grpcStatus: 'UNIMPLEMENTED',
    detail: 'The compression of the message is not supported',
  },
  INTERNAL_ERROR: { grpcStatus: 'INTERNAL', status: 500, detail: 'Unexpected error', oauthCode: 'server_error' },
});

/** All failures. */
export const CATALOGUE: Readonly<Record<FailureName, FailureKind>> = { ...REASONS, ...complete(HTTP_FAILURES) };

/** Whether a failure refuses a user: its credentials, or its account. An outage does not. */
export function refusesUser(name: FailureName): boolean {
  return CATALOGUE[name].refusedLogin === true;
}

const FAULTS: ReadonlySet<ReasonName | 'OK'> = new Set([
  'INTERNAL_ERROR',
  'AUTHENTICATION_SERVICE_UNAVAILABLE',
  'SERVICE_UNAVAILABLE',
  'DEADLINE_EXCEEDED',
]);

/** Whether the service failed. All other reasons are refusals, which are normal operation. */
export function isServerFault(reason: ReasonName | 'OK'): boolean {
  return FAULTS.has(reason);
}
