// How one operation is described: which records its request can name, and what another tenant's look like there.
import type { Records } from './records.ts';

/** What is expected where a request names another tenant's record. */
export type Expectation =
  /** The record is not found. */
  | 'hidden'
  /** The body names no record: a violation of the rule `reference`. */
  | 'reference'
  /** The tenant in the body is not the caller's. */
  | 'elsewhere'
  /** Nothing matches. */
  | 'nothing'
  /** The caller's own, whoever is named. */
  | 'own'
  /** Not for a tenant's administrator. */
  | 'forbidden';

/**
 * A request to be made with the names of the other tenant's records, and again with names of none.
 * @param Request what the operation takes
 */
export interface Probe<Request> {
  readonly expectation: Expectation;
  /** @param own records of the caller's tenant, for what else the request has to name */
  readonly request: Build<Request>;
}

type Build<Request> = (named: Records, own: Records) => Request;

export interface Line<Request> {
  readonly probes: readonly Probe<Request>[];
  /** Why there is nothing to be asked. */
  readonly open?: string;
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

/** An operation that works on records of a tenant. */
export function line<Request>(...probes: readonly Probe<NoInfer<Request>>[]): Line<Request> {
  return { probes };
}

/** An operation that names no record of a tenant. */
export function open(why: string): Line<never> {
  return { probes: [], open: why };
}
