// The client_secrets table: the secrets of service accounts. Only their SHA-256 is stored, because the secrets are
// random.
import { createHash } from 'node:crypto';
import { UNLIMITED } from '../clock.ts';
import { bytesToId, idToBytes, newId } from '../db/ids.ts';
import { batchLoader } from '../db/query/batch-loader.ts';
import { tenantBytes, tenantScope } from '../db/query/tenant-scope.ts';
import type { Database, Statements } from '../db/types.ts';

/** Identifies a secret: its account, and its id within the account. */
export interface ClientSecretAddress {
  readonly tenantId: string | undefined;
  readonly accountId: string;
  /** UUIDv7. */
  readonly id: string;
}

/** The data needed to check a presented secret. */
export interface ClientSecretStanding {
  readonly id: string;
  /** SHA-256. */
  readonly hash: Uint8Array;
  /** Unix milliseconds. */
  readonly expiresAt: number | undefined;
}

export interface NewClientSecret extends Omit<ClientSecretAddress, 'id'> {
  /** Default: a new id. */
  readonly id?: string;
  /** At least 32 characters. */
  readonly secret: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Default: no expiry. */
  readonly expiresAt?: number | undefined;
}

export interface ClientSecretUse {
  readonly key: ClientSecretAddress;
  readonly at: number;
}

export interface ClientSecretStore {
  /** Returns the secrets of an account, live ones first. Of the expired ones, only the latest few. */
  findByAccount(account: Omit<ClientSecretAddress, 'id'>, now: number): Promise<ClientSecretStanding[]>;
  /** Stores when secrets were last used. Never sets a time back. */
  recordUses(uses: readonly ClientSecretUse[]): Promise<void>;
}

/** The key by which the secrets of an account are looked up. */
interface Lookup {
  readonly tenantId: string | undefined;
  readonly accountId: string;
  readonly now: number;
}

interface StandingRow {
  /** That of the account among those looked up together. */
  place: number;
  id: Uint8Array;
  secret_hash: Uint8Array;
  expires_at: number | null;
}

// More than the maximum of live ones. Expired secrets are read only to distinguish them from wrong ones.
const MOST_FOUND = 8;
const USES_PER_TRANSACTION = 100;

const OF_ONE_ACCOUNT = `SELECT ? AS place, id, secret_hash, expires_at FROM client_secrets
   WHERE tenant_id = ? AND account_id = ?
   ORDER BY CASE WHEN expires_at <= ? THEN 1 ELSE 0 END, id DESC LIMIT ${MOST_FOUND}`;

export function createClientSecretStore(database: Database): ClientSecretStore {
  const byLookup = batchLoader(async (keys) => {
    // Each account by a SELECT of its own, since each has its own limit.
    const rows = await database.query<StandingRow>(
      keys.map(() => `SELECT * FROM (${OF_ONE_ACCOUNT}) AS of_one`).join(' UNION ALL '),
      keys.flatMap((key, place) => {
        const { tenantId, accountId, now } = JSON.parse(key) as Lookup;
        return [place, tenantBytes(tenantId), idToBytes(accountId), now];
      }),
    );
    // By position, because the loader repeats its last key.
    const found = Map.groupBy(rows, ({ place }) => place);
    return new Map([...found].map(([place, secrets]) => [keys[place]!, secrets.map(standingOf)]));
  });
  return {
    async findByAccount({ tenantId, accountId }, now) {
      return (await byLookup(JSON.stringify({ tenantId, accountId, now } satisfies Lookup))) ?? [];
    },

    async recordUses(uses) {
      // Always in the same order, so that two processes never deadlock. Few per transaction, so that others do not wait
      // long.
      const ordered = uses.toSorted((a, b) => (a.key.id < b.key.id ? -1 : 1));
      for (let start = 0; start < ordered.length; start += USES_PER_TRANSACTION) {
        await database.transaction(UNLIMITED, async (tx) => {
          for (const use of ordered.slice(start, start + USES_PER_TRANSACTION)) await recordUse(tx, use);
        });
      }
    },
  };
}

function standingOf({ id, secret_hash: hash, expires_at: expiresAt }: StandingRow): ClientSecretStanding {
  return { id: bytesToId(id), hash, expiresAt: expiresAt ?? undefined };
}

/** Returns the stored hash of a secret. */
export function clientSecretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export async function insertClientSecret(
  db: Statements,
  { tenantId, accountId, id = newId(), secret, createdAt, expiresAt }: NewClientSecret,
): Promise<void> {
  await tenantScope(db, tenantId).execute(
    `INSERT INTO client_secrets (tenant_id, account_id, id, secret_hash, created_at, expires_at)
     VALUES (:tenant, ?, ?, ?, ?, ?)`,
    [idToBytes(accountId), idToBytes(id), clientSecretHash(secret), createdAt, expiresAt ?? null],
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

async function recordUse(tx: Statements, { key, at }: ClientSecretUse): Promise<void> {
  await tenantScope(tx, key.tenantId).execute(
    `UPDATE client_secrets SET last_used_at = ?
      WHERE tenant_id = :tenant AND account_id = ? AND id = ? AND (last_used_at IS NULL OR last_used_at < ?)`,
    [at, idToBytes(key.accountId), idToBytes(key.id), at],
  );
}
