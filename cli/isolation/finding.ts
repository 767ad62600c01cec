import type { Operation } from './operation.ts';

export type Verdict =
  /** As it should be. */
  | 'passed'
  /** The other tenant shows, or the answer is not the expected one. */
  | 'failed'
  /** Nobody has said how the operation, or a place in its request, is to be asked. */
  | 'uncovered'
  /** A record that it takes could not be made. */
  | 'skipped'
  /** The deployment does not have the operation. */
  | 'not-served'
  /** Names no record of a tenant. */
  | 'not-applicable';

/** What came of one thing that was asked of an operation. */
export interface Finding {
  readonly surface: Operation<unknown>['surface'];
  readonly operation: string;
  readonly verdict: Verdict;
  /** What was asked: `hidden: serviceAccount, key`; empty where the finding is on the operation as such. */
  readonly asked: string;
  /** For a person. */
  readonly detail: string;
}

/** Whether a finding is a reason to fail. */
export function isFailure({ verdict }: Pick<Finding, 'verdict'>): boolean {
  return verdict === 'failed' || verdict === 'uncovered';
}
