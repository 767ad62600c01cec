// The api_keys table. Only SHA-256 is stored, because the keys are random.
import type { Deadline } from '../../platform/clock.ts';
import { batchLoader } from '../../platform/db/query/batch-loader.ts';
import { id, optional, optionalTenant, text, time } from '../../platform/db/columns.ts';
import { bytesToId, idToBytes } from '../../platform/db/ids.ts';
import { updateLastUses } from '../../platform/db/query/last-uses.ts';
import type { ListOrder } from '../../platform/db/query/list-order.ts';
import { queryPage } from '../../platform/db/query/page-query.ts';
import type { CursorPage, Found } from '../../platform/db/query/page.ts';
import { scopeCondition, tenantScope, type AdminScope, acrossTenants } from '../../platform/db/query/tenant-scope.ts';
import { defineRecord, type ValuesOf } from '../../platform/db/record.ts';
import type { Database, Row, Statements } from '../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../platform/errors.ts';
import { ACCOUNT_COLUMNS, readAccounts, type FoundAccount } from '../identity/account-row.ts';
import { createDefinitions, type DefinitionsReader } from '../access/roles/definitions.ts';

const ADDRESS = { tenantId: optionalTenant('tenant_id'), accountId: id('account_id'), id: id('id') };
/** Identifies a key: its account, and its id within the account. */
export type ApiKeyAddress = ValuesOf<typeof ADDRESS>;

const expiresAt = optional(time('expires_at'));

const COLUMNS = {
  ...ADDRESS,
  label: text('label'),
  /** The first characters of the key. */
  prefix: text('prefix'),
  createdAt: time('created_at'),
  /** Account id of the administrator. */
  createdBy: id('created_by'),
  expiresAt,
  lastUsedAt: optional(time('last_used_at')),
};

export const API_KEY = defineRecord('api_keys', { fixed: COLUMNS, fields: {} });
export type ApiKey = ValuesOf<typeof COLUMNS>;

const STANDING_COLUMNS = { ...ADDRESS, expiresAt, revokedAt: optional(time('revoked_at')) };
const STANDING = defineRecord('api_keys', { fixed: STANDING_COLUMNS, fields: {} });
/** The data needed to check a presented key. */
export type ApiKeyStanding = ValuesOf<typeof STANDING_COLUMNS>;

/** A key with its account, read by one query. */
interface ApiKeyWithOwner extends ApiKeyStanding {
  readonly owner: FoundAccount;
}

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

type OwnedRow = Row & {
  key_hash: Uint8Array;
  key_id: Uint8Array;
  key_expires_at: number | null;
  revoked_at: number | null;
};

// A key never outlives its account.
const OWNED = `SELECT k.key_hash, k.id AS key_id, k.expires_at AS key_expires_at, k.revoked_at, ${ACCOUNT_COLUMNS}
   FROM api_keys k JOIN accounts a ON a.tenant_id = k.tenant_id AND a.id = k.account_id LEFT JOIN tenants t ON t.id = a.tenant_id`;
const STANDINGS = `SELECT ${STANDING.select('k')} FROM api_keys k`;
const OF_ALL_TENANTS = acrossTenants('a call begins with an API key');
const UNREVOKED = 'tenant_id = :tenant AND account_id = ? AND revoked_at IS NULL';

/** Newest first: ids ascend with time. */
export const API_KEY_ORDER: ListOrder = { key: [{ column: 'k.id', kind: 'id' }], descending: true };

/** @param definitions Default: a reader of its own. */
export function createApiKeyStore(database: Database, definitions: DefinitionsReader = createDefinitions(database)) {
  const before = database.beforeDeadline;
  return {
    /**
     * Stores a key. Rejects with DependencyUnavailableError if the deadline has passed or the account was deleted
     * meanwhile.
     */
    async insert(tx: Statements, key: ApiKey, hash: Buffer, deadline: Deadline): Promise<void> {
      const inserted = await tenantScope(tx, key.tenantId).execute(
        `INSERT INTO api_keys (${API_KEY.names}, key_hash)
         SELECT ${API_KEY.placeholders}, ? FROM accounts WHERE tenant_id = :tenant AND id = ? AND ${before}`,
        [...API_KEY.insertValues(key), hash, idToBytes(key.accountId), database.deadlineValue(deadline)],
      );
      if (inserted === 0) throw new DependencyUnavailableError('the deadline passed before the key was stored');
    },

    /**
     * The key with this SHA-256, in hex, and its account. Reads from the database at every call. Concurrent calls share
     * one query.
     */
    findByHash: batchLoader(async (hashes) => {
      const rows = await database.query<OwnedRow>(
        `${OWNED} WHERE ${OF_ALL_TENANTS} AND k.key_hash IN (${hashes.map(() => '?').join(',')})`,
        hashes.map((hash) => Buffer.from(hash, 'hex')),
      );
      const owners = await readAccounts(rows, definitions);
      return new Map(
        rows.map((row, index) => [Buffer.from(row.key_hash).toString('hex'), withOwner(row, owners[index]!)]),
      );
    }),

    /** The key with this SHA-256, if it is within a scope. */
    async findInScope(scope: AdminScope, hash: Buffer): Promise<ApiKeyStanding | undefined> {
      const { sql, values } = scopeCondition('tenant_id', scope);
      const [row] = await database.query(`${STANDINGS} WHERE key_hash = ? AND ${sql}`, [hash, ...values]);
      return row && STANDING.read(row);
    },

    /** Finds a key by its SHA-256 in hex, and locks it against revocation until the transaction ends. */
    async hold(tx: Statements, hash: string): Promise<ApiKeyStanding | undefined> {
      const [row] = await tx.query(`${STANDINGS} WHERE ${OF_ALL_TENANTS} AND key_hash = ? ${database.shareLock}`, [
        Buffer.from(hash, 'hex'),
      ]);
      return row && STANDING.read(row);
    },

    /** An account's unrevoked keys, newest first. */
    list: ({ tenantId, accountId }: Omit<ApiKeyAddress, 'id'>, page: CursorPage): Promise<Found<ApiKey>> =>
      queryPage(
        database,
        {
          table: 'api_keys',
          alias: 'k',
          primaryKey: ['tenant_id', 'account_id', 'id'],
          order: API_KEY_ORDER,
          scope: { everyTenant: false, tenantId },
          branches: [
            {
              index: 'PRIMARY',
              matching: [
                { sql: 'k.account_id = ?', values: [idToBytes(accountId)] },
                { sql: 'k.revoked_at IS NULL', values: [] },
              ],
            },
          ],
          columns: API_KEY.select('k'),
          read: (row: Row) => API_KEY.read(row),
        },
        page,
      ),

    /**
     * Revokes a key and returns its label; undefined if it does not exist or was already revoked. Rejects with
     * DependencyUnavailableError if the deadline has passed.
     */
    async revoke(tx: Statements, { tenantId, accountId, id }: ApiKeyAddress, now: number, deadline: Deadline) {
      const scope = tenantScope(tx, tenantId);
      const key = [idToBytes(accountId), idToBytes(id)];
      const revoked = await scope.execute(
        `UPDATE api_keys SET revoked_at = ? WHERE ${UNREVOKED} AND id = ? AND ${before}`,
        [now, ...key, database.deadlineValue(deadline)],
      );
      const [row] = await scope.query<{ label: string; revoked_at: number | null }>(
        'SELECT label, revoked_at FROM api_keys WHERE tenant_id = :tenant AND account_id = ? AND id = ?',
        key,
      );
      if (row?.revoked_at === null) {
        throw new DependencyUnavailableError('the deadline passed before the key was revoked');
      }
      return revoked > 0 ? row?.label : undefined;
    },

    /** Stores when keys were last used. Never sets a time back. */
    recordUses: (background: Database, uses: readonly { readonly key: ApiKeyAddress; readonly at: number }[]) =>
      updateLastUses(
        background,
        { table: 'api_keys', owner: 'account_id' },
        uses.map(({ key: { accountId: ownerId, ...key }, at }) => ({ key: { ...key, ownerId }, at })),
      ),
  };
}

function withOwner(row: OwnedRow, owner: FoundAccount): ApiKeyWithOwner {
  return {
    tenantId: owner.account.tenantId,
    accountId: owner.account.id,
    id: bytesToId(row.key_id),
    expiresAt: row.key_expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    owner,
  };
}
