// Products of the shop.
// Decides: which changes keep the stock right.
// States: a product is ACTIVE or INACTIVE.
// Tables: products.
// Routes: /products, /products/:id, /products/:id/status.
import { ProductServiceService } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { type Service, implement } from '../../platform/rpc/service.ts';
import type { Dependencies } from '../dependencies.ts';
import { productUpdates } from './update-product.ts';
import { createProductCreation } from './create-product.ts';
import { createDeleteProduct } from './delete-product.ts';
import { productReads } from './read-products.ts';

export function productService(dependencies: Dependencies): Service {
  return implement(ProductServiceService, {
    ...productReads(dependencies),
    createProduct: createProductCreation(dependencies),
    ...productUpdates(dependencies),
    deleteProduct: createDeleteProduct(dependencies),
  });
}
