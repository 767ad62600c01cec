import type { Operation } from './operation.ts';

export type Verdict =
  /** The response is as expected. */
  | 'passed'
  /** The response reveals the other tenant, or is not the expected one. */
  | 'failed'
  /** There is no case for the operation, or for an id in its request. */
  | 'uncovered'
  /** A required record could not be created. */
  | 'skipped'
  /** The deployment does not serve the operation. */
  | 'not-served'
  /** The request contains no id of a tenant's record. */
  | 'not-applicable';

/** The result of one probe of an operation. */
export interface Finding {
  readonly surface: Operation<unknown>['surface'];
  readonly operation: string;
  readonly verdict: Verdict;
  /**
   * Expectation and record kinds of the probe: `hidden: serviceAccount, key`. Empty if the finding concerns the whole operation.
   */
  readonly asked: string;
  /** Explanation for people. */
  readonly detail: string;
}

/** Whether a finding makes the command fail. */
export function isFailure({ verdict }: Pick<Finding, 'verdict'>): boolean {
  return verdict === 'failed' || verdict === 'uncovered';
}
