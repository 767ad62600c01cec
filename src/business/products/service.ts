import { ProductServiceService } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import { createChangeProduct } from './change-product.ts';
import { createCreateProduct } from './create-product.ts';
import { createDeleteProduct } from './delete-product.ts';
import { createGetProduct } from './read-products.ts';
import { createListProducts } from './list-products.ts';
import { createSetProductStatus } from './set-product-status.ts';
import { createUpdateProduct } from './update-product.ts';

export interface ProductDependencies {
  readonly database: Database;
  readonly clock: Clock;
}

export function productService({ database, clock }: ProductDependencies): Service {
  const changeProduct = createChangeProduct({ database, clock });
  return implement(ProductServiceService, {
    listProducts: createListProducts({ database }),
    getProduct: createGetProduct({ database }),
    createProduct: createCreateProduct({ database, clock }),
    updateProduct: createUpdateProduct({ database, clock, changeProduct }),
    setProductStatus: createSetProductStatus({ database, changeProduct }),
    deleteProduct: createDeleteProduct({ database, clock }),
  });
}
