import { ProductServiceService } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { type Service, implement } from '../../platform/rpc/service.ts';
import type { Dependencies } from '../dependencies.ts';
import { createSetProductStatus, createUpdateProduct } from './update-product.ts';
import { createCreateProduct } from './create-product.ts';
import { createDeleteProduct } from './delete-product.ts';
import { createGetProduct, createListProducts } from './read-products.ts';

export function productService(dependencies: Dependencies): Service {
  return implement(ProductServiceService, {
    listProducts: createListProducts(dependencies),
    getProduct: createGetProduct(dependencies),
    createProduct: createCreateProduct(dependencies),
    updateProduct: createUpdateProduct(dependencies),
    setProductStatus: createSetProductStatus(dependencies),
    deleteProduct: createDeleteProduct(dependencies),
  });
}
