// Preconditions: changes that require certain versions of a record (RFC 9110 section 13.1.1).
import type { Precondition } from '../../proto/gen/authservice/business/v1/record.ts';
import { ServiceError } from '../platform/errors.ts';

/** Throws PRECONDITION_FAILED if the record has none of the required versions. */
export function assertVersion(precondition: Precondition | undefined, version: number): void {
  if (precondition === undefined || precondition.versions.includes(version)) return;
  throw new ServiceError('PRECONDITION_FAILED', { detail: `the record is in version ${version}` });
}
