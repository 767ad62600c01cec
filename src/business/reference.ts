import type { Violation } from '../errors.ts';

/** What is wrong with an id in a request that names no record of the tenant; another tenant's is told in the same words. */
export function unknownReference(...props: readonly string[]): Violation {
  return { message: 'names no record', format: 'reference', props };
}
