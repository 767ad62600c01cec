// Lists of accounts. account-store.ts writes their rows.
import { builderOf } from '../../db/query/builder.ts';
import { queryPage } from '../../db/query/page-query.ts';
import { searchText } from '../../db/query/search-text.ts';
import { inScope, tenantScope, type AdminScope } from '../../db/query/tenant-scope.ts';
import { hexOf, hexToId } from '../../db/ids.ts';
import type { Database, Statements } from '../../db/types.ts';
import type { Page } from '../../db/query/page.ts';
import type { Account, Role } from '../../principal/account.ts';
import { ACCOUNT_COLUMNS, toAccountWithTenant, type AccountRow } from '../account-row.ts';

export interface AccountFilter {
  readonly interactive: boolean;
  /** Part of the username, the name or the e-mail address; case-insensitive. */
  readonly query: string | undefined;
  readonly role?: Role | undefined;
  readonly disabled: boolean | undefined;
}

/** Accounts within a scope, newest first. Their ids ascend with time. */
export async function selectAccounts(
  database: Database,
  scope: AdminScope,
  { interactive, query, role, disabled }: AccountFilter,
  page: Page,
): Promise<{ readonly accounts: readonly Account[]; readonly total: number }> {
  const { items: accounts, total } = await queryPage(
    database,
    {
      from: 'accounts as a',
      key: 'a.id',
      order: 'desc',
      within: inScope('a.tenant_id', scope),
      matching: (accounts) => {
        void accounts.where('a.interactive', interactive ? 1 : 0);
        if (query !== undefined) void accounts.whereRaw('INSTR(a.search_text, ?) > 0', [searchText(query)]);
        if (role !== undefined) void accounts.whereRaw("INSTR(CONCAT(',', a.roles, ','), ?) > 0", [`,${role},`]);
        if (disabled !== undefined) void accounts.where('a.disabled', disabled ? 1 : 0);
      },
      select: (accounts) =>
        accounts.leftJoin('tenants as t', 't.id', 'a.tenant_id').select(builderOf(database).raw(ACCOUNT_COLUMNS)),
      read: (row: AccountRow) => toAccountWithTenant(row).account,
    },
    page,
  );
  return { accounts, total };
}

/** Returns the ids of accounts of a tenant, at most `limit`. */
export async function selectAccountIds(db: Statements, tenantId: string, limit: number): Promise<string[]> {
  const rows = await tenantScope(db, tenantId).query<{ id: string }>(
    `SELECT ${hexOf('id')} AS id FROM accounts WHERE tenant_id = :tenant LIMIT ${limit}`,
    [],
  );
  return rows.map(({ id }) => hexToId(id));
}
