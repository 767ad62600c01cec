import {
  CustomerStatus as StatusMessage,
  type Customer as CustomerMessage,
  type CustomerNote as NoteMessage,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Customer, CustomerStatus } from './customer.ts';
import type { CustomerNote } from './customer-note-store.ts';

const STATUSES: Readonly<Record<CustomerStatus, StatusMessage>> = {
  ACTIVE: StatusMessage.CUSTOMER_STATUS_ACTIVE,
  INACTIVE: StatusMessage.CUSTOMER_STATUS_INACTIVE,
  BLOCKED: StatusMessage.CUSTOMER_STATUS_BLOCKED,
};

/** A customer in the terms of its proto message. */
export function customerMessage({ status, createdAt, updatedAt, ...customer }: Customer): CustomerMessage {
  return { ...customer, status: STATUSES[status], createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}

/** A note in the terms of its proto message. */
export function noteMessage({ customerId: _customerId, createdAt, ...note }: CustomerNote): NoteMessage {
  return { ...note, createdAt: new Date(createdAt) };
}
