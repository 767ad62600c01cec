import type { Violation } from '../../src/errors.ts';
import { CATALOGUE } from '../../src/problem/catalogue.ts';
import type { FailureName } from '../../src/problem/catalogue.ts';

/** A request that the gateway itself refuses: HTTP or the schema of the route has been broken. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** Diagnostics may show the message. */
  readonly safeMessage = true;
  readonly failure: FailureName;
  readonly violations: readonly Violation[];

  /** @param message What is wrong, shown under maximal disclosure. Never a part of the request's content. */
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

/** A request whose fields break the rules of its route. */
export function invalidFields(violations: readonly Violation[]): GatewayError {
  return new GatewayError('VALIDATION_ERROR', undefined, violations);
}
