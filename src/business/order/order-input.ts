// What new and changed orders may be: the rules of their fields.
import {
  OrderStatus as StatusMessage,
  PaymentMethod as PaymentMethodMessage,
  type OrderFields as FieldsMessage,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { isId } from '../../db/ids.ts';
import type { RequestCheck } from '../../request-check.ts';
import { unknownReference } from '../reference.ts';
import type { OrderDetails } from './order.ts';
import { checkLines, type OrderLine } from './order-lines.ts';
import { orderStatusOf, paymentMethodOf } from './order-message.ts';
import { ORDER_STATUSES, type OrderStatus } from './order-status.ts';
import { PAYMENT_METHODS, type PaymentMethod } from './payment-method.ts';

const MAX_ADDRESS = 1_000;
const MAX_NOTE = 2_000;

/** What a caller may set. */
export interface OrderFields extends OrderDetails {
  readonly lines: readonly OrderLine[];
}

type Reader = (check: RequestCheck, fields: FieldsMessage) => Partial<OrderFields>;

/** How each field is read, by its path in an update mask; one that is absent gets its default, which is none. */
const READERS = {
  customer_id: (check, { customerId }) => ({ customerId: checkCustomerId(check, customerId) }),
  items: (check, { items }) => ({ lines: checkLines(check, items) }),
  payment_method: (check, { paymentMethod }) => ({ paymentMethod: checkPaymentMethod(check, paymentMethod) }),
  delivery_date: (check, { deliveryDate }) => ({ deliveryDate: checkDate(check, deliveryDate) }),
  delivery_address: (check, { deliveryAddress }) => ({
    deliveryAddress: check.optionalText('deliveryAddress', deliveryAddress, MAX_ADDRESS),
  }),
  note: (check, { note }) => ({ note: checkNote(check, note) }),
} satisfies Readonly<Record<string, Reader>>;

type FieldPath = keyof typeof READERS;

/** The fields that can be meant by a change, by their paths in an update mask. */
export const ORDER_FIELDS = Object.keys(READERS) as readonly FieldPath[];

/** All fields of a new order. */
export function newFields(check: RequestCheck, fields: FieldsMessage | undefined): OrderFields {
  return changedFields(check, fields, new Set(ORDER_FIELDS)) as OrderFields;
}

/** The fields that are meant. */
export function changedFields(
  check: RequestCheck,
  fields: FieldsMessage = NONE,
  meant: ReadonlySet<FieldPath>,
): Partial<OrderFields> {
  const read = ORDER_FIELDS.filter((path) => meant.has(path)).map((path) => READERS[path](check, fields));
  return Object.assign({}, ...read) as Partial<OrderFields>;
}

const NONE: FieldsMessage = { items: [], paymentMethod: PaymentMethodMessage.PAYMENT_METHOD_UNSPECIFIED };

/** A note of 1-2,000 characters. */
export function checkNote(check: RequestCheck, note: string | undefined): string | undefined {
  return check.optionalText('note', note, MAX_NOTE);
}

/** A status by its message; undefined where none is given. */
export function checkStatus(check: RequestCheck, message: StatusMessage): OrderStatus | undefined {
  const status = orderStatusOf(message);
  if (status === undefined && message !== StatusMessage.ORDER_STATUS_UNSPECIFIED) {
    violateEnum(check, 'status', ORDER_STATUSES);
  }
  return status;
}

function checkPaymentMethod(check: RequestCheck, message: PaymentMethodMessage): PaymentMethod | undefined {
  const method = paymentMethodOf(message);
  if (method === undefined && message !== PaymentMethodMessage.PAYMENT_METHOD_UNSPECIFIED) {
    violateEnum(check, 'paymentMethod', PAYMENT_METHODS);
  }
  return method;
}

function violateEnum(check: RequestCheck, field: string, allowed: readonly string[]): void {
  check.violate({
    message: `must be one of ${allowed.join(', ')}`,
    format: 'enum',
    props: [field],
    params: { allowed },
  });
}

function checkCustomerId(check: RequestCheck, customerId: string | undefined): string {
  if (customerId === undefined) check.missing('customerId');
  else if (!isId(customerId)) check.violate(unknownReference('customerId'));
  return customerId ?? '';
}

/** A day of the calendar, YYYY-MM-DD. */
function checkDate(check: RequestCheck, date: string | undefined): string | undefined {
  if (date !== undefined && !isDate(date)) {
    check.violate({ message: 'must be a day, YYYY-MM-DD', format: 'date', props: ['deliveryDate'] });
  }
  return date;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  // Days that a month has not are carried into the next by Date.
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
