import type {
  Customer as CustomerMessage,
  CustomerFields as FieldsMessage,
  CustomerNote as NoteMessage,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { CUSTOMER_STATUS, type Customer, type CustomerFields } from './customer.ts';
import type { CustomerNote } from './customer-note-store.ts';

/** A customer in the terms of its proto message. */
export function customerMessage({ status, createdAt, updatedAt, ...customer }: Customer): CustomerMessage {
  return {
    ...customer,
    status: CUSTOMER_STATUS.valueOf(status),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

/** The fields of a checked request; a name that is meant is there. */
export function customerFields({ status, ...fields }: Partial<FieldsMessage>): Partial<CustomerFields> {
  const changes = { ...fields, ...(status !== undefined && { status: CUSTOMER_STATUS.nameOf(status) }) };
  return changes as Partial<CustomerFields>;
}

/** A note in the terms of its proto message. */
export function noteMessage({ customerId: _customerId, createdAt, ...note }: CustomerNote): NoteMessage {
  return { ...note, createdAt: new Date(createdAt) };
}
