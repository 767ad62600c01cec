// What new and changed products may be: the rules of their fields.
import {
  ProductStatus as StatusMessage,
  type ProductFields as FieldsMessage,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import type { RequestCheck } from '../../request-check.ts';
import { isCurrency } from '../currency.ts';
import { PRODUCT_STATUSES, type ProductChanges, type ProductFields, type ProductStatus } from './product.ts';

const MAX_SKU = 64;
const MAX_NAME = 200;
const MAX_DESCRIPTION = 4_000;
const MAX_CATEGORY = 100;
const MAX_PRICE = 999_999_999;
const MAX_PIECES = 1_000_000_000;
const DEFAULT_CURRENCY = 'EUR';
const DEFAULT_STATUS = 'ACTIVE';

const STATUSES = new Map<StatusMessage, ProductStatus | undefined>([
  [StatusMessage.PRODUCT_STATUS_UNSPECIFIED, undefined],
  [StatusMessage.PRODUCT_STATUS_ACTIVE, 'ACTIVE'],
  [StatusMessage.PRODUCT_STATUS_INACTIVE, 'INACTIVE'],
  [StatusMessage.PRODUCT_STATUS_ARCHIVED, 'ARCHIVED'],
]);

type Reader = (check: RequestCheck, fields: FieldsMessage) => ProductChanges;

/** How each field is read, by its path in an update mask; one that is absent gets its default. */
const READERS = {
  sku: (check, { sku }) => ({ sku: check.requiredText('sku', sku, MAX_SKU) }),
  name: (check, { name }) => ({ name: check.requiredText('name', name, MAX_NAME) }),
  description: (check, { description }) => ({
    description: check.optionalText('description', description, MAX_DESCRIPTION),
  }),
  category: (check, { category }) => ({ category: checkCategory(check, category) }),
  price: (check, { price }) => ({ price: checkPrice(check, price) }),
  currency: (check, { currency = DEFAULT_CURRENCY }) => ({ currency: checkCurrency(check, currency) }),
  stock: (check, { stock = 0 }) => ({ stock: check.integer('stock', stock, 0, MAX_PIECES) }),
  reorder_level: (check, { reorderLevel = 0 }) => ({
    reorderLevel: check.integer('reorderLevel', reorderLevel, 0, MAX_PIECES),
  }),
  status: (check, { status }) => ({ status: checkStatus(check, status) ?? DEFAULT_STATUS }),
  images: (_check, { images }) => ({ images }),
} satisfies Readonly<Record<string, Reader>>;

type FieldPath = keyof typeof READERS;

/** The fields that can be meant by a change, by their paths in an update mask. */
export const PRODUCT_FIELDS = Object.keys(READERS) as readonly FieldPath[];

/** All fields of a new product. Its images are still to be checked: checkStagedFiles. */
export function newFields(
  check: RequestCheck,
  fields: FieldsMessage = NONE,
): ProductFields & Required<Pick<ProductChanges, 'images'>> {
  return changedFields(check, fields, new Set(PRODUCT_FIELDS)) as ReturnType<typeof newFields>;
}

/** The fields that are meant; for images as above. */
export function changedFields(
  check: RequestCheck,
  fields: FieldsMessage = NONE,
  meant: ReadonlySet<FieldPath>,
): ProductChanges {
  const read = PRODUCT_FIELDS.filter((path) => meant.has(path)).map((path) => READERS[path](check, fields));
  return Object.assign({}, ...read) as ProductChanges;
}

const NONE: FieldsMessage = { status: StatusMessage.PRODUCT_STATUS_UNSPECIFIED, images: [] };

/** A category of 1-100 characters. */
export function checkCategory(check: RequestCheck, category: string | undefined): string | undefined {
  return check.optionalText('category', category, MAX_CATEGORY);
}

/** A status by its message; undefined where none is given. */
export function checkStatus(check: RequestCheck, status: StatusMessage): ProductStatus | undefined {
  if (!STATUSES.has(status)) {
    const params = { allowed: PRODUCT_STATUSES };
    check.violate({ message: 'must be a known status', format: 'enum', props: ['status'], params });
  }
  return STATUSES.get(status);
}

/** The same where one must be given. */
export function requiredStatus(check: RequestCheck, status: StatusMessage): ProductStatus {
  if (status === StatusMessage.PRODUCT_STATUS_UNSPECIFIED) check.missing('status');
  return checkStatus(check, status) ?? DEFAULT_STATUS;
}

function checkPrice(check: RequestCheck, price: number | undefined): number {
  if (price !== undefined) return check.integer('price', price, 0, MAX_PRICE);
  check.missing('price');
  return 0;
}

function checkCurrency(check: RequestCheck, currency: string): string {
  if (!isCurrency(currency)) {
    check.violate({ message: 'must be the code of a currency', format: 'currency', props: ['currency'] });
  }
  return currency;
}
