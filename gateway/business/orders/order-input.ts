// Orders as requests describe them.
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import Type from 'typebox';
import type { Static } from 'typebox';
import type { OrderFields } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { clearable, ignored, RECORD_MEMBERS, Text } from '../fields.ts';
import { PAYMENT_METHODS, paymentMethodOf } from './codes.ts';

/**
 * Bytes of a body. What a GET has shown of an order must fit when it comes back: 200 items with names of 200 characters, for
 * each of which some clients write six (`\u00e9`).
 */
export const MAX_ORDER_BYTES = 327_680;

const MAX_ITEMS = 200;
const MAX_QUANTITY = 9_999;

const Line = Type.Object(
  {
    productId: Type.String({ description: 'An ACTIVE product.' }),
    quantity: Type.Integer({
      minimum: 1,
      maximum: MAX_QUANTITY,
      description: 'Pieces. Lines of the same product are added up, and the sum has the same bound.',
    }),
    ...ignored('name', 'unitPrice', 'lineTotal'),
  },
  { title: 'OrderLine', additionalProperties: false },
);

const REQUIRED = {
  customerId: Type.String({ description: 'Who orders: a customer that is not BLOCKED.' }),
  items: Type.Array(Line, { minItems: 1, maxItems: MAX_ITEMS, description: 'All of one currency.' }),
};
const OPTIONAL = {
  paymentMethod: clearable(Type.Enum([...PAYMENT_METHODS], { description: 'How it is paid.' })),
  deliveryDate: clearable(Type.String({ format: 'date', description: 'On which day it is wanted, YYYY-MM-DD.' })),
  deliveryAddress: clearable(Text(1_000, 'Where it is wanted.')),
  note: clearable(Text(2_000, 'What else is to be known.')),
};
const COMPUTED = {
  ...ignored('number', 'total', 'currency', 'status', 'productionPhotos', 'deliveryPhotos'),
  ...RECORD_MEMBERS,
};

// A page that shows the description offers the examples of bodies to send; the ids are to be put in.
const EXAMPLE = {
  customerId: 'id of a customer',
  items: [{ productId: 'id of a product', quantity: 2 }],
  paymentMethod: 'CARD',
  deliveryAddress: '1 Main Street',
};

/** Body of a POST. */
export const NewOrder = Type.Object(
  { ...REQUIRED, ...OPTIONAL, ...COMPUTED },
  { additionalProperties: false, description: 'An order to be placed.', examples: [EXAMPLE] },
);

/** Body of a PUT. */
export const ReplacedOrder = Type.Object(
  { ...REQUIRED, ...OPTIONAL, ...COMPUTED },
  {
    additionalProperties: false,
    description: 'What an order is to be; its status and its photos stay as they are.',
    examples: [EXAMPLE],
  },
);

/** Body of a PATCH. */
export const ChangedOrder = Type.Object(
  {
    customerId: Type.Optional(REQUIRED.customerId),
    items: Type.Optional(REQUIRED.items),
    ...OPTIONAL,
    ...COMPUTED,
  },
  {
    additionalProperties: false,
    description: 'What is to change of an order; null stands for none.',
    examples: [{ note: 'Ring twice.' }],
  },
);

/** A hook: tells of too many items without a look at each of them, which would take as long as they are many. */
export function refuseTooManyItems(
  { body }: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const { items } = (body ?? {}) as { readonly items?: unknown };
  if (!Array.isArray(items) || items.length <= MAX_ITEMS) return done();
  const message = `must NOT have more than ${MAX_ITEMS} items`;
  const violation = { message, format: 'maxItems', props: ['items'], params: { limit: MAX_ITEMS } };
  done(new GatewayError('VALIDATION_ERROR', 'Request validation failed', [violation]));
}

/** What may be set, with the paths of an update mask. */
export const ORDER_PATHS = {
  customerId: 'customer_id',
  items: 'items',
  paymentMethod: 'payment_method',
  deliveryDate: 'delivery_date',
  deliveryAddress: 'delivery_address',
  note: 'note',
};

/** The fields that a checked body names. */
export function fieldsOf(body: Static<typeof ChangedOrder>): OrderFields {
  const { customerId, items = [], paymentMethod, deliveryDate, deliveryAddress, note } = body;
  return {
    customerId,
    items: items.map(({ productId, quantity }) => ({ productId, quantity })),
    paymentMethod: paymentMethodOf(paymentMethod ?? undefined),
    deliveryDate: deliveryDate ?? undefined,
    deliveryAddress: deliveryAddress ?? undefined,
    note: note ?? undefined,
  };
}
