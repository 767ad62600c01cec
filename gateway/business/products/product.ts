// What the endpoints of products have in common: their schemas, and the translation between JSON and the core's messages.
import Type from 'typebox';
import type { Static } from 'typebox';
import {
  ProductStatus,
  productStatusToJSON,
  type Product as ProductMessage,
  type ProductFields,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { clearable, ignored, leftOut, RECORD_MEMBERS, Text, Time } from '../fields.ts';
import { Images, imagesBody, StagedFiles } from '../images.ts';
import { Amount, amountOf, minorUnits } from '../money.ts';
import { sent } from '../sent.ts';

/** The statuses that a product can have. */
export const STATUS_NAMES = ['ACTIVE', 'INACTIVE', 'ARCHIVED'] as const;
type StatusName = (typeof STATUS_NAMES)[number];
const STATUS_PREFIX = 'PRODUCT_STATUS_';
const MAX_PIECES = 1_000_000_000;

/** Any text: one that cannot be an id names no product. */
export const ProductParams = Type.Object({ id: Type.String({ description: 'Id of the product.' }) });
export type ProductParams = Static<typeof ProductParams>;

const Pieces = (description: string) => Type.Integer({ minimum: 0, maximum: MAX_PIECES, description });
const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  description: 'Code of ISO 4217. Default EUR.',
  examples: ['EUR'],
});

const REQUIRED = {
  sku: Text(64, 'Stock keeping unit, unique in the tenant.'),
  name: Text(200, 'What it is called.'),
  price: Amount('Of one piece.'),
};
const OPTIONAL = {
  description: clearable(Text(4_000, 'What it is.')),
  category: clearable(Text(100, 'What kind of product it is.')),
  currency: clearable(Currency),
  stock: clearable(Pieces('Pieces at hand. Default 0.')),
  reorderLevel: clearable(Pieces('The stock is low when it is not above this. Default 0.')),
  status: clearable(Type.Enum([...STATUS_NAMES], { description: 'Only ACTIVE ones can be ordered. Default ACTIVE.' })),
  images: clearable(StagedFiles('Staged files; they become its only images. Default none.')),
};

// A page that shows the description offers the examples of bodies to send.
const EXAMPLE = {
  sku: 'ROSE-PINK',
  name: 'Pink rose',
  category: 'Cut flowers',
  price: 3.5,
  stock: 100,
  reorderLevel: 20,
};

/** Body of a POST. */
export const NewProduct = Type.Object(
  { ...REQUIRED, ...OPTIONAL, ...RECORD_MEMBERS },
  { additionalProperties: false, description: 'A product to be added.', examples: [EXAMPLE] },
);

/** Body of a PUT. */
export const ReplacedProduct = Type.Object(
  { ...REQUIRED, ...OPTIONAL, ...ignored('status', 'images'), ...RECORD_MEMBERS },
  {
    additionalProperties: false,
    description: 'What a product is to be; its status and its images stay as they are.',
    examples: [EXAMPLE],
  },
);

/** Body of a PATCH. */
export const ChangedProduct = Type.Object(
  {
    sku: Type.Optional(REQUIRED.sku),
    name: Type.Optional(REQUIRED.name),
    price: Type.Optional(REQUIRED.price),
    ...OPTIONAL,
    ...RECORD_MEMBERS,
  },
  {
    additionalProperties: false,
    description: 'What is to change of a product; null stands for the default.',
    examples: [{ price: 3.9, category: null }],
  },
);

/** Body of a PATCH of the status alone. */
export const ChangedStatus = Type.Object(
  { status: Type.Enum([...STATUS_NAMES]), ...RECORD_MEMBERS },
  { additionalProperties: false, description: 'A new status for a product.', examples: [{ status: 'INACTIVE' }] },
);

/** What may be set, with the paths of an update mask. */
export const PRODUCT_PATHS = {
  sku: 'sku',
  name: 'name',
  description: 'description',
  category: 'category',
  price: 'price',
  currency: 'currency',
  stock: 'stock',
  reorderLevel: 'reorder_level',
  status: 'status',
  images: 'images',
};

const MEMBERS = {
  id: Type.String(),
  tenantId: Type.String(),
  sku: Type.String(),
  name: Type.String(),
  description: leftOut(Type.String()),
  category: leftOut(Type.String()),
  price: Type.Number({ description: 'Of one piece.' }),
  currency: Type.String({ description: 'ISO 4217.' }),
  stock: Type.Integer({ description: 'Pieces at hand.' }),
  reorderLevel: Type.Integer({ description: 'The stock is low when it is not above this.' }),
  status: Type.Enum([...STATUS_NAMES]),
  images: Images('In the order of their indexes.'),
  createdAt: Time('When it was added.'),
  updatedAt: Time('When it was last changed, its stock included.'),
};

/** Schema of an answer that shows a product. */
export const Product = (description: string, headers: object) =>
  Type.Object(MEMBERS, { title: 'Product', description, headers });

/** Schema of an answer that shows several. */
export const ProductList = (description: string, headers: object) =>
  Type.Array(Type.Object(MEMBERS, { title: 'Product' }), { description, headers });

/** The fields that a checked body names. */
export function fieldsOf(body: Static<typeof ChangedProduct>): ProductFields {
  const { sku, name, description, category, price, currency, stock, reorderLevel, status, images } = body;
  return {
    sku,
    name,
    description: description ?? undefined,
    category: category ?? undefined,
    price: price === undefined ? undefined : minorUnits(price),
    currency: currency ?? undefined,
    stock: stock ?? undefined,
    reorderLevel: reorderLevel ?? undefined,
    status: statusOf(status ?? undefined),
    images: images ?? [],
  };
}

/** A status in the core's terms. */
export function statusOf(name: StatusName | undefined): ProductStatus {
  return ProductStatus[`${STATUS_PREFIX}${name ?? 'UNSPECIFIED'}`];
}

/** A product as it is shown. `apiRoot` is the path that its images' paths begin with: apiRootOf(request). */
export function productBody(product: ProductMessage, apiRoot: string) {
  const { id, tenantId, sku, name, description, category, price, currency, stock, reorderLevel, status } = product;
  return {
    id,
    tenantId,
    sku,
    name,
    description,
    category,
    price: amountOf(price),
    currency,
    stock,
    reorderLevel,
    status: productStatusToJSON(status).slice(STATUS_PREFIX.length) as StatusName,
    images: imagesBody(product.images, `${apiRoot}/products/${id}/images`),
    createdAt: sent(product.createdAt, 'time').toISOString(),
    updatedAt: sent(product.updatedAt, 'time').toISOString(),
  };
}
