// The description of an operation for the check: the records in its request, and the expected response for another tenant's records.
import type { Records, Kind } from './records.ts';
import type { ServiceDefinition } from '../../src/platform/rpc/types.ts';

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
  /** The introspection of a token of the caller's tenant. */
  | 'active'
  /** The introspection of a token that is hidden from the client. */
  | 'inactive'
  /** PERMISSION_DENIED: not for an administrator of a tenant. */
  | 'forbidden'
  /** The record, because its id is a secret: each caller that has the id can read it. */
  | 'disclosed'
  /** PERMISSION_DENIED, because the id is a secret, but the record is not for the caller's tenant. */
  | 'unserved';

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

/** Returns a request that contains ids of these records. */
export type Build<Request> = (named: Records, own: Records) => Request;

export interface ProbeCase<Request> {
  readonly probes: readonly Probe<Request>[];
  /** The reason why the operation needs no probes. */
  readonly notApplicable?: string | undefined;
}

const expecting =
  (expectation: Expectation) =>
  <Request>(request: Build<Request>): Probe<Request> => ({ expectation, request });

/** A request for as many items of a list as possible. */
export const WHOLE_PAGE = { page: { page: 1, perPage: 100 } };

export const hidden = expecting('hidden');
export const reference = expecting('reference');
export const elsewhere = expecting('elsewhere');
export const nothing = expecting('nothing');
export const own = expecting('own');
export const active = expecting('active');
export const inactive = expecting('inactive');
export const forbidden = expecting('forbidden');
export const disclosed = expecting('disclosed');
export const unserved = expecting('unserved');

/** Creates the case of an operation on records of a tenant. */
export function probes<Request>(...requests: readonly Probe<NoInfer<Request>>[]): ProbeCase<Request> {
  return { probes: requests };
}

/** Creates the case of an operation without ids of a tenant's records. */
export function notApplicable(reason: string): ProbeCase<never> {
  return { probes: [], notApplicable: reason };
}

/** The kinds of records in a probe's request. */
export interface ProbeKinds<Request> {
  /** Kinds of the other tenant's records in the request. */
  readonly kinds: readonly Kind[];
  /** Kinds of the caller's own records in the request. */
  readonly ownKinds: readonly Kind[];
  /** Two requests that differ only in the ids of the other tenant's records. */
  readonly examples: readonly [Request, Request];
}

/** Returns the kinds of records in a probe's request. Builds requests with fake ids and records which ids are read. */
export function kindsOf<Request>({ request }: Probe<Request>): ProbeKinds<Request> {
  const kinds = new Set<Kind>();
  const ownKinds = new Set<Kind>();
  const example = (name: string) => request(fakeRecords(name, kinds), fakeRecords('own', ownKinds));
  const examples = [example('one'), example('other')] as const;
  return { kinds: [...kinds], ownKinds: [...ownKinds], examples };
}

function fakeRecords(name: string, asked: Set<Kind>): Records {
  return new Proxy({} as Records, {
    get(_target, kind: Kind) {
      asked.add(kind);
      return kind === 'file' ? { date: '2026-01-31', uuid: name } : name;
    },
  });
}

/** Returns all non-empty subsets, the full set first. For an empty list, returns one empty subset. */
export function choices<T>(of: readonly T[]): T[][] {
  if (of.length === 0) return [[]];
  const all = of.reduce<T[][]>((chosen, each) => chosen.flatMap((some) => [[...some, each], some]), [[]]);
  return all.filter((some) => some.length > 0);
}

/** The variable parts of a request to a route. */
export interface RestRequest {
  /** Sends HEAD instead of the route's GET. */
  readonly head?: boolean;
  /** Values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body, sent as JSON. */
  readonly body?: unknown;
  /** Body, sent as multipart/form-data in this order. Bytes are a PNG image. */
  readonly form?: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;
  /** Body, sent unchanged. */
  readonly content?: Uint8Array<ArrayBuffer>;
}

/** Cases by method and path. `GET /products/{id}` is below `/api/v1`, `GET /health/live` is at the root. */
export type RestCases = Readonly<Record<string, ProbeCase<RestRequest>>>;

/** The cases of a service. */
export interface RpcCases {
  readonly definition: ServiceDefinition;
  /** By the names of the methods in the definition. */
  readonly cases: Readonly<Record<string, ProbeCase<any>>>; // examplesOf checks the request types.
}
