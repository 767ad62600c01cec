import type { Violation } from '../platform/errors.ts';

/**
 * The violation of an id in a request that names no record of the tenant. The text is the same if the record belongs to
 * another tenant.
 */
export function unknownReference(...props: readonly string[]): Violation {
  return { message: 'names no record', format: 'reference', props };
}
