// A core with one product and one token in each of two tenants, which can leak on demand.
import type { Connect } from '../../cli/isolation/rpcs.ts';
import { connectTo, refused } from '../support/fake-core.ts';
import { SIDES } from './fake-gateway.ts';

/** A call of any method of ProductService, or of IntrospectToken. */
export interface FakeCall {
  readonly method: string;
  readonly request: any; // Each method has its own.
  /** Whether the product or the token belongs to the other tenant. */
  readonly isForeign: boolean;
}

/** Answers in place of the honest core; undefined leaves the response to that. */
export type Defect = (call: FakeCall, by: 'own' | 'other') => unknown;

/** Connects to a core with this defect. */
export function leakingCore(defect: Defect = () => undefined): Connect {
  return connectTo(({ rpc, input, options }) => {
    const request: any = input;
    const by = options.authorization![0] as 'own' | 'other';
    const { product, token } = SIDES.foreign;
    const isForeign = request.productId === product || request.token === token;
    const name = rpc.split('/')[1]!;
    const method = name[0]!.toLowerCase() + name.slice(1);
    return defect({ method, request, isForeign }, by) ?? respond(request, by);
  });
}

/** Keeps the tenants apart. */
function respond(request: any, by: 'own' | 'other'): unknown {
  const { tenant, product: id, mark, token, clientSecret } = by === 'own' ? SIDES.own : SIDES.foreign;
  if ('token' in request) return { active: request.token === token && request.clientSecret === clientSecret };
  const product = { id, tenantId: tenant };
  if ('sort' in request) {
    const products = [mark, undefined].includes(request.query ?? request.category) ? [product] : [];
    return { products, page: { page: 1, perPage: 20, total: products.length } };
  }
  if (request.productId !== undefined && request.productId !== id) throw refused('NOT_FOUND');
  if (request.product?.images?.length > 0) {
    const violations = [{ message: 'names no record', format: 'reference' }];
    throw refused('VALIDATION_ERROR', { message: 'no such file', violations });
  }
  if (request.tenantId !== undefined && request.tenantId !== tenant) throw refused('TENANT_MISMATCH');
  return { product };
}
