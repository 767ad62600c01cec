import {
  type Customer as CustomerMessage,
  type CustomerFields as FieldsMessage,
  type CustomerNote as NoteMessage,
  CustomerStatus as StatusMessage,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { enumName, id, optional, tenant, text, time } from '../../platform/db/columns.ts';
import { searchText } from '../../platform/db/query/search-text.ts';
import {
  type Complete,
  type Insertable,
  type MessageOf,
  type ValuesOf,
  defineRecord,
} from '../../platform/db/record.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';
import { VERSIONED } from '../record-store.ts';
import { ServiceError } from '../../platform/errors.ts';
import { fieldRule } from '../../platform/rpc/field-rule.ts';

/** Whether a customer may order: BLOCKED ones may not. */
export const CUSTOMER_STATUS = enumNames(StatusMessage, 'CUSTOMER_STATUS_');
export type CustomerStatus = (typeof CUSTOMER_STATUS.names)[number];

/** The fields that a caller can set. */
const FIELDS = {
  name: text('name'),
  email: optional(text('email')),
  /** Unchanged, as the caller sent it. */
  phone: optional(text('phone')),
  /** Postal address, in lines. */
  address: optional(text('address')),
  status: enumName('status', CUSTOMER_STATUS),
};

export const CUSTOMER = defineRecord('customers', {
  fixed: VERSIONED,
  fields: FIELDS,
  computed: {
    email_key: ({ email }) => (email === undefined ? null : emailKey(email)),
    phone_digits: ({ phone }) => (phone === undefined ? null : Buffer.from(phoneDigits(phone))),
    search_text: ({ name, email, phone }) => searchText(name, email, phone),
  },
});
export type CustomerFields = ValuesOf<typeof FIELDS>;
export type Customer = CustomerFields & ValuesOf<typeof VERSIONED>;
/** A customer to insert: optional fields can be left out. */
export type NewCustomer = Insertable<Customer>;

/** Converts a customer to its proto message. */
export const customerMessage: (customer: Customer) => MessageOf<Customer, CustomerMessage> = CUSTOMER.toMessage;

/** Returns the fields of a validated request. */
export const customerFields = (message: FieldsMessage): CustomerFields => CUSTOMER.fromMessage(message);

/** Returns the masked fields of a validated request. */
export const customerChanges = (masked: Partial<FieldsMessage>): Partial<CustomerFields> =>
  CUSTOMER.fromMessage(masked);

const NOTE_COLUMNS = {
  tenantId: tenant('tenant_id'),
  customerId: id('customer_id'),
  id: id('id'),
  text: text('text'),
  /** Account id of the author. */
  authorId: id('author_id'),
  createdAt: time('created_at'),
};

export const CUSTOMER_NOTE = defineRecord('customer_notes', { fixed: NOTE_COLUMNS, fields: {} });
export type CustomerNote = ValuesOf<typeof NOTE_COLUMNS>;

/** Converts a note to its proto message. */
export function noteMessage(note: CustomerNote): NoteMessage {
  const { customerId: _customerId, ...message } = CUSTOMER_NOTE.toMessage(note);
  return message satisfies Complete<NoteMessage>;
}

/** Returns the key by which e-mail addresses are compared: case-insensitive. */
export function emailKey(email: string): Buffer {
  return searchText(email);
}

/** Returns the key by which telephone numbers are compared: their ASCII digits. */
export function phoneDigits(phone: string): string {
  return phone.replaceAll(/\D/g, '');
}

const { min: MIN_EMAIL, max: MAX_EMAIL } = fieldRule('authservice.business.v1.CustomerFields.email');
/** The size of the column. Normalization can turn one character into several. */
const MAX_EMAIL_KEY_BYTES = 4 * MAX_EMAIL;

/** Throws VALIDATION_ERROR if the normalized e-mail address exceeds its column. */
export function assertFoldedLength(email: string | undefined): void {
  if (email === undefined || emailKey(email).length <= MAX_EMAIL_KEY_BYTES) return;
  const message = `must have ${MIN_EMAIL} to ${MAX_EMAIL} characters`;
  const params = { minimum: MIN_EMAIL, maximum: MAX_EMAIL };
  throw new ServiceError('VALIDATION_ERROR', { violations: [{ message, format: 'length', props: ['email'], params }] });
}
