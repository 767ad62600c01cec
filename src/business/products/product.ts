import { ProductStatus as StatusMessage } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { enumNames } from '../../formats/enum-names.ts';
import type { FileName, Image } from '../files/file.ts';

/** Whether a product can be ordered: only ACTIVE ones can. */
export const PRODUCT_STATUS = enumNames(StatusMessage, 'PRODUCT_STATUS_');
export type ProductStatus = (typeof PRODUCT_STATUS.names)[number];

/** What a caller may set. */
export interface ProductFields {
  /** Stock keeping unit, unique in the tenant. */
  readonly sku: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly category: string | undefined;
  /** Of one piece, in minor units of the currency. */
  readonly price: number;
  /** ISO 4217. */
  readonly currency: string;
  /** Pieces at hand. */
  readonly stock: number;
  /** The stock is low when it is not above this. */
  readonly reorderLevel: number;
  readonly status: ProductStatus;
}

/** What a caller may change. */
export interface ProductChanges extends Partial<ProductFields> {
  /** Staged files, which become its only images. */
  readonly images?: readonly FileName[];
}

export interface Product extends ProductFields {
  /** UUIDv7. */
  readonly id: string;
  readonly tenantId: string;
  /** In the order of their places. */
  readonly images: readonly Image[];
  /** Unix milliseconds, like all times here. */
  readonly createdAt: number;
  /** Changes of the stock included. */
  readonly updatedAt: number;
  /** Rises with every change. */
  readonly version: number;
}
