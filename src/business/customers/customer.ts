import { CustomerStatus as StatusMessage } from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { searchText } from '../../db/query/search-text.ts';
import { enumNames } from '../../formats/enum-names.ts';

/** Whether a customer may order: BLOCKED ones may not. */
export const CUSTOMER_STATUS = enumNames(StatusMessage, 'CUSTOMER_STATUS_');
export type CustomerStatus = (typeof CUSTOMER_STATUS.names)[number];

/** What a caller may set. */
export interface CustomerFields {
  readonly name: string;
  readonly email: string | undefined;
  /** As it was given. */
  readonly phone: string | undefined;
  /** Postal address, in lines. */
  readonly address: string | undefined;
  readonly status: CustomerStatus;
}

export interface Customer extends CustomerFields {
  /** UUIDv7. */
  readonly id: string;
  readonly tenantId: string;
  /** Unix milliseconds, like all times here. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Rises with every change. */
  readonly version: number;
}

/** What e-mail addresses are compared by: letter case does not count. */
export function emailKey(email: string): Buffer {
  return searchText(email);
}

/** What telephone numbers are compared by: their ASCII digits. */
export function phoneDigits(phone: string): string {
  return phone.replaceAll(/\D/g, '');
}
