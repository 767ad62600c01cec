// The description of an operation for the check: the records in its request, and the expected response for another tenant's records.
import type { Records } from './records.ts';

/** The expected response to a request with the id of another tenant's record. */
export type Expectation =
  /** NOT_FOUND. */
  | 'hidden'
  /** VALIDATION_ERROR: an id in the body violates the rule `reference`. */
  | 'reference'
  /** TENANT_MISMATCH: the tenant in the request is not the caller's. */
  | 'elsewhere'
  /** An empty list. */
  | 'nothing'
  /** The caller's own records, independent of the ids in the request. */
  | 'own'
  /** PERMISSION_DENIED: not for an administrator of a tenant. */
  | 'forbidden';

/**
 * A request that is sent with ids of the other tenant's records, and again with ids of missing records.
 *
 * @param Request The request type of the operation.
 */
export interface Probe<Request> {
  readonly expectation: Expectation;
  /** @param own Records of the caller's tenant, for other required ids in the request. */
  readonly request: Build<Request>;
}

type Build<Request> = (named: Records, own: Records) => Request;

export interface ProbeCase<Request> {
  readonly probes: readonly Probe<Request>[];
  /** The reason why the operation needs no probes. */
  readonly notApplicable?: string;
}

const expecting =
  (expectation: Expectation) =>
  <Request>(request: Build<Request>): Probe<Request> => ({ expectation, request });

export const hidden = expecting('hidden');
export const reference = expecting('reference');
export const elsewhere = expecting('elsewhere');
export const nothing = expecting('nothing');
export const own = expecting('own');
export const forbidden = expecting('forbidden');

/** Creates the case of an operation on records of a tenant. */
export function probes<Request>(...requests: readonly Probe<NoInfer<Request>>[]): ProbeCase<Request> {
  return { probes: requests };
}

/** Creates the case of an operation without ids of a tenant's records. */
export function notApplicable(reason: string): ProbeCase<never> {
  return { probes: [], notApplicable: reason };
}
