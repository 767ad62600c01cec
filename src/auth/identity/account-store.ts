// The accounts table. Reads join the tenant's status, because every credential check needs it.
import { batchLoader } from '../../platform/db/query/batch-loader.ts';
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { raiseLowestVersion } from '../../platform/db/lowest-version.ts';
import { searchText } from '../../platform/db/query/search-text.ts';
import { type AdminScope, acrossTenants, scopeCondition, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Row, SqlValue, Statements } from '../../platform/db/types.ts';
import type { Deadline } from '../../platform/clock.ts';
import { DependencyUnavailableError } from '../../platform/errors.ts';
import type { Account, EndedSessions, StoredAccount } from '../access/account.ts';
import { createDefinitions, type DefinitionsReader } from '../access/roles/definitions.ts';
import { ACCOUNT_SOURCE, createAccountLoaders } from './account-loader-store.ts';
import { ACCOUNT, ACCOUNT_COLUMNS, readAccounts, type AccountFields, type FoundAccount } from './account-row.ts';

/** An account with its password hash. */
export interface AccountWithPassword extends FoundAccount {
  /** PHC string; undefined if the account has no password. */
  readonly passwordHash: string | undefined;
}

export type AccountStore = ReturnType<typeof createAccountStore>;

const WITH_PASSWORD = `SELECT ${ACCOUNT_COLUMNS}, a.password_hash FROM ${ACCOUNT_SOURCE}`;

const OF_ALL_TENANTS = acrossTenants('a username belongs to one account of all');
const IS_KNOWN = `SELECT 1 AS one FROM accounts
  WHERE ${acrossTenants('distinguishes a token of another tenant from one of no account')} AND id = ?`;

/** Creates a check whether an account has a canonical username. It reads only columns that each version of the schema has. */
export function createUsernameCheck(database: Pick<Statements, 'query'>): (username: string) => Promise<boolean> {
  const load = batchLoader(async (usernames) => {
    const rows = await database.query<{ username: Uint8Array }>(
      `SELECT username AS username FROM accounts
        WHERE ${OF_ALL_TENANTS} AND username IN (${usernames.map(() => '?').join(', ')})`,
      usernames.map((username) => Buffer.from(username)),
    );
    return new Map(rows.map(({ username }) => [Buffer.from(username).toString(), true]));
  });
  return async (username) => (await load(username)) !== undefined;
}

/** @param definitions Default: a reader of its own. */
export function createAccountStore(database: Database, definitions: DefinitionsReader = createDefinitions(database)) {
  const readWithPassword = async (rows: readonly Row[]): Promise<AccountWithPassword[]> => {
    const found = await readAccounts(rows, definitions);
    return found.map((account, index) => ({ ...account, passwordHash: passwordHashOf(rows[index]!) }));
  };
  const byUsername = batchLoader(async (usernames) => {
    const rows = await database.query(
      `${WITH_PASSWORD} WHERE ${OF_ALL_TENANTS} AND a.username IN (${usernames.map(() => '?').join(', ')})`,
      usernames.map((username) => Buffer.from(username)),
    );
    return new Map((await readWithPassword(rows)).map((found) => [found.account.username, found]));
  });
  return {
    /** Reads the account with this canonical username at every call. Concurrent calls share one query. */
    findByUsername: byUsername,
    /** The account with this id or canonical username; undefined if it is outside the scope. */
    async findInScope(scope: AdminScope, key: { readonly id: string } | { readonly username: string }) {
      const [column, value] = 'id' in key ? ['a.id', idToBytes(key.id)] : ['a.username', Buffer.from(key.username)];
      const { sql, values } = scopeCondition('a.tenant_id', scope);
      const rows = await database.query(`${WITH_PASSWORD} WHERE ${column} = ? AND ${sql}`, [value, ...values]);
      return (await readWithPassword(rows))[0];
    },
    ...createAccountLoaders(database, definitions),
    /** Whether any tenant has an account with this id. Refusals use it to choose their reason. */
    async isKnown(id: string): Promise<boolean> {
      return (await database.query(IS_KNOWN, [idToBytes(id)])).length > 0;
    },
    /** Reads an account and locks it and its tenant against changes until the transaction ends. */
    async hold(tx: Statements, account: AccountKey): Promise<FoundAccount | undefined> {
      const rows = await tenantScope(tx, account.tenantId).query(
        `SELECT ${ACCOUNT_COLUMNS} FROM ${ACCOUNT_SOURCE} WHERE a.tenant_id = :tenant AND a.id = ? ${database.shareLock}`,
        [idToBytes(account.id)],
      );
      return (await readAccounts(rows, definitions, tx))[0];
    },
  };
}

/** An account to insert, with its password hash. */
export interface NewAccountRow {
  readonly account: StoredAccount;
  readonly passwordHash: string | undefined;
}

const INSERT = `INSERT INTO accounts (${ACCOUNT.names}, password_hash, login_failed_count, updated_at, search_text) VALUES`;
const ROW = `(${ACCOUNT.placeholders}, ?, 0, ?, ?)`;

/** Inserts an account. Rejects with DatabaseError `duplicate` if the username is taken. */
export async function insertAccount(
  db: Statements,
  account: StoredAccount,
  passwordHash: string | undefined,
): Promise<void> {
  await insertAccounts(db, account.tenantId, [{ account, passwordHash }]);
}

/** Inserts accounts of one tenant in one statement. Rejects with DatabaseError `duplicate` if a username is taken. */
export async function insertAccounts(
  db: Statements,
  tenantId: string | undefined,
  rows: readonly NewAccountRow[],
): Promise<void> {
  await tenantScope(db, tenantId).execute(`${INSERT} ${rows.map(() => ROW).join(', ')}`, rows.flatMap(valuesOf));
}

function valuesOf({ account, passwordHash }: NewAccountRow): SqlValue[] {
  return [...ACCOUNT.insertValues(account), passwordHash ?? null, account.createdAt, searchTextOf(account)];
}

/** Returns the tenants of the accounts with these canonical usernames; undefined for accounts without a tenant. */
export async function selectTenantsOfUsernames(
  db: Statements,
  usernames: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const rows = await db.query<{ readonly username: string; readonly tenant_id: string }>(
    `SELECT CAST(username AS CHAR) AS username, CAST(tenant_id AS CHAR) AS tenant_id FROM accounts
      WHERE ${OF_ALL_TENANTS} AND username IN (${usernames.map(() => '?').join(', ')})`,
    usernames.map((username) => Buffer.from(username)),
  );
  return new Map(rows.map((row) => [row.username, row.tenant_id || undefined]));
}

/**
 * Replaces a password hash with a new hash of the same password. Does nothing if the password has changed meanwhile.
 */
export async function replacePasswordHash(db: Statements, account: Account, from: string, to: string): Promise<void> {
  await tenantScope(db, account.tenantId).execute(
    'UPDATE accounts SET password_hash = ? WHERE tenant_id = :tenant AND id = ? AND password_hash = ?',
    [to, idToBytes(account.id), from],
  );
}

/** Ends the open invitations of all tenants, for a restored database: some may have been cancelled after the backup. */
export async function endAllInvitations(statements: Statements, now: number): Promise<void> {
  await statements.execute(
    `UPDATE accounts SET invitation_expires_at = ?
      WHERE ${acrossTenants('a restore ends all sessions')} AND invitation_expires_at > ?`,
    [now, now],
  );
}

/** Returns accounts that are to be disabled by now, at most `limit`. */
export async function selectDueToDisable(db: Statements, now: number, limit: number): Promise<AccountKey[]> {
  const rows = await db.query<{ readonly tenant: string; readonly id: string }>(
    `SELECT CAST(a.tenant_id AS CHAR) AS tenant, ${hexOf('a.id')} AS id FROM accounts a
      WHERE ${acrossTenants('the job that disables accounts at their time')} AND a.disable_at <= ? ORDER BY a.disable_at LIMIT ${limit}`,
    [now],
  );
  return rows.map(({ tenant, id }) => ({ tenantId: tenant || undefined, id: hexToId(id) }));
}

/** Ends all sessions of all accounts up to and including one, for a restored database. Returns the number of accounts. */
export async function endSessionsOfAllAccounts(
  statements: Statements,
  { through, at }: EndedSessions,
  reason: string,
): Promise<number> {
  const last = idToBytes(through);
  return statements.execute(
    `UPDATE accounts SET sessions_ended_through = ?, sessions_ended_at = ?, sessions_ended_reason = ?
      WHERE ${acrossTenants('a restore ends all sessions')} AND (sessions_ended_through IS NULL OR sessions_ended_through < ?)`,
    [last, at, reason, last],
  );
}

/** The fields of an account that can change, except its lock. */
export interface AccountChanges extends Partial<AccountFields> {
  readonly passwordHash?: string;
}

export type AccountKey = Pick<Account, 'tenantId' | 'id'>;

/**
 * Changes accounts within a transaction that has locked them first.
 *
 * @param definitions Default: a reader of its own.
 */
export function createAccountWriter(database: Database, definitions: DefinitionsReader = createDefinitions(database)) {
  async function findWithTenant(tx: Statements, account: AccountKey): Promise<FoundAccount | undefined> {
    const rows = await tenantScope(tx, account.tenantId).query(
      `SELECT ${ACCOUNT_COLUMNS} FROM ${ACCOUNT_SOURCE} WHERE a.tenant_id = :tenant AND a.id = ?`,
      [idToBytes(account.id)],
    );
    return (await readAccounts(rows, definitions, tx))[0];
  }

  /**
   * Locks an account's row until the transaction ends and returns the current account; undefined if it does not exist.
   * For an account without a tenant, all accounts without a tenant are locked, always in the same order. Rejects with
   * DependencyUnavailableError if the deadline has passed.
   */
  async function lockWithTenant(
    tx: Statements,
    account: AccountKey,
    deadline: Deadline,
  ): Promise<FoundAccount | undefined> {
    const [one, key] = account.tenantId === undefined ? ['', []] : ['AND id = ?', [idToBytes(account.id)]];
    // Both engines lock a row when an UPDATE writes it, even if no value changes.
    const locked = await tenantScope(tx, account.tenantId).execute(
      `UPDATE accounts SET updated_at = updated_at WHERE tenant_id = :tenant ${one} AND ${database.beforeDeadline}`,
      [...key, database.deadlineValue(deadline)],
    );
    const found = await findWithTenant(tx, account);
    if (found && locked === 0) throw new DependencyUnavailableError('the deadline passed before the change');
    return found;
  }

  return {
    lockWithTenant,

    /** Locks an account as `lockWithTenant` does. */
    lock: async (tx: Statements, account: AccountKey, deadline: Deadline): Promise<Account | undefined> =>
      (await lockWithTenant(tx, account, deadline))?.account,

    /** Locks an account's row until the transaction ends. Returns false if all its sessions up to this one have ended, or if it is late. */
    async lockInSession(tx: Statements, account: AccountKey, sessionId: string, deadline: Deadline): Promise<boolean> {
      const locked = await tenantScope(tx, account.tenantId).execute(
        `UPDATE accounts SET updated_at = updated_at WHERE tenant_id = :tenant AND id = ?
          AND (sessions_ended_through IS NULL OR sessions_ended_through < ?) AND ${database.beforeDeadline}`,
        [idToBytes(account.id), idToBytes(sessionId), database.deadlineValue(deadline)],
      );
      return locked > 0;
    },

    find: async (tx: Statements, account: AccountKey): Promise<Account | undefined> =>
      (await findWithTenant(tx, account))?.account,

    async update(tx: Statements, account: Account, { passwordHash, ...fields }: AccountChanges, now: number) {
      const changes = [
        ...ACCOUNT.changesOf(fields),
        ...(passwordHash === undefined
          ? []
          : ([['password_version = password_version + 1, password_hash = ?', passwordHash]] as const)),
        ['search_text = ?', searchTextOf({ ...account, ...fields })],
        ['version = version + 1, updated_at = ?', now],
      ] as const;
      await tenantScope(tx, account.tenantId).execute(
        `UPDATE accounts SET ${changes.map(([assignment]) => assignment).join(', ')} WHERE tenant_id = :tenant AND id = ?`,
        [...changes.map(([, value]) => value), idToBytes(account.id)],
      );
      if (fields.passwordTemporaryUntil !== undefined) await raiseLowestVersion(tx, 'temporary_passwords');
      if (fields.disableAt !== undefined) await raiseLowestVersion(tx, 'scheduled_ends');
    },

    /** Ends all sessions of an account up to and including one. Sessions that have already ended do not change. */
    async endSessions(tx: Statements, account: AccountKey, { through, at }: EndedSessions, reason: string) {
      const last = idToBytes(through);
      await tenantScope(tx, account.tenantId).execute(
        `UPDATE accounts SET sessions_ended_through = ?, sessions_ended_at = ?, sessions_ended_reason = ?
          WHERE tenant_id = :tenant AND id = ? AND (sessions_ended_through IS NULL OR sessions_ended_through < ?)`,
        [last, at, reason, idToBytes(account.id), last],
      );
    },

    /**
     * Makes this transaction fail at its commit if another node of a cluster has changed the account. The lock of a row holds on its
     * own node only, and Galera compares the rows that transactions have written with another value. The account stays as it is.
     */
    async guard(tx: Statements, account: AccountKey): Promise<void> {
      for (const change of ['+ 1', '- 1'])
        await tenantScope(tx, account.tenantId).execute(
          `UPDATE accounts SET login_failed_count = login_failed_count ${change} WHERE tenant_id = :tenant AND id = ?`,
          [idToBytes(account.id)],
        );
    },

    async remove(tx: Statements, account: AccountKey) {
      const scope = tenantScope(tx, account.tenantId);
      await scope.execute('DELETE FROM accounts WHERE tenant_id = :tenant AND id = ?', [idToBytes(account.id)]);
    },

    /** Whether any account without a tenant is active, and is to stay so. Exact only if the transaction has locked these accounts. */
    async hasActiveSuperAdmin(tx: Statements, now: number): Promise<boolean> {
      const rows = await tenantScope(tx, undefined).query(
        `SELECT 1 AS one FROM accounts
          WHERE tenant_id = :tenant AND interactive = 1 AND disabled = 0 AND disable_at IS NULL AND (account_expires_at IS NULL OR account_expires_at > ?) LIMIT 1`,
        [now],
      );
      return rows.length > 0;
    },
  };
}

function searchTextOf({ username, name, email }: Pick<Account, 'username' | 'name' | 'email'>): Buffer {
  return searchText(username, name, email);
}

function passwordHashOf(row: Row): string | undefined {
  return (row['password_hash'] as string | null) ?? undefined;
}
