// The columns of the accounts table, as accounts.
import { bytesToId } from '../db/ids.ts';
import type { Role } from '../principal/account.ts';
import type { TenantStatus } from '../tenancy/tenant.ts';
import type { AccountWithTenant } from './authentication/eligibility.ts';

export interface AccountRow {
  id: Uint8Array;
  tenant_id: Uint8Array;
  username: Uint8Array;
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
  sessions_ended_through: Uint8Array | null;
  sessions_ended_at: number | null;
  tenant_status: TenantStatus | null;
}

/** The columns to select for an account `a` and its tenant `t`. */
export const ACCOUNT_COLUMNS = `a.id, a.tenant_id, a.username, a.name, a.email, a.interactive, a.roles, a.disabled, a.account_expires_at,
  a.credentials_expire_at, a.login_failed_count, a.locked_until, a.created_at, a.sessions_ended_through,
  a.sessions_ended_at, t.status AS tenant_status`;

/** Converts a row to an account. */
export function toAccountWithTenant(row: AccountRow): AccountWithTenant {
  return {
    account: {
      id: bytesToId(row.id),
      tenantId: textOf(row.tenant_id) || undefined,
      username: textOf(row.username),
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
        ? { through: bytesToId(row.sessions_ended_through), at: row.sessions_ended_at! }
        : undefined,
    },
    tenantStatus: row.tenant_status ?? undefined,
  };
}

/** Returns bytes as UTF-8 text. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
