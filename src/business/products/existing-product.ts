import { isId } from '../../platform/db/ids.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { tenantOf } from '../tenant.ts';
import type { Product } from './product.ts';
import { PRODUCTS } from './product-store.ts';

/** Returns the product that a request names, within the caller's tenant. Throws NOT_FOUND, also for malformed ids. */
export function createFindProduct({ database }: { readonly database: Statements }) {
  return async ({ productId }: { readonly productId: string }, call: Call): Promise<Product> => {
    const tenantId = tenantOf(call);
    const product = isId(productId) ? await PRODUCTS.find(database, tenantId, productId) : undefined;
    if (!product) throw new ServiceError('NOT_FOUND');
    return product;
  };
}
