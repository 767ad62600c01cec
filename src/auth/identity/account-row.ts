// The columns of the accounts table, as accounts.
import { hexOf, hexToId } from '../../platform/db/ids.ts';
import type { Role } from '../principal/account.ts';
import type { TenantStatus } from '../tenancy/tenant.ts';
import type { AccountWithTenant } from './authentication/eligibility.ts';

export interface AccountRow {
  id: string;
  tenant_id: string;
  username: string;
  name: string;
  email: string | null;
  interactive: number;
  roles: string;
  disabled: number;
  account_expires_at: number | null;
  credentials_expire_at: number | null;
  login_failed_count: number;
  locked_until: number | null;
  created_at: number;
  /** Empty or NULL if there is none: the engines differ. */
  sessions_ended_through: string | null;
  sessions_ended_at: number | null;
  tenant_status: TenantStatus | null;
}

/** The columns to select for an account `a` and its tenant `t`. */
export const ACCOUNT_COLUMNS = `${hexOf('a.id')} AS id, CAST(a.tenant_id AS CHAR) AS tenant_id,
  CAST(a.username AS CHAR) AS username, a.name, a.email, a.interactive, a.roles, a.disabled, a.account_expires_at,
  a.credentials_expire_at, a.login_failed_count, a.locked_until, a.created_at,
  ${hexOf('a.sessions_ended_through')} AS sessions_ended_through, a.sessions_ended_at, t.status AS tenant_status`;

/** Converts a row to an account. */
export function toAccountWithTenant(row: AccountRow): AccountWithTenant {
  return {
    account: {
      id: hexToId(row.id),
      tenantId: row.tenant_id || undefined,
      username: row.username,
      name: row.name,
      email: row.email ?? undefined,
      interactive: row.interactive === 1,
      roles: row.roles.split(',') as Role[],
      disabled: row.disabled === 1,
      accountExpiresAt: row.account_expires_at ?? undefined,
      credentialsExpireAt: row.credentials_expire_at ?? undefined,
      loginFailedCount: row.login_failed_count,
      lockedUntil: row.locked_until ?? undefined,
      createdAt: row.created_at,
      endedSessions: row.sessions_ended_through
        ? { through: hexToId(row.sessions_ended_through), at: row.sessions_ended_at! }
        : undefined,
    },
    tenantStatus: row.tenant_status ?? undefined,
  };
}
