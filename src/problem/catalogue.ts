// Every way in which an HTTP request can fail, and what its problem document says. The compiler holds the
// list complete: a reason added to the proto does not build without a line here.
import type { ReasonName } from '../errors.ts';

/** Failures that HTTP itself knows and no RPC reports. */
export type HttpFailure =
  | 'MALFORMED_REQUEST'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'URI_TOO_LONG'
  | 'HEADERS_TOO_LARGE'
  | 'NOT_IMPLEMENTED';

/** The name of a failure: a reason of the core, or one of HTTP's own. */
export type FailureName = ReasonName | HttpFailure;

/** How a failure is shown. */
export interface FailureKind {
  readonly status: number;
  /** Stable code: `errorCode`, and the end of `type`. */
  readonly code: string;
  readonly title: string;
  /** What minimal disclosure says instead of the actual reason. */
  readonly detail: string;
  /** `detail` is part of the interface and stands in both disclosure modes. */
  readonly fixedDetail?: true;
  /** Under minimal disclosure this failure cannot be told from BAD_CREDENTIALS, but for a lock in Profile B. */
  readonly refusedLogin?: true;
  /** Bearer authentication failed: the answer names the scheme (RFC 6750 section 3). */
  readonly bearerChallenge?: true;
  /** Seconds that `Retry-After` says where the core names no time of its own. */
  readonly retryAfterSeconds?: number;
}

/** The detail of a login without usable credentials, the same in both disclosure modes. */
export const MISSING_LOGIN_CREDENTIALS = 'Missing login credentials';

const RETRY_SECONDS = 2;

const unavailable: FailureKind = {
  status: 503,
  code: 'service-unavailable',
  title: 'Service unavailable',
  detail: 'The service is temporarily unavailable',
  retryAfterSeconds: RETRY_SECONDS,
};

const payloadTooLarge: FailureKind = {
  status: 413,
  code: 'payload-too-large',
  title: 'Payload too large',
  detail: 'The request body is too large',
};

const unsupportedMediaType: FailureKind = {
  status: 415,
  code: 'unsupported-media-type',
  title: 'Unsupported media type',
  detail: 'The body is not of a kind that is accepted here',
};

const unauthorized = (detail: string): FailureKind => ({
  status: 401,
  code: 'unauthorized',
  title: 'Unauthorized',
  detail,
  fixedDetail: true,
  bearerChallenge: true,
});

const refusedLogin = (code: string, title: string): FailureKind => ({
  status: 401,
  code,
  title,
  detail: 'Invalid username or password',
  refusedLogin: true,
});

/** What each failure looks like. */
export const CATALOGUE: Readonly<Record<FailureName, FailureKind>> = {
  VALIDATION_ERROR: {
    status: 400,
    code: 'validation-error',
    title: 'Validation failed',
    detail: 'Request validation failed',
  },
  BAD_CREDENTIALS: refusedLogin('bad-credentials', 'Bad credentials'),
  ACCOUNT_NOT_FOUND: refusedLogin('account-not-found', 'Account not found'),
  LOGIN_POLICY_REJECTED: refusedLogin('login-policy-rejected', 'Login rejected by policy'),
  ACCOUNT_LOCKED: {
    ...refusedLogin('account-locked', 'Account locked'),
    status: 423,
    detail: 'The account is locked for a while',
  },
  ACCOUNT_DISABLED: refusedLogin('account-disabled', 'Account disabled'),
  ACCOUNT_EXPIRED: refusedLogin('account-expired', 'Account expired'),
  CREDENTIALS_EXPIRED: refusedLogin('credentials-expired', 'Credentials expired'),
  REFRESH_SESSION_INVALID: {
    status: 401,
    code: 'refresh-session-invalid',
    title: 'Refresh session invalid',
    detail: 'The refresh session is not valid',
  },
  TOKEN_MISSING: unauthorized('Unauthorized - Missing or invalid token'),
  TOKEN_INVALID: unauthorized('Unauthorized - Invalid or expired token'),
  SUBJECT_UNKNOWN: unauthorized('Unauthorized - User not found'),
  PERMISSION_DENIED: {
    status: 403,
    code: 'permission-denied',
    title: 'Permission denied',
    detail: 'The account may not do this',
  },
  NOT_FOUND: { status: 404, code: 'not-found', title: 'Not found', detail: 'The resource does not exist' },
  TOO_MANY_REQUESTS: {
    status: 429,
    code: 'too-many-requests',
    title: 'Too many requests',
    detail: 'Too many requests',
    retryAfterSeconds: RETRY_SECONDS,
  },
  AUTHENTICATION_SERVICE_UNAVAILABLE: {
    status: 503,
    code: 'authentication-service-unavailable',
    title: 'Authentication service unavailable',
    detail: 'Authentication is temporarily unavailable',
    retryAfterSeconds: RETRY_SECONDS,
  },
  SERVICE_UNAVAILABLE: unavailable,
  INVALID_REQUEST: { status: 400, code: 'invalid_request', title: 'Invalid request', detail: 'invalid_request' },
  INVALID_CLIENT: { status: 401, code: 'invalid_client', title: 'Invalid client', detail: 'invalid_client' },
  UNSUPPORTED_GRANT_TYPE: {
    status: 400,
    code: 'unsupported_grant_type',
    title: 'Unsupported grant type',
    detail: 'unsupported_grant_type',
  },
  INVALID_SCOPE: { status: 400, code: 'invalid_scope', title: 'Invalid scope', detail: 'invalid_scope' },
  UNSUPPORTED_TOKEN_TYPE: {
    status: 400,
    code: 'unsupported_token_type',
    title: 'Unsupported token type',
    detail: 'unsupported_token_type',
  },
  TENANT_MISMATCH: {
    status: 403,
    code: 'tenant-mismatch',
    title: 'Tenant mismatch',
    detail: "The tenant is not the caller's",
  },
  CONFLICT: { status: 409, code: 'conflict', title: 'Conflict', detail: 'The state of the resource forbids this' },
  PRINCIPAL_NOT_ELIGIBLE: {
    status: 409,
    code: 'principal-not-eligible',
    title: 'Principal not eligible',
    detail: 'The account is not of the kind that may have this',
  },
  INVALID_TRANSITION: {
    status: 409,
    code: 'invalid-transition',
    title: 'Invalid transition',
    detail: 'The order cannot go to this status from its own',
  },
  INSUFFICIENT_STOCK: {
    status: 409,
    code: 'insufficient-stock',
    title: 'Insufficient stock',
    detail: 'There are not enough pieces left',
  },
  QUOTA_EXCEEDED: {
    status: 409,
    code: 'quota-exceeded',
    title: 'Quota exceeded',
    detail: 'The tenant has too many files that are not attached',
  },
  PRECONDITION_FAILED: {
    status: 412,
    code: 'precondition-failed',
    title: 'Precondition failed',
    detail: 'The resource has been changed since',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    code: 'range-not-satisfiable',
    title: 'Range not satisfiable',
    detail: 'The content has no byte in the wanted range',
  },
  CANCELLED: unavailable,
  DEADLINE_EXCEEDED: unavailable,
  MESSAGE_TOO_LARGE: payloadTooLarge,
  UNSUPPORTED_COMPRESSION: unsupportedMediaType,
  INTERNAL_ERROR: { status: 500, code: 'internal-error', title: 'Internal error', detail: 'Unexpected error' },
  MALFORMED_REQUEST: {
    status: 400,
    code: 'validation-error',
    title: 'Validation failed',
    detail: 'Malformed request',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    code: 'method-not-allowed',
    title: 'Method not allowed',
    detail: 'The resource does not support this method',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    code: 'request-timeout',
    title: 'Request timeout',
    detail: 'The request did not arrive in time',
  },
  PAYLOAD_TOO_LARGE: payloadTooLarge,
  URI_TOO_LONG: { status: 414, code: 'uri-too-long', title: 'URI too long', detail: 'The request path is too long' },
  UNSUPPORTED_MEDIA_TYPE: unsupportedMediaType,
  HEADERS_TOO_LARGE: {
    status: 431,
    code: 'headers-too-large',
    title: 'Request header fields too large',
    detail: 'The request header is too large',
  },
  NOT_IMPLEMENTED: {
    status: 501,
    code: 'not-implemented',
    title: 'Not implemented',
    detail: 'The transfer coding of the request is not supported',
  },
};
