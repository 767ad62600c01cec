// The columns of the accounts table, as accounts.
import {
  exactText,
  flag,
  id,
  list,
  optional,
  optionalTenant,
  selected,
  text,
  time,
} from '../../platform/db/columns.ts';
import { hexOf, hexToId } from '../../platform/db/ids.ts';
import { defineRecord, type ValuesOf } from '../../platform/db/record.ts';
import type { Row, Statements } from '../../platform/db/types.ts';
import { NO_FACTORS, type Account, type EndedSessions, type FactorMethod } from '../access/account.ts';
import type { Definitions, DefinitionsReader } from '../access/roles/definitions.ts';
import type { TenantStatus } from '../tenancy/tenant.ts';
import type { AccountWithTenant } from './authentication/eligibility.ts';

/** The fields that change, by administrators and by mails. */
const FIELDS = {
  name: text('name'),
  email: optional(text('email')),
  emailVerifiedAt: optional(time('email_verified_at')),
  invitationExpiresAt: optional(time('invitation_expires_at')),
  roles: list('roles'),
  disabled: flag('disabled'),
  disableAt: optional(time('disable_at')),
  resourceServer: flag('resource_server'),
  accountExpiresAt: optional(time('account_expires_at')),
  credentialsExpireAt: optional(time('credentials_expire_at')),
  passwordTemporaryUntil: optional(time('password_temporary_until')),
  accessCodeUntil: optional(time('access_code_until')),
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
  // account-lock.ts writes the lock, factor-store.ts the factors, account-store.ts the password and the end of the sessions.
  selected: {
    updatedAt: selected(
      (a) => `${a}.updated_at`,
      (at: number) => at,
    ),
    version: selected(
      (a) => `${a}.version`,
      (version: number) => version,
    ),
    lastLoginAt: selected(
      (a) => `${a}.last_login_at`,
      (at: number) => (at === 0 ? undefined : at),
    ),
    hasPassword: selected(
      (a) => `${a}.password_hash IS NOT NULL`,
      (is: number) => is === 1,
    ),
    passwordVersion: selected(
      (a) => `${a}.password_version`,
      (version: number) => version,
    ),
    loginFailedCount: selected(
      (a) => `${a}.login_failed_count`,
      (count: number) => count,
    ),
    lockedUntil: selected(
      (a) => `${a}.locked_until`,
      (until: number | null) => until ?? undefined,
    ),
    factors: selected((a) => `${a}.factors`, factorsOf),
    factorsVersion: selected(
      (a) => `${a}.factors_version`,
      (version: number) => version,
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
export const ACCOUNT_COLUMNS = `${ACCOUNT.select('a')}, t.status AS tenant_status, t.definitions_version AS definitions_version`;

/** As many columns without values, for the other rows of a UNION. */
export const NO_ACCOUNT_COLUMNS = `${ACCOUNT.select('a', () => 'NULL')}, NULL, NULL`;

/** An account, and what its tenant defines. */
export interface FoundAccount extends AccountWithTenant {
  readonly account: Account;
  readonly definitions: Definitions;
}

/**
 * Converts rows of these columns. Reads the definitions of the tenants that have changed since the process read them.
 *
 * @param tx The transaction that has read the rows, if it has changed or locked something.
 */
export async function readAccounts(
  rows: readonly Row[],
  definitions: DefinitionsReader,
  tx?: Statements,
): Promise<FoundAccount[]> {
  const accounts = rows.map((row) => ACCOUNT.read(row));
  const keyOf = (index: number) => ({
    tenantId: accounts[index]!.tenantId,
    version: rows[index]!['definitions_version'] as number | null,
  });
  const known = rows.map((_row, index) => definitions.current(keyOf(index)));
  // Waits for none if all are known: a promise for each row is a part of the cost of a bearer check.
  const defined = known.every((one) => one !== undefined)
    ? known
    : await Promise.all(known.map(async (one, index) => one ?? definitions.load(keyOf(index), tx)));
  return rows.map((row, index) => {
    const stored = accounts[index]!;
    const ofTenant = defined[index]!;
    const status = row['tenant_status'] as TenantStatus | null;
    return {
      account: Object.assign(stored, { rights: ofTenant.rightsOf(stored.roles) }),
      tenantStatus: status ?? undefined,
      definitions: ofTenant,
    };
  });
}

function factorsOf(stored: string): readonly FactorMethod[] {
  return stored === '' ? NO_FACTORS.factors : (stored.split(',') as FactorMethod[]);
}

function endedSessionsOf(stored: string | null): EndedSessions | undefined {
  if (stored === null) return undefined;
  const [through, at] = stored.split(' ') as [string, string];
  return { through: hexToId(through), at: Number(at) };
}
