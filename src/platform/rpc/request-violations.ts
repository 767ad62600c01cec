// Collects the violations of a request, so that they are reported together.
import { ServiceError, type Violation } from '../errors.ts';
import { createViolationList } from './errors/violations.ts';

export interface RequestViolations {
  add(violation: Violation): void;
  /** Throws VALIDATION_ERROR if there is a violation. */
  assertNone(): void;
}

/** @param found The violations that are known already. */
export function createRequestViolations(found: readonly Violation[] = []): RequestViolations {
  const violations = createViolationList();
  violations.addAll(found);
  return {
    add: violations.add,
    assertNone() {
      if (violations.count > 0) throw new ServiceError('VALIDATION_ERROR', { violations: violations.toArray() });
    },
  };
}

/** A time in Unix milliseconds. Adds a violation if it has passed; times before 1970 break the field's own rule. */
export function futureTime(
  violations: RequestViolations,
  field: string,
  value: Date | undefined,
  now: number,
): number | undefined {
  const time = value?.getTime();
  if (time !== undefined && time >= 0 && time <= now) {
    violations.add({ message: 'must be in the future', format: 'future', props: [field] });
  }
  return time;
}

/**
 * Returns the range between the field `from` and a second field, in Unix milliseconds. Undefined bounds are open. Throws
 * VALIDATION_ERROR if the range ends before it begins.
 *
 * @param endField The name of the second field in REST.
 */
export function timeRange(from: Date | undefined, end: Date | undefined, endField: string) {
  if (from !== undefined && end !== undefined && from > end) {
    const violation = { message: `must not be later than ${endField}`, format: 'range', props: ['from'] };
    throw new ServiceError('VALIDATION_ERROR', { violations: [violation] });
  }
  return { from: from?.getTime(), end: end?.getTime() };
}
