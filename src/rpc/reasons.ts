import { status } from '@grpc/grpc-js';
import type { ReasonName } from '../errors.ts';

export interface ReasonEntry {
  /** gRPC status code (google.rpc.Code). */
  readonly code: status;
  /** What everybody may read, in every disclosure mode. */
  readonly message: string;
  /** The public message is part of the contract: maximal disclosure does not put the detail in its place. */
  readonly fixed?: true;
}

/** Every reason with its gRPC status and its generic public message; the compiler keeps it complete. */
export const REASONS: Readonly<Record<ReasonName, ReasonEntry>> = {
  VALIDATION_ERROR: { code: status.INVALID_ARGUMENT, message: 'The request is not valid', fixed: true },
  BAD_CREDENTIALS: { code: status.UNAUTHENTICATED, message: 'Invalid username or password' },
  ACCOUNT_NOT_FOUND: { code: status.UNAUTHENTICATED, message: 'No account has this username' },
  LOGIN_POLICY_REJECTED: { code: status.UNAUTHENTICATED, message: 'The account may not log in this way' },
  ACCOUNT_LOCKED: { code: status.FAILED_PRECONDITION, message: 'The account is locked for a while' },
  ACCOUNT_DISABLED: { code: status.UNAUTHENTICATED, message: 'The account is disabled' },
  ACCOUNT_EXPIRED: { code: status.UNAUTHENTICATED, message: 'The account has expired' },
  CREDENTIALS_EXPIRED: { code: status.UNAUTHENTICATED, message: 'The password has expired' },
  REFRESH_SESSION_INVALID: { code: status.UNAUTHENTICATED, message: 'The session is not valid any more' },
  TOKEN_MISSING: { code: status.UNAUTHENTICATED, message: 'Unauthorized - Missing or invalid token', fixed: true },
  TOKEN_INVALID: { code: status.UNAUTHENTICATED, message: 'Unauthorized - Invalid or expired token', fixed: true },
  SUBJECT_UNKNOWN: { code: status.UNAUTHENTICATED, message: 'Unauthorized - User not found', fixed: true },
  PERMISSION_DENIED: { code: status.PERMISSION_DENIED, message: 'The account may not do this' },
  NOT_FOUND: { code: status.NOT_FOUND, message: 'Not found' },
  TOO_MANY_REQUESTS: { code: status.RESOURCE_EXHAUSTED, message: 'Too many requests, try again later' },
  AUTHENTICATION_SERVICE_UNAVAILABLE: {
    code: status.UNAVAILABLE,
    message: 'Authentication is temporarily unavailable, try again later',
  },
  SERVICE_UNAVAILABLE: { code: status.UNAVAILABLE, message: 'The service is temporarily unavailable, try again later' },
  INTERNAL_ERROR: { code: status.INTERNAL, message: 'An unexpected error occurred' },
  INVALID_REQUEST: { code: status.INVALID_ARGUMENT, message: 'The token request is malformed' },
  INVALID_CLIENT: { code: status.UNAUTHENTICATED, message: 'Client authentication failed' },
  UNSUPPORTED_GRANT_TYPE: { code: status.INVALID_ARGUMENT, message: 'The grant type is not supported' },
  INVALID_SCOPE: { code: status.INVALID_ARGUMENT, message: 'Scopes are not supported' },
  UNSUPPORTED_TOKEN_TYPE: { code: status.INVALID_ARGUMENT, message: 'API keys are not revoked here' },
  TENANT_MISMATCH: { code: status.PERMISSION_DENIED, message: "The tenant is not the caller's" },
  CONFLICT: { code: status.FAILED_PRECONDITION, message: 'The state of the record forbids this' },
  PRINCIPAL_NOT_ELIGIBLE: {
    code: status.FAILED_PRECONDITION,
    message: 'The account is not of the kind that may have this',
  },
  INVALID_TRANSITION: { code: status.FAILED_PRECONDITION, message: 'The order cannot go to this status from its own' },
  INSUFFICIENT_STOCK: { code: status.FAILED_PRECONDITION, message: 'There are not enough pieces left' },
  PRECONDITION_FAILED: { code: status.ABORTED, message: 'The record has been changed since' },
  PAYLOAD_TOO_LARGE: { code: status.OUT_OF_RANGE, message: 'The content is longer than declared or allowed' },
  UNSUPPORTED_MEDIA_TYPE: { code: status.INVALID_ARGUMENT, message: 'The content is not of an accepted kind' },
  RANGE_NOT_SATISFIABLE: { code: status.OUT_OF_RANGE, message: 'The content has no byte in the wanted range' },
  DEADLINE_EXCEEDED: { code: status.DEADLINE_EXCEEDED, message: 'The deadline of the call passed' },
  MESSAGE_TOO_LARGE: { code: status.RESOURCE_EXHAUSTED, message: 'The message is too large' },
  UNSUPPORTED_COMPRESSION: { code: status.UNIMPLEMENTED, message: 'The compression of the message is not supported' },
  QUOTA_EXCEEDED: { code: status.RESOURCE_EXHAUSTED, message: 'The tenant has too many staged files' },
  CANCELLED: { code: status.CANCELLED, message: 'The caller ended the call' },
};

/** How long a caller should wait where nothing better is known, in milliseconds. */
export const DEFAULT_RETRY_AFTER_MS = 1000;
