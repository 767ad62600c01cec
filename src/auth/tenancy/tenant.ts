import { TenantStatus as StatusMessage } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';
import { SLUG_PATTERN } from '../../platform/formats/names.ts';

/** Whether the credentials of a tenant work. */
export const TENANT_STATUS = enumNames(StatusMessage, 'TENANT_STATUS_');
export type TenantStatus = (typeof TENANT_STATUS.names)[number];

export interface Tenant {
  /** Slug chosen at creation: `[a-z0-9-]{1,63}`. */
  readonly id: string;
  readonly name: string;
  readonly status: TenantStatus;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

export function isTenantId(text: string): boolean {
  return SLUG_PATTERN.test(text);
}
