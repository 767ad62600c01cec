// The client_secrets table: the secrets of service accounts. Only their SHA-256 is stored, because the secrets are
// random.
import { createHash } from 'node:crypto';
import { id, optional, optionalTenant, time } from '../../platform/db/columns.ts';
import { hexOf, hexToId, idToBytes, newId } from '../../platform/db/ids.ts';
import { batchLoader } from '../../platform/db/query/batch-loader.ts';
import { pairsIn } from '../../platform/db/query/hints.ts';
import { updateLastUses, type CredentialUse } from '../../platform/db/query/last-uses.ts';
import { tenantBytes, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import { defineRecord, type Insertable, type ValuesOf } from '../../platform/db/record.ts';
import type { Database, Statements } from '../../platform/db/types.ts';

const ADDRESS = { tenantId: optionalTenant('tenant_id'), accountId: id('account_id'), id: id('id') };
/** Identifies a secret: its account, and its id within the account. */
export type ClientSecretAddress = ValuesOf<typeof ADDRESS>;

const COLUMNS = {
  ...ADDRESS,
  createdAt: time('created_at'),
  expiresAt: optional(time('expires_at')),
  lastUsedAt: optional(time('last_used_at')),
};

export const CLIENT_SECRET = defineRecord('client_secrets', { fixed: COLUMNS, fields: {} });
/** The stored data of a secret, without its hash. */
export type ClientSecret = ValuesOf<typeof COLUMNS>;

/** The data needed to check a presented secret. */
export interface ClientSecretStanding {
  readonly id: string;
  /** SHA-256. */
  readonly hash: Uint8Array;
  /** Unix milliseconds. */
  readonly expiresAt: number | undefined;
}

interface NewClientSecret extends Omit<Insertable<ClientSecret>, 'id'> {
  /** Default: a new id. */
  readonly id?: string;
  /** At least 32 characters. */
  readonly secret: string;
}

export type ClientSecretStore = ReturnType<typeof createClientSecretStore>;

/** The key by which the secrets of an account are looked up. */
interface Lookup extends Omit<ClientSecretAddress, 'id'> {
  readonly now: number;
}

interface StandingRow {
  tenant_id: string;
  account_id: string;
  id: string;
  secret_hash: string;
  expires_at: number | null;
}

// More than the maximum of live ones. Expired secrets are read only to distinguish them from wrong ones.
const MOST_FOUND = 8;

const ALL = `CAST(tenant_id AS CHAR) AS tenant_id, ${hexOf('account_id')} AS account_id, ${hexOf('id')} AS id,
  ${hexOf('secret_hash')} AS secret_hash, expires_at`;

export function createClientSecretStore(database: Database) {
  const byLookup = batchLoader(async (keys) => {
    const lookups = keys.map((key) => JSON.parse(key) as Lookup);
    // A secret that expires between two lookups of a batch counts as live: there are fewer live ones than the maximum.
    const now = Math.min(...lookups.map((lookup) => lookup.now));
    const rows = await database.query<StandingRow>(
      `SELECT ${ALL} FROM (
         SELECT tenant_id, account_id, id, secret_hash, expires_at, ROW_NUMBER() OVER (
                  PARTITION BY tenant_id, account_id
                  ORDER BY CASE WHEN expires_at <= ? THEN 1 ELSE 0 END, id DESC) AS place
           FROM client_secrets WHERE ${pairsIn(database.engine, 'tenant_id, account_id', keys.length)}) AS secrets
        WHERE place <= ${MOST_FOUND} ORDER BY place`,
      [now, ...lookups.flatMap(({ tenantId, accountId }) => [tenantBytes(tenantId), idToBytes(accountId)])],
    );
    const found = Map.groupBy(rows, (row) => `${row.tenant_id}/${hexToId(row.account_id)}`);
    const secretsOf = ({ tenantId = '', accountId }: Lookup) => found.get(`${tenantId}/${accountId}`) ?? [];
    return new Map(keys.map((key, index) => [key, secretsOf(lookups[index]!).map(standingOf)]));
  });
  return {
    /** Returns the secrets of an account, live ones first. Of the expired ones, only the latest few. */
    async findByAccount({ tenantId, accountId }: Omit<ClientSecretAddress, 'id'>, now: number) {
      return (await byLookup(JSON.stringify({ tenantId, accountId, now } satisfies Lookup))) ?? [];
    },

    /** Stores when secrets were last used. Never sets a time back. */
    recordUses: (background: Database, uses: readonly CredentialUse[]) =>
      updateLastUses(background, 'client_secrets', uses),
  };
}

function standingOf({ id, secret_hash: hash, expires_at: expiresAt }: StandingRow): ClientSecretStanding {
  return { id: hexToId(id), hash: Buffer.from(hash, 'hex'), expiresAt: expiresAt ?? undefined };
}

/** Returns the stored hash of a secret. */
export function clientSecretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export async function insertClientSecret(db: Statements, { secret, ...stored }: NewClientSecret): Promise<void> {
  await tenantScope(db, stored.tenantId).execute(
    `INSERT INTO client_secrets (${CLIENT_SECRET.names}, secret_hash) VALUES (${CLIENT_SECRET.placeholders}, ?)`,
    [...CLIENT_SECRET.insertValues({ id: newId(), ...stored }), clientSecretHash(secret)],
  );
}

/** Sets the expiry of a live secret. Returns false if there is no such secret. */
export async function setClientSecretEnd(
  tx: Statements,
  { tenantId, accountId, id }: ClientSecretAddress,
  expiresAt: number,
  now: number,
): Promise<boolean> {
  const changed = await tenantScope(tx, tenantId).execute(
    `UPDATE client_secrets SET expires_at = ?
      WHERE tenant_id = :tenant AND account_id = ? AND id = ? AND (expires_at IS NULL OR expires_at > ?)`,
    [expiresAt, idToBytes(accountId), idToBytes(id), now],
  );
  return changed > 0;
}
