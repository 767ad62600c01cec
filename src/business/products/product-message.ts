import type {
  Product as ProductMessage,
  ProductFields as FieldsMessage,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { PRODUCT_STATUS, type Product, type ProductChanges } from './product.ts';

/** A product in the terms of its proto message. */
export function productMessage({ status, images, createdAt, updatedAt, ...product }: Product): ProductMessage {
  return {
    ...product,
    status: PRODUCT_STATUS.valueOf(status),
    images: [...images],
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

/** The fields of a checked request; those that are required and meant are there. */
export function productFields({ status, ...fields }: Partial<FieldsMessage>): ProductChanges {
  const changes = { ...fields, ...(status !== undefined && { status: PRODUCT_STATUS.nameOf(status) }) };
  return changes as ProductChanges;
}
