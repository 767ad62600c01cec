// A core with one product in each of two tenants, that can be made to leak.
import type { Connect } from '../../cli/isolation/rpcs.ts';
import type { ReasonName, Violation } from '../../src/errors.ts';
import { RpcError } from '../../src/rpc/errors/rpc-error.ts';
import type { CallOptions } from '../../src/rpc/types.ts';
import { SIDES } from './fake-gateway.ts';

/** What a method of ProductService is asked, whichever it is. */
export interface FakeCall {
  readonly method: string;
  readonly request: any; // Each method has its own.
  /** Whether the product is the other tenant's. */
  readonly isForeign: boolean;
}

/** Answers in place of an honest core; undefined leaves it to that. */
export type Defect = (call: FakeCall, by: 'own' | 'other') => unknown;

export function refused(reason: ReasonName, message: string = reason, violations: readonly Violation[] = []): RpcError {
  const none = { retryAfterMs: undefined, diagnostics: undefined, requestId: undefined };
  return new RpcError({ reason, message, violations, ...none });
}

/** Connects to a core with this defect. */
export function fakeCore(defect: Defect = () => undefined): Connect {
  const service = new Proxy(
    {},
    {
      get: (_target, method: string) => async (request: any, options: CallOptions) => {
        const by = options.authorization![0] as 'own' | 'other';
        const isForeign = request.productId === SIDES.foreign.product;
        return defect({ method, request, isForeign }, by) ?? answer(request, by);
      },
    },
  );
  return () => service as never;
}

/** What keeps the tenants apart. */
function answer(request: any, by: 'own' | 'other'): unknown {
  const { tenant, product: id, mark } = by === 'own' ? SIDES.own : SIDES.foreign;
  const product = { id, tenantId: tenant };
  if ('sort' in request) {
    const products = [mark, undefined].includes(request.query ?? request.category) ? [product] : [];
    return { products, page: { page: 1, perPage: 20, total: products.length } };
  }
  if (request.productId !== undefined && request.productId !== id) throw refused('NOT_FOUND');
  if (request.product?.images?.length > 0) {
    throw refused('VALIDATION_ERROR', 'no such file', [{ message: 'names no record', format: 'reference' }]);
  }
  if (request.tenantId !== undefined && request.tenantId !== tenant) throw refused('TENANT_MISMATCH');
  return { product };
}
