// The catalogue entries of requests that fail in HTTP itself.
import type { FailureKind } from './failure-kind.ts';

/** Failures of HTTP, which no RPC reports. */
export type HttpFailure =
  | 'MALFORMED_REQUEST'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'URI_TOO_LONG'
  | 'MISDIRECTED_REQUEST'
  | 'HEADERS_TOO_LARGE'
  | 'NOT_IMPLEMENTED';

/** The catalogue entries of these failures. */
export const HTTP_FAILURES: Readonly<Record<HttpFailure, FailureKind>> = {
  MALFORMED_REQUEST: {
    status: 400,
    code: 'validation-error',
    title: 'Validation failed',
    detail: 'Malformed request',
    profileBCode: 'AUTH_VALIDATION_ERROR',
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
  URI_TOO_LONG: { status: 414, code: 'uri-too-long', title: 'URI too long', detail: 'The request path is too long' },
  MISDIRECTED_REQUEST: {
    status: 421,
    code: 'misdirected-request',
    title: 'Misdirected request',
    detail: 'The Host header names another server',
  },
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
