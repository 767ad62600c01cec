import type {
  Product as ProductMessage,
  ProductFields as FieldsMessage,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { PRODUCT_STATUS, type Product, type ProductChanges } from './product.ts';

/** Converts a product to its proto message. */
export function productMessage({ status, images, createdAt, updatedAt, ...product }: Product): ProductMessage {
  return {
    ...product,
    status: PRODUCT_STATUS.valueOf(status),
    images: [...images],
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

/** Returns the fields of a validated request; required masked fields are present. */
export function productFields({ status, ...fields }: Partial<FieldsMessage>): ProductChanges {
  const changes = { ...fields, ...(status !== undefined && { status: PRODUCT_STATUS.nameOf(status) }) };
  return changes as ProductChanges;
}
