import type { OperationResponse } from './operation-response.ts';
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
