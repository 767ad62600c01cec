import { ProductServiceService } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { type Service, implement } from '../../platform/rpc/service.ts';
import { createSetProductStatus, createUpdateProduct } from './update-product.ts';
import { createCreateProduct } from './create-product.ts';
import { createDeleteProduct } from './delete-product.ts';
import { createGetProduct, createListProducts } from './read-products.ts';

export interface ProductDependencies {
  readonly database: Database;
  readonly clock: Clock;
}

export function productService(dependencies: ProductDependencies): Service {
  return implement(ProductServiceService, {
    listProducts: createListProducts(dependencies),
    getProduct: createGetProduct(dependencies),
    createProduct: createCreateProduct(dependencies),
    updateProduct: createUpdateProduct(dependencies),
    setProductStatus: createSetProductStatus(dependencies),
    deleteProduct: createDeleteProduct(dependencies),
  });
}
