// The accounts table. Reads join the tenant's status, which decides on every credential.
import { batchLoader, type BatchLoader } from '../db/batch-loader.ts';
import { bytesToId, idToBytes } from '../db/ids.ts';
import type { Database, Statements } from '../db/types.ts';
import type { TenantStatus } from '../tenancy/tenant.ts';
import type { Account, Role } from './account.ts';
import type { AccountStanding } from './eligibility.ts';

/** An account with what its password is checked against. */
export interface PasswordStanding extends AccountStanding {
  /** PHC string; absent where the account has no password. */
  readonly passwordHash: string | undefined;
}

export interface AccountStore {
  /** The account of this canonical username. */
  findByUsername(username: string): Promise<PasswordStanding | undefined>;
  /** The account of this id. Read from the database at every call; calls of one moment share a query. */
  findById: BatchLoader<AccountStanding>;
}

interface AccountRow {
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
  tenant_status: TenantStatus | null;
}

const COLUMNS = `a.id, a.tenant_id, a.username, a.name, a.email, a.interactive, a.roles, a.disabled, a.account_expires_at,
  a.credentials_expire_at, a.login_failed_count, a.locked_until, a.created_at, t.status AS tenant_status`;
const SOURCE = 'accounts a LEFT JOIN tenants t ON t.id = a.tenant_id';

export function createAccountStore(database: Database): AccountStore {
  return {
    async findByUsername(username) {
      const [row] = await database.query<AccountRow & { password_hash: string | null }>(
        `SELECT ${COLUMNS}, a.password_hash FROM ${SOURCE} WHERE a.username = ?`,
        [Buffer.from(username)],
      );
      return row && { ...standingOf(row), passwordHash: row.password_hash ?? undefined };
    },
    findById: batchLoader(async (ids) => {
      const rows = await database.query<AccountRow>(
        `SELECT ${COLUMNS} FROM ${SOURCE} WHERE a.id IN (${ids.map(() => '?').join(',')})`,
        ids.map(idToBytes),
      );
      return new Map(
        rows.map((row) => {
          const standing = standingOf(row);
          return [standing.account.id, standing];
        }),
      );
    }),
  };
}

/** Adds an account. Rejects with DatabaseError `duplicate` where the username is taken. */
export async function insertAccount(db: Statements, account: Account, passwordHash: string | undefined): Promise<void> {
  await db.execute(
    `INSERT INTO accounts (tenant_id, id, username, name, email, interactive, roles, password_hash, disabled,
       account_expires_at, credentials_expire_at, login_failed_count, login_claims, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)`,
    [
      Buffer.from(account.tenantId ?? ''),
      idToBytes(account.id),
      Buffer.from(account.username),
      account.name,
      account.email ?? null,
      account.interactive ? 1 : 0,
      account.roles.join(','),
      passwordHash ?? null,
      account.disabled ? 1 : 0,
      account.accountExpiresAt ?? null,
      account.credentialsExpireAt ?? null,
      account.createdAt,
      account.createdAt,
    ],
  );
}

/** Replaces a password hash by one of the same password, unless the password was changed meanwhile. */
export async function replacePasswordHash(db: Statements, account: Account, from: string, to: string): Promise<void> {
  await db.execute('UPDATE accounts SET password_hash = ? WHERE tenant_id = ? AND id = ? AND password_hash = ?', [
    to,
    Buffer.from(account.tenantId ?? ''),
    idToBytes(account.id),
    from,
  ]);
}

function standingOf(row: AccountRow): AccountStanding {
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
    },
    tenantStatus: row.tenant_status ?? undefined,
  };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
