// What the endpoints of customers have in common: their schemas, and the translation between JSON and the core's messages.
import Type from 'typebox';
import type { Static } from 'typebox';
import {
  CustomerStatus,
  customerStatusToJSON,
  type Customer as CustomerMessage,
  type CustomerFields,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { clearable, leftOut, RECORD_MEMBERS, Text, Time } from '../fields.ts';
import { sent } from '../sent.ts';

/** The statuses that a customer can have. */
export const STATUS_NAMES = ['ACTIVE', 'INACTIVE', 'BLOCKED'] as const;
type StatusName = (typeof STATUS_NAMES)[number];
const STATUS_PREFIX = 'CUSTOMER_STATUS_';

/** Any text: one that cannot be an id names no customer. */
export const CustomerParams = Type.Object({ id: Type.String({ description: 'Id of the customer.' }) });
export type CustomerParams = Static<typeof CustomerParams>;

/** An e-mail address that a caller gives; what one is, the core knows. */
export const Email = Type.String({
  minLength: 3,
  maxLength: 320,
  description: 'E-mail address of 3-320 characters.',
  examples: ['ann@example.org'],
});

/** A telephone number that a caller gives. */
export const Phone = Type.String({
  maxLength: 50,
  pattern: '[0-9]',
  description: 'Telephone number of 1-50 characters, digits among them.',
  examples: ['+49 (30) 123'],
});

const Name = Text(200, 'Of the person or the company.');
const OPTIONAL = {
  email: clearable(Email),
  phone: clearable(Phone),
  address: clearable(Text(1_000, 'Postal address.')),
  status: clearable(Type.Enum([...STATUS_NAMES], { description: 'BLOCKED ones may not order. Default ACTIVE.' })),
};

/** Body of a POST. */
export const NewCustomer = Type.Object(
  { name: Name, ...OPTIONAL, ...RECORD_MEMBERS },
  {
    additionalProperties: false,
    description: 'A customer to be added.',
    examples: [{ name: 'Ann Example', email: 'ann@example.org', phone: '+49 (30) 123', address: '1 Main Street' }],
  },
);

/** Body of a PATCH. */
export const ChangedCustomer = Type.Object(
  { name: Type.Optional(Name), ...OPTIONAL, ...RECORD_MEMBERS },
  {
    additionalProperties: false,
    description: 'What is to change of a customer; null stands for the default.',
    examples: [{ phone: null, address: '2 Main Street' }],
  },
);

/** Body of a PATCH of the status alone. */
export const ChangedStatus = Type.Object(
  { status: Type.Enum([...STATUS_NAMES]), ...RECORD_MEMBERS },
  { additionalProperties: false, description: 'A new status for a customer.', examples: [{ status: 'BLOCKED' }] },
);

/** What may be set, with the paths of an update mask. */
export const CUSTOMER_PATHS = { name: 'name', email: 'email', phone: 'phone', address: 'address', status: 'status' };

const MEMBERS = {
  id: Type.String(),
  tenantId: Type.String(),
  name: Type.String({ description: 'Of the person or the company.' }),
  email: leftOut(Type.String({ description: 'E-mail address.' })),
  phone: leftOut(Type.String({ description: 'Telephone number, as it was given.' })),
  address: leftOut(Type.String({ description: 'Postal address.' })),
  status: Type.Enum([...STATUS_NAMES]),
  createdAt: Time('When it was added.'),
  updatedAt: Time('When it was last changed.'),
};

/** Schema of an answer that shows a customer. */
export const Customer = (description: string, headers: object) =>
  Type.Object(MEMBERS, { title: 'Customer', description, headers });

/** Schema of an answer that shows several. */
export const CustomerList = (description: string, headers: object) =>
  Type.Array(Type.Object(MEMBERS, { title: 'Customer' }), { description, headers });

/** The fields that a checked body names. */
export function fieldsOf({ name, email, phone, address, status }: Static<typeof ChangedCustomer>): CustomerFields {
  return {
    name,
    email: email ?? undefined,
    phone: phone ?? undefined,
    address: address ?? undefined,
    status: statusOf(status ?? undefined),
  };
}

/** A status in the core's terms. */
export function statusOf(name: StatusName | undefined): CustomerStatus {
  return CustomerStatus[`${STATUS_PREFIX}${name ?? 'UNSPECIFIED'}`];
}

/** A customer as it is shown. */
export function customerBody({ version: _version, ...customer }: CustomerMessage) {
  return {
    ...customer,
    status: customerStatusToJSON(customer.status).slice(STATUS_PREFIX.length) as StatusName,
    createdAt: sent(customer.createdAt, 'time').toISOString(),
    updatedAt: sent(customer.updatedAt, 'time').toISOString(),
  };
}
