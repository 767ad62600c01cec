// Fills the tables of tenants, users, sessions and audit records by SQL. Each user has a session, of which one of ten is revoked.
// Nine of ten rows belong to one tenant, the others to 1,000 tenants.
import type { Logger } from 'pino';
import type { Database } from '../src/platform/db/types.ts';

/** The tenant with most rows, and one of the others. */
export const LONG_TENANT = 'long';
/** A user of the long tenant. */
export const LONG_USER_ID = '01700000-0000-7000-8000-000000000001';
export const SHORT_TENANT = 't70';
const SHORT_TENANTS = 1_000;
/** The account that one of 1,000 records is about, and that is the actor of one of 10,000. */
export const ACCOUNT_ID = '00000000-0000-7000-8000-000000000007';
const ACCOUNTS_OF_RECORDS = 1_000;
const FAR_FUTURE = Date.UTC(2100, 0);

interface Dialect {
  readonly bytes: (text: string) => string;
  /** A number as 12 hexadecimal digits. */
  readonly hex: (number: string) => string;
  /** The numbers from 1 on, as `i`. */
  readonly numbers: (count: number) => string;
  readonly analyze: string;
}

const DIALECTS: Readonly<Record<Database['engine'], Dialect>> = {
  sqlite: {
    bytes: (text) => `CAST(${text} AS BLOB)`,
    hex: (number) => `printf('%012x', ${number})`,
    numbers: (count) =>
      `(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n)`,
    analyze: 'ANALYZE',
  },
  mysql: {
    bytes: (text) => text,
    hex: (number) => `LPAD(HEX(${number}), 12, '0')`,
    // MariaDB only.
    numbers: (count) => `(SELECT seq AS i FROM seq_1_to_${count}) AS n`,
    analyze: 'ANALYZE TABLE tenants, accounts, session_families, audit_records',
  },
};

/** Returns the seconds that it took. */
export async function fillLongTables(
  database: Database,
  log: Logger,
  { users, records }: { readonly users: number; readonly records: number },
): Promise<number> {
  const started = performance.now();
  const { bytes, hex, numbers, analyze } = DIALECTS[database.engine];
  const tenant = bytes(`CASE i % 10 WHEN 0 THEN CONCAT('t', i % ${SHORT_TENANTS * 10}) ELSE '${LONG_TENANT}' END`);
  const newId = `UNHEX(CONCAT('01700000000070008000', ${hex('i')}))`;
  /** One of 1,000 rows is of 198.51.100.7, the others of 192.0.2.1. */
  const address = `UNHEX(CASE i % 1000 WHEN 7 THEN '00000000000000000000FFFFC6336407' ELSE '00000000000000000000FFFFC0000201' END)`;
  const accountId = `UNHEX(CONCAT('00000000000070008000', ${hex(`i % ${ACCOUNTS_OF_RECORDS}`)}))`;
  const verifierHash = `UNHEX(CONCAT('0170000000007000800001700000000070008000000000000000', ${hex('i')}))`;
  // The statements of a migration have no time limit.
  await database.migrateExclusively(log, async (schema) => {
    await schema.execute(`INSERT INTO tenants (id, name, status, created_at, updated_at, search_text)
      SELECT ${tenant}, 'Tenant', 'ACTIVE', 1, 1, ${tenant} FROM ${numbers(SHORT_TENANTS * 10)}
      WHERE i % 10 = 0 OR i = 1`);
    await schema.execute(`INSERT INTO accounts
        (tenant_id, id, username, name, email, interactive, roles, disabled, created_at, updated_at, search_text,
          last_login_at, locked_until, invitation_expires_at)
      SELECT ${tenant}, ${newId}, ${bytes("CONCAT('user', i)")}, 'User', CONCAT('user', i, '@example.test'), 1,
        CASE i % 100 WHEN 3 THEN 'DELIVERY' ELSE 'SALES' END, CASE i % 100 WHEN 4 THEN 1 ELSE 0 END, 1, 1,
        ${bytes("CONCAT('user', i, ' user user', i, '@example.test')")},
        CASE WHEN i % 3 = 0 THEN 0 ELSE 1700000000000 + (i * 7919) % 1000003 END,
        CASE WHEN i % 1000 = 5 THEN ${FAR_FUTURE} END, CASE WHEN i % 1000 = 6 THEN ${FAR_FUTURE} END
      FROM ${numbers(users)}`);
    await schema.execute(`INSERT INTO session_families
        (tenant_id, id, account_id, selector, verifier_hash, generation, credential_form, remember_me, client_address,
          created_at, refreshed_at, idle_expires_at, access_expires_at, revoked_at, revoked_reason, address)
      SELECT ${tenant}, ${newId}, ${newId}, ${newId}, ${verifierHash}, 1, 'COOKIE', 0, '192.0.2.1', 1, 1, ${FAR_FUTURE}, 1,
        CASE WHEN i % 10 = 9 THEN 1 END, CASE WHEN i % 10 = 9 THEN 'LOGOUT' END, ${address}
      FROM ${numbers(users)}`);
    await schema.execute(`INSERT INTO audit_records
        (tenant_id, id, at, event, account_id, username, actor_id, client_address, request_id, details, address)
      SELECT ${tenant}, ${newId}, 1700000000000 + i,
        CASE WHEN i % 10000 = 7 THEN 'account.locked' WHEN i % 50 = 1 THEN 'login.failed'
          WHEN i % 2 = 0 THEN 'login.succeeded' ELSE 'token.issued' END,
        ${accountId}, 'user', CASE WHEN i % 10000 = 7 THEN ${accountId} END, '192.0.2.1',
        '00000000-0000-7000-8000-000000000000', '{}', ${address}
      FROM ${numbers(records)}`);
    await schema.execute(analyze);
  });
  return Math.round((performance.now() - started) / 1000);
}
