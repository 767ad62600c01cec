import { TenantStatus as StatusMessage } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { enumName, exactText, text, time } from '../../platform/db/columns.ts';
import { searchText } from '../../platform/db/query/search-text.ts';
import { defineRecord, type ValuesOf } from '../../platform/db/record.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';
import { SLUG_PATTERN } from '../../platform/formats/names.ts';

/** Whether the credentials of a tenant work. */
export const TENANT_STATUS = enumNames(StatusMessage, 'TENANT_STATUS_');
export type TenantStatus = (typeof TENANT_STATUS.names)[number];

const COLUMNS = {
  /** Slug chosen at creation: `[a-z0-9-]{1,63}`. */
  id: exactText('id'),
  name: text('name'),
  status: enumName('status', TENANT_STATUS),
  createdAt: time('created_at'),
};

export const TENANT = defineRecord('tenants', {
  fixed: COLUMNS,
  fields: {},
  computed: {
    updated_at: ({ createdAt }) => createdAt,
    search_text: ({ id, name }) => searchText(id, name),
  },
});
export type Tenant = ValuesOf<typeof COLUMNS>;

export function isTenantId(text: string): boolean {
  return SLUG_PATTERN.test(text);
}
