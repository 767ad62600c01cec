import { ProductStatus as StatusMessage } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';
import type { FileName, Image } from '../files/file.ts';

/** The statuses of products. Only ACTIVE products can be ordered. */
export const PRODUCT_STATUS = enumNames(StatusMessage, 'PRODUCT_STATUS_');
export type ProductStatus = (typeof PRODUCT_STATUS.names)[number];

/** The fields that a caller can set. */
export interface ProductFields {
  /** Stock keeping unit, unique in the tenant. */
  readonly sku: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly category: string | undefined;
  /** Price of one unit, in hundredths of the currency. */
  readonly price: number;
  /** ISO 4217. */
  readonly currency: string;
  /** Units in stock. */
  readonly stock: number;
  /** The stock is low if it is at or below this number. */
  readonly reorderLevel: number;
  readonly status: ProductStatus;
}

/** The fields that a caller can change. */
export interface ProductChanges extends Partial<ProductFields> {
  /** Staged files, which replace its images. */
  readonly images?: readonly FileName[];
}

export interface Product extends ProductFields {
  /** UUIDv7. */
  readonly id: string;
  readonly tenantId: string;
  /** Sorted by their index. */
  readonly images: readonly Image[];
  /** Unix milliseconds, like all times in this interface. */
  readonly createdAt: number;
  /** Also set by changes of the stock. */
  readonly updatedAt: number;
  /** Increases with every change. */
  readonly version: number;
}
