import { CustomerStatus as StatusMessage } from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { searchText } from '../../platform/db/query/search-text.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';

/** Whether a customer may order: BLOCKED ones may not. */
export const CUSTOMER_STATUS = enumNames(StatusMessage, 'CUSTOMER_STATUS_');
export type CustomerStatus = (typeof CUSTOMER_STATUS.names)[number];

/** The fields that a caller can set. */
export interface CustomerFields {
  readonly name: string;
  readonly email: string | undefined;
  /** Unchanged, as the caller sent it. */
  readonly phone: string | undefined;
  /** Postal address, in lines. */
  readonly address: string | undefined;
  readonly status: CustomerStatus;
}

export interface Customer extends CustomerFields {
  /** UUIDv7. */
  readonly id: string;
  readonly tenantId: string;
  /** Unix milliseconds, like all times in this interface. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Increases with every change. */
  readonly version: number;
}

/** Returns the key by which e-mail addresses are compared: case-insensitive. */
export function emailKey(email: string): Buffer {
  return searchText(email);
}

/** Returns the key by which telephone numbers are compared: their ASCII digits. */
export function phoneDigits(phone: string): string {
  return phone.replaceAll(/\D/g, '');
}
