import type {
  Product as ProductMessage,
  ProductFields as FieldsMessage,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { PRODUCT_STATUS, type Product, type ProductChanges } from './product.ts';

/** Converts a product to its proto message. */
export function productMessage(product: Product): ProductMessage {
  return {
    id: product.id,
    tenantId: product.tenantId,
    sku: product.sku,
    name: product.name,
    description: product.description,
    category: product.category,
    price: product.price,
    currency: product.currency,
    stock: product.stock,
    reorderLevel: product.reorderLevel,
    status: PRODUCT_STATUS.valueOf(product.status),
    images: [...product.images],
    createdAt: new Date(product.createdAt),
    updatedAt: new Date(product.updatedAt),
    version: product.version,
  };
}

/** Returns the fields of a validated request; required masked fields are present. */
export function productFields({ status, ...fields }: Partial<FieldsMessage>): ProductChanges {
  const changes = { ...fields, ...(status !== undefined && { status: PRODUCT_STATUS.nameOf(status) }) };
  return changes as ProductChanges;
}
