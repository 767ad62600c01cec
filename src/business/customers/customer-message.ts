import type {
  Customer as CustomerMessage,
  CustomerFields as FieldsMessage,
  CustomerNote as NoteMessage,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { CUSTOMER_STATUS, type Customer, type CustomerFields } from './customer.ts';
import type { CustomerNote } from './customer-note-store.ts';

/** Converts a customer to its proto message. */
export function customerMessage(customer: Customer): CustomerMessage {
  return {
    id: customer.id,
    tenantId: customer.tenantId,
    name: customer.name,
    email: customer.email,
    phone: customer.phone,
    address: customer.address,
    status: CUSTOMER_STATUS.valueOf(customer.status),
    createdAt: new Date(customer.createdAt),
    updatedAt: new Date(customer.updatedAt),
    version: customer.version,
  };
}

/** Returns the masked fields of a validated request. If the name is masked, it is present. */
export function customerFields({ status, ...fields }: Partial<FieldsMessage>): Partial<CustomerFields> {
  const changes = { ...fields, ...(status !== undefined && { status: CUSTOMER_STATUS.nameOf(status) }) };
  return changes as Partial<CustomerFields>;
}

/** Converts a note to its proto message. */
export function noteMessage({ customerId: _customerId, createdAt, ...note }: CustomerNote): NoteMessage {
  return { ...note, createdAt: new Date(createdAt) };
}
