// The columns of the accounts table, as accounts.
import {
  exactText,
  flag,
  id,
  optional,
  optionalTenant,
  selected,
  text,
  time,
  type Column,
} from '../../platform/db/columns.ts';
import { hexOf, hexToId } from '../../platform/db/ids.ts';
import { defineRecord, type ValuesOf } from '../../platform/db/record.ts';
import type { Row } from '../../platform/db/types.ts';
import type { EndedSessions, Role } from '../principal/account.ts';
import type { TenantStatus } from '../tenancy/tenant.ts';
import type { AccountWithTenant } from './authentication/eligibility.ts';

const roles: Column<readonly Role[]> = {
  name: 'roles',
  fromSql: (stored: string) => stored.split(',') as Role[],
  toSql: (list) => list.join(','),
};

/** The fields that administrators change. */
const FIELDS = {
  name: text('name'),
  email: optional(text('email')),
  roles,
  disabled: flag('disabled'),
  accountExpiresAt: optional(time('account_expires_at')),
  credentialsExpireAt: optional(time('credentials_expire_at')),
};

export const ACCOUNT = defineRecord('accounts', {
  fixed: {
    id: id('id'),
    tenantId: optionalTenant('tenant_id'),
    username: exactText('username'),
    interactive: flag('interactive'),
    createdAt: time('created_at'),
  },
  fields: FIELDS,
  // account-lock.ts writes the lock, and account-store.ts the end of the sessions.
  selected: {
    loginFailedCount: selected(
      (a) => `${a}.login_failed_count`,
      (count: number) => count,
    ),
    lockedUntil: selected(
      (a) => `${a}.locked_until`,
      (until: number | null) => until ?? undefined,
    ),
    endedSessions: selected(
      (a) => `CASE WHEN ${a}.sessions_ended_through IS NOT NULL
        THEN CONCAT(${hexOf(`${a}.sessions_ended_through`)}, ' ', COALESCE(${a}.sessions_ended_at, 0)) END`,
      endedSessionsOf,
    ),
  },
});
export type AccountFields = ValuesOf<typeof FIELDS>;

/** The columns to select for an account `a` and its tenant `t`. */
export const ACCOUNT_COLUMNS = `${ACCOUNT.select('a')}, t.status AS tenant_status`;

/** Converts a row of these columns. */
export function toAccountWithTenant(row: Row): AccountWithTenant {
  const status = row['tenant_status'] as TenantStatus | null;
  return { account: ACCOUNT.read(row), tenantStatus: status ?? undefined };
}

function endedSessionsOf(stored: string | null): EndedSessions | undefined {
  if (stored === null) return undefined;
  const [through, at] = stored.split(' ') as [string, string];
  return { through: hexToId(through), at: Number(at) };
}
