import {
  ProductStatus as StatusMessage,
  type Product as ProductMessage,
  type ProductFields as FieldsMessage,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { enumName, exactText, integer, money, optional, text } from '../../platform/db/columns.ts';
import { searchText } from '../../platform/db/query/search-text.ts';
import { defineRecord, type MessageOf, type ValuesOf } from '../../platform/db/record.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';
import type { FileName } from '../files/file.ts';
import { images } from '../files/image-store.ts';
import { VERSIONED } from '../record-store.ts';

/** The statuses of products. Only ACTIVE products can be ordered. */
export const PRODUCT_STATUS = enumNames(StatusMessage, 'PRODUCT_STATUS_');
export type ProductStatus = (typeof PRODUCT_STATUS.names)[number];

/** The fields that a caller can set. Changes of the stock also change `updatedAt`. */
const FIELDS = {
  /** Stock keeping unit, unique in the tenant. */
  sku: exactText('sku'),
  name: text('name'),
  description: optional(text('description')),
  category: optional(text('category')),
  /** Price of one unit. */
  price: money('price'),
  /** ISO 4217. */
  currency: text('currency'),
  /** Units in stock. */
  stock: integer('stock'),
  /** The stock is low if it is at or below this number. */
  reorderLevel: integer('reorder_level'),
  status: enumName('status', PRODUCT_STATUS),
};

const SELECTED = { images: images('product') };

export const PRODUCT = defineRecord('products', {
  fixed: VERSIONED,
  fields: FIELDS,
  selected: SELECTED,
  computed: { search_text: ({ sku, name, category }) => searchText(sku, name, category) },
});
export type ProductFields = ValuesOf<typeof FIELDS>;
export type Product = ProductFields & ValuesOf<typeof VERSIONED & typeof SELECTED>;

/** Staged files, which replace a product's images. */
interface Images {
  readonly images: readonly FileName[];
}
export type ProductChanges = Partial<ProductFields & Images>;

/** Converts a product to its proto message. */
export const productMessage: (product: Product) => MessageOf<Product, ProductMessage> = PRODUCT.toMessage;

/** Returns the fields of a validated request. */
export const productFields = ({ images, ...fields }: FieldsMessage): ProductFields & Images => ({
  ...PRODUCT.fromMessage(fields),
  images,
});

/** Returns the masked fields of a validated request. */
export const productChanges = ({ images, ...fields }: Partial<FieldsMessage>): ProductChanges => ({
  ...PRODUCT.fromMessage(fields),
  ...(images && { images }),
});
