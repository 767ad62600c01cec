import type { Violation } from '../../src/platform/errors.ts';
import { CATALOGUE } from '../../src/platform/problem/catalogue.ts';
import type { FailureName } from '../../src/platform/problem/catalogue.ts';

/** The gateway rejects a request that violates HTTP or the schema of its route. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** Allows diagnostics to show the message. */
  readonly safeMessage = true;
  readonly failure: FailureName;
  readonly violations: readonly Violation[];

  /** @param message Describes the problem, shown under maximal disclosure. Must not contain content of the request. */
  constructor(
    failure: FailureName,
    message: string = CATALOGUE[failure].detail,
    violations: readonly Violation[] = [],
  ) {
    super(message);
    this.failure = failure;
    this.violations = violations;
  }
}

/** Creates the VALIDATION_ERROR of a request whose fields violate the schema of its route. */
export function invalidFields(violations: readonly Violation[]): GatewayError {
  return new GatewayError('VALIDATION_ERROR', undefined, violations);
}
