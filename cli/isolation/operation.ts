// An operation of REST or gRPC, its response, and what the check finds out about it.
import type { ProbeCase } from './probe-case.ts';

/** The administrator that sends a request: of the caller's tenant (`own`), or of the tenant that owns the records. */
export type By = 'own' | 'other';

/** One operation of REST or gRPC. */
export interface Operation<Request> {
  readonly surface: 'REST' | 'RPC';
  readonly name: string;
  /** Whether it has no side effects, so that the owner of the records can call it too. */
  readonly safe: boolean;
  /** Paths of the record ids in its request, from the OpenAPI document or the protos: `items.productId`. */
  readonly ids: readonly string[];
  /** Undefined if there is no case for the operation. */
  readonly probeCase: ProbeCase<Request> | undefined;
  /** Returns the paths at which two requests differ, in the format of `ids`. */
  differences(one: Request, other: Request): readonly string[];
  send(request: Request, by: By): Promise<OperationResponse>;
  /** Returns variants of the request for which the record is also checked first, such as HEAD or an invalid body. */
  variants(request: Request): readonly Request[];
}

/** The response to a request over REST or gRPC. */
export interface OperationResponse {
  /** `404 not-found` or `NOT_FOUND`. If the request succeeded, the status alone or `OK`. */
  readonly outcome: string;
  /** The whole response as text, without parts that differ between any two responses. */
  readonly whole: string;
  /** The parsed body or the message. */
  readonly body: unknown;
}

/** The outcome of a request to an operation that the deployment does not serve. */
export const NOT_SERVED = 'not served';

type Visit = (key: string, value: unknown) => void;

/** Calls `visit` with every member of a value, at any depth. */
export function visitMembers(value: unknown, visit: Visit): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  for (const [key, member] of Object.entries(value)) {
    visit(key, member);
    visitMembers(member, visit);
  }
}

/** Whether a body contains at least one list, and all its lists and totals are empty or 0. */
export function isEmpty(body: unknown): boolean {
  const lists: unknown[] = [];
  visitMembers({ body }, (_key, value) => Array.isArray(value) && lists.push(value));
  let total = 0;
  visitMembers(body, (key, value) => (total += key === 'total' ? Number(value) : 0));
  return total === 0 && lists.length > 0 && lists.every((list) => (list as unknown[]).length === 0);
}

/** Returns the tenant ids in a body. */
export function tenantsIn(body: unknown): Set<string> {
  const tenants = new Set<string>();
  visitMembers(body, (key, value) => key === 'tenantId' && typeof value === 'string' && tenants.add(value));
  return tenants;
}

/** Returns the paths at which two values of the same shape differ, such as `items.productId`, without list indexes. */
export function differences(one: unknown, other: unknown, path = ''): string[] {
  if (one === other) return [];
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return [path];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => {
    const below = Array.isArray(one) ? path : [path, key].filter((part) => part !== '').join('.');
    return differences((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key], below);
  });
}

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
