// The tables of client secrets: those of service accounts, and those of applications. Only their SHA-256 is stored, because the secrets
// are random.
import { createHash } from 'node:crypto';
import { id, optional, optionalTenant, time } from '../../platform/db/columns.ts';
import { hexOf, hexToId, idToBytes, newId } from '../../platform/db/ids.ts';
import { batchLoader } from '../../platform/db/query/batch-loader.ts';
import { pairsIn } from '../../platform/db/query/hints.ts';
import { updateLastUses, type CredentialUse } from '../../platform/db/query/last-uses.ts';
import { tenantBytes, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import { defineRecord, type Insertable, type ValuesOf } from '../../platform/db/record.ts';
import type { Database, Statements } from '../../platform/db/types.ts';

const columnsOf = (owner: string) => ({
  tenantId: optionalTenant('tenant_id'),
  ownerId: id(owner),
  id: id('id'),
  createdAt: time('created_at'),
  expiresAt: optional(time('expires_at')),
  lastUsedAt: optional(time('last_used_at')),
});

/** The stored data of a secret, without its hash. */
export type ClientSecret = ValuesOf<ReturnType<typeof columnsOf>>;
/** Identifies a secret: its owner, and its id within the owner. */
export type ClientSecretAddress = Pick<ClientSecret, 'tenantId' | 'ownerId' | 'id'>;

/** A table of secrets. */
export interface SecretTable {
  /** The column of the owner's id. */
  readonly owner: string;
  readonly record: ReturnType<typeof recordOf>;
}

function recordOf(table: string, owner: string) {
  return defineRecord(table, { fixed: columnsOf(owner), fields: {} });
}

/** The secrets of service accounts. */
export const ACCOUNT_SECRETS: SecretTable = { owner: 'account_id', record: recordOf('client_secrets', 'account_id') };
/** The secrets of applications. */
export const APPLICATION_SECRETS: SecretTable = {
  owner: 'application_id',
  record: recordOf('application_secrets', 'application_id'),
};

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

/** The key by which the secrets of an owner are looked up. */
interface Lookup extends Omit<ClientSecretAddress, 'id'> {
  readonly now: number;
}

interface StandingRow {
  tenant_id: string;
  owner_id: string;
  id: string;
  secret_hash: string;
  expires_at: number | null;
}

// More than the maximum of live ones. Expired secrets are read only to distinguish them from wrong ones.
const MOST_FOUND = 8;

export function createClientSecretStore(
  database: Database,
  { owner, record: { table } }: SecretTable = ACCOUNT_SECRETS,
) {
  const all = `CAST(tenant_id AS CHAR) AS tenant_id, ${hexOf(owner)} AS owner_id, ${hexOf('id')} AS id,
    ${hexOf('secret_hash')} AS secret_hash, expires_at`;
  const byLookup = batchLoader(async (keys) => {
    const lookups = keys.map((key) => JSON.parse(key) as Lookup);
    // A secret that expires between two lookups of a batch counts as live: there are fewer live ones than the maximum.
    const now = Math.min(...lookups.map((lookup) => lookup.now));
    const rows = await database.query<StandingRow>(
      `SELECT ${all} FROM (
         SELECT tenant_id, ${owner}, id, secret_hash, expires_at, ROW_NUMBER() OVER (
                  PARTITION BY tenant_id, ${owner}
                  ORDER BY CASE WHEN expires_at <= ? THEN 1 ELSE 0 END, id DESC) AS place
           FROM ${table} WHERE ${pairsIn(database.engine, `tenant_id, ${owner}`, keys.length)}) AS secrets
        WHERE place <= ${MOST_FOUND} ORDER BY place`,
      [now, ...lookups.flatMap(({ tenantId, ownerId }) => [tenantBytes(tenantId), idToBytes(ownerId)])],
    );
    const found = Map.groupBy(rows, (row) => `${row.tenant_id}/${hexToId(row.owner_id)}`);
    const secretsOf = ({ tenantId = '', ownerId }: Lookup) => found.get(`${tenantId}/${ownerId}`) ?? [];
    return new Map(keys.map((key, index) => [key, secretsOf(lookups[index]!).map(standingOf)]));
  });
  return {
    /** Returns the secrets of an owner, live ones first. Of the expired ones, only the latest few. */
    async findByOwner({ tenantId, ownerId }: Omit<ClientSecretAddress, 'id'>, now: number) {
      return (await byLookup(JSON.stringify({ tenantId, ownerId, now } satisfies Lookup))) ?? [];
    },

    /** Stores when secrets were last used. Never sets a time back. */
    recordUses: (background: Database, uses: readonly CredentialUse[]) =>
      updateLastUses(background, { table, owner }, uses),
  };
}

function standingOf({ id, secret_hash: hash, expires_at: expiresAt }: StandingRow): ClientSecretStanding {
  return { id: hexToId(id), hash: Buffer.from(hash, 'hex'), expiresAt: expiresAt ?? undefined };
}

/** Returns the stored hash of a secret. */
export function clientSecretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export async function insertClientSecret(
  db: Statements,
  { secret, ...stored }: NewClientSecret,
  { record }: SecretTable = ACCOUNT_SECRETS,
): Promise<void> {
  await tenantScope(db, stored.tenantId).execute(
    `INSERT INTO ${record.table} (${record.names}, secret_hash) VALUES (${record.placeholders}, ?)`,
    [...record.insertValues({ id: newId(), ...stored }), clientSecretHash(secret)],
  );
}

/** Sets the expiry of a live secret. Returns false if there is no such secret. */
export async function setClientSecretEnd(
  tx: Statements,
  { tenantId, ownerId, id }: ClientSecretAddress,
  expiresAt: number,
  now: number,
  { owner, record }: SecretTable = ACCOUNT_SECRETS,
): Promise<boolean> {
  const changed = await tenantScope(tx, tenantId).execute(
    `UPDATE ${record.table} SET expires_at = ?
      WHERE tenant_id = :tenant AND ${owner} = ? AND id = ? AND (expires_at IS NULL OR expires_at > ?)`,
    [expiresAt, idToBytes(ownerId), idToBytes(id), now],
  );
  return changed > 0;
}
