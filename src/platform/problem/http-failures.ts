// The catalogue entries of requests that fail in HTTP itself, which no RPC reports.
import type { Entry, FailureKind } from './failure-kind.ts';

export const HTTP_FAILURES = {
  MALFORMED_REQUEST: {
    status: 400,
    code: 'validation-error',
    title: 'Validation failed',
    detail: 'Malformed request',
    profileBCode: 'AUTH_VALIDATION_ERROR',
  },
  METHOD_NOT_ALLOWED: { status: 405, detail: 'The resource does not support this method' },
  REQUEST_TIMEOUT: { status: 408, detail: 'The request did not arrive in time' },
  URI_TOO_LONG: { status: 414, title: 'URI too long', detail: 'The request path is too long' },
  MISDIRECTED_REQUEST: { status: 421, detail: 'The Host header names another server' },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'Request header fields too large',
    detail: 'The request header is too large',
  },
  NOT_IMPLEMENTED: { status: 501, detail: 'The transfer coding of the request is not supported' },
} as const satisfies Record<string, Entry<FailureKind>>;

/** Failures of HTTP. */
export type HttpFailure = keyof typeof HTTP_FAILURES;
