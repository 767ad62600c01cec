// How the endpoints of business records can fail, for their descriptions.
import type { FailureName } from '../../src/problem/catalogue.ts';

/** An endpoint without a record in its path. */
export const LIST_FAILURES: readonly FailureName[] = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'SUBJECT_UNKNOWN',
  'PERMISSION_DENIED',
  'VALIDATION_ERROR',
  'AUTHENTICATION_SERVICE_UNAVAILABLE',
];

/** One that adds a record. */
export const CREATE_FAILURES: readonly FailureName[] = [...LIST_FAILURES, 'TENANT_MISMATCH'];

/** One that shows a record of its path, or what belongs to it. */
export const RECORD_FAILURES: readonly FailureName[] = [...LIST_FAILURES, 'NOT_FOUND'];
