import { ServiceError } from '../errors.ts';

/** A filter by time, in Unix milliseconds. Undefined bounds are open. */
export interface TimeRange {
  readonly from: number | undefined;
  readonly end: number | undefined;
}

/**
 * Returns the range between the field `from` and a second field. Throws VALIDATION_ERROR if it ends before it begins.
 *
 * @param endField The name of the second field in REST.
 */
export function timeRange(from: Date | undefined, end: Date | undefined, endField: string): TimeRange {
  if (from !== undefined && end !== undefined && from > end) {
    const violation = { message: `must not be later than ${endField}`, format: 'range', props: ['from'] };
    throw new ServiceError('VALIDATION_ERROR', { violations: [violation] });
  }
  return { from: from?.getTime(), end: end?.getTime() };
}
