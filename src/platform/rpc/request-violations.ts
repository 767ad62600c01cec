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
