// What new and changed customers may be: the rules of their fields.
import {
  CustomerStatus as StatusMessage,
  type CustomerFields as FieldsMessage,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { wrongLength, type RequestCheck } from '../../request-check.ts';
import { CUSTOMER_STATUSES, emailKey, phoneDigits, type CustomerFields, type CustomerStatus } from './customer.ts';

const MAX_NAME = 200;
const MIN_EMAIL = 3;
const MAX_EMAIL = 320;
/** What the column holds. Normalisation makes a few characters several. */
const MAX_EMAIL_KEY_BYTES = 4 * MAX_EMAIL;
const MAX_PHONE = 50;
const MAX_ADDRESS = 1_000;
const DEFAULT_STATUS = 'ACTIVE';

const STATUSES = new Map<StatusMessage, CustomerStatus | undefined>([
  [StatusMessage.CUSTOMER_STATUS_UNSPECIFIED, undefined],
  [StatusMessage.CUSTOMER_STATUS_ACTIVE, 'ACTIVE'],
  [StatusMessage.CUSTOMER_STATUS_INACTIVE, 'INACTIVE'],
  [StatusMessage.CUSTOMER_STATUS_BLOCKED, 'BLOCKED'],
]);

type FieldName = keyof CustomerFields;
type Readers = { readonly [Name in FieldName]: (check: RequestCheck, fields: FieldsMessage) => CustomerFields[Name] };

/** How each field is read; one that is absent gets its default. */
const READERS: Readers = {
  name: (check, { name }) => check.requiredText('name', name, MAX_NAME),
  email: (check, { email }) => checkEmail(check, email),
  phone: (check, { phone }) => checkPhone(check, phone),
  address: (check, { address }) => check.optionalText('address', address, MAX_ADDRESS),
  status: (check, { status }) => checkStatus(check, status) ?? DEFAULT_STATUS,
};

/** The fields that can be meant by a change. */
export const CUSTOMER_FIELDS = Object.keys(READERS) as readonly FieldName[];

/** All fields of a new customer. */
export function newFields(check: RequestCheck, fields: FieldsMessage = NONE): CustomerFields {
  return changedFields(check, fields, new Set(CUSTOMER_FIELDS)) as CustomerFields;
}

/** The fields that are meant, by name. */
export function changedFields(
  check: RequestCheck,
  fields: FieldsMessage = NONE,
  meant: ReadonlySet<FieldName>,
): Partial<CustomerFields> {
  const names = CUSTOMER_FIELDS.filter((name) => meant.has(name));
  return Object.fromEntries(names.map((name) => [name, READERS[name](check, fields)]));
}

const NONE: FieldsMessage = { status: StatusMessage.CUSTOMER_STATUS_UNSPECIFIED };

/** An e-mail address of 3-320 characters. */
export function checkEmail(check: RequestCheck, value: string | undefined): string | undefined {
  const email = check.optionalText('email', value, MAX_EMAIL);
  if (!email) return undefined;
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
    check.violate({ message: 'must be an e-mail address', format: 'email', props: ['email'] });
  } else if (emailKey(email).length > MAX_EMAIL_KEY_BYTES) {
    check.violate(wrongLength('email', MIN_EMAIL, MAX_EMAIL));
  }
  return email;
}

/** A telephone number: 1-50 characters, digits among them. */
export function checkPhone(check: RequestCheck, value: string | undefined): string | undefined {
  const phone = check.optionalText('phone', value, MAX_PHONE);
  if (phone && phoneDigits(phone) === '') {
    check.violate({ message: 'must hold digits', format: 'phone', props: ['phone'] });
  }
  return phone;
}

/** A status by its message; undefined where none is given. */
export function checkStatus(check: RequestCheck, status: StatusMessage): CustomerStatus | undefined {
  if (!STATUSES.has(status)) {
    const params = { allowed: CUSTOMER_STATUSES };
    check.violate({ message: 'must be a known status', format: 'enum', props: ['status'], params });
  }
  return STATUSES.get(status);
}

/** The same where one must be given. */
export function requiredStatus(check: RequestCheck, status: StatusMessage): CustomerStatus {
  if (status === StatusMessage.CUSTOMER_STATUS_UNSPECIFIED) check.missing('status');
  return checkStatus(check, status) ?? DEFAULT_STATUS;
}
