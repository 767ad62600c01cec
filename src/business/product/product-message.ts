import {
  ProductStatus as StatusMessage,
  type Product as ProductMessage,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import type { Product, ProductStatus } from './product.ts';

const STATUSES: Readonly<Record<ProductStatus, StatusMessage>> = {
  ACTIVE: StatusMessage.PRODUCT_STATUS_ACTIVE,
  INACTIVE: StatusMessage.PRODUCT_STATUS_INACTIVE,
  ARCHIVED: StatusMessage.PRODUCT_STATUS_ARCHIVED,
};

/** A product in the terms of its proto message. */
export function productMessage({ status, images, createdAt, updatedAt, ...product }: Product): ProductMessage {
  return {
    ...product,
    status: STATUSES[status],
    images: [...images],
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}
