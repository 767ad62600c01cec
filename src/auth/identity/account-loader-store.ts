// Reads of accounts by id that share one statement: every bearer check needs one.
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { batchLoader } from '../../platform/db/query/batch-loader.ts';
import { pairsIn, useIndex } from '../../platform/db/query/hints.ts';
import type { Database, Row } from '../../platform/db/types.ts';
import type { Account } from '../access/account.ts';
import type { DefinitionsReader } from '../access/roles/definitions.ts';
import { ofRevoked, revocationValues } from '../token/blacklist.ts';
import { ACCOUNT_COLUMNS, NO_ACCOUNT_COLUMNS, readAccounts, type FoundAccount } from './account-row.ts';

/** The account of a token. */
interface TokenLookup {
  /** Whether the session or the token is revoked. */
  readonly isRevoked: boolean;
  readonly account: FoundAccount | undefined;
}

type AccountKey = Pick<Account, 'tenantId' | 'id'>;

const WITH_TENANT = 'LEFT JOIN tenants t ON t.id = a.tenant_id';
export const ACCOUNT_SOURCE = `accounts a ${WITH_TENANT}`;

export function createAccountLoaders(database: Database, definitions: DefinitionsReader) {
  // Otherwise MariaDB estimates the rows of each pair in five indexes, and reads a page of each from the disk if it is not in memory.
  const byPrimaryKey = `${useIndex(database, 'accounts', 'a', 'PRIMARY')} ${WITH_TENANT}`;
  const byKey = batchLoader(async (keys) => {
    const rows = await database.query(
      `SELECT ${ACCOUNT_COLUMNS} FROM ${byPrimaryKey} WHERE ${pairsIn(database.engine, 'a.tenant_id, a.id', keys.length)}`,
      keys.flatMap((key) => {
        const at = key.lastIndexOf('/');
        return [Buffer.from(key.slice(0, at)), idToBytes(key.slice(at + 1))];
      }),
    );
    const accounts = await readAccounts(rows, definitions);
    return new Map(accounts.map((found) => [loaderKey(found.account), found]));
  });
  const byToken = batchLoader(async (keys) => {
    const parts = keys.map((key) => key.split('/') as [tenant: string, id: string, ...revocationIds: string[]]);
    const ids = [...new Set(parts.flatMap(([, , ...revocationIds]) => revocationIds))];
    const rows = await database.query(
      `SELECT ${ACCOUNT_COLUMNS}, NULL AS revoked_id FROM ${byPrimaryKey}
        WHERE ${pairsIn(database.engine, 'a.tenant_id, a.id', keys.length)}
        UNION ALL SELECT ${NO_ACCOUNT_COLUMNS}, ${hexOf('b.id')} ${ofRevoked(ids.length)}`,
      [...parts.flatMap(([tenant, id]) => [Buffer.from(tenant), idToBytes(id)]), ...revocationValues(ids)],
    );
    const isAccount = (row: Row) => row['revoked_id'] === null;
    const found = await readAccounts(rows.filter(isAccount), definitions);
    const accounts = new Map(found.map((one) => [loaderKey(one.account), one]));
    const revoked = new Set(rows.filter((row) => !isAccount(row)).map((row) => hexToId(row['revoked_id'] as string)));
    return new Map(
      parts.map(([tenant, id, ...revocationIds], index): [string, TokenLookup] => [
        keys[index]!,
        { isRevoked: revocationIds.some((one) => revoked.has(one)), account: accounts.get(`${tenant}/${id}`) },
      ]),
    );
  });
  return {
    /** Reads an account of a tenant from the database at every call. Concurrent calls share one query. */
    find: (account: AccountKey) => byKey(loaderKey(account)),
    /** Reads an account, and whether an id of its tokens or of their key is revoked, at every call. Concurrent calls share one statement. */
    findByToken: (account: AccountKey, revocationIds: readonly string[]) =>
      byToken([loaderKey(account), ...revocationIds].join('/')) as Promise<TokenLookup>,
  };
}

/** The slash separates the parts unambiguously, because ids contain no slash. */
function loaderKey({ tenantId = '', id }: AccountKey): string {
  return `${tenantId}/${id}`;
}
