// Fills the tables of accounts, sessions and grants by SQL. Each account has one session and as many grants of one application. Selectors are
// random, and grants of an account are spread over the table, as they are in operation.
import type { Database } from '../../src/platform/db/types.ts';
import { fillTables } from '../sizing/fill.ts';
import { TENANT_ID } from '../seed.ts';

const GRANTS_PER_ACCOUNT = 10;
const ROWS_AT_ONCE = 500;
const DAY_MS = 24 * 3_600_000;
const USER_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';

/** The application of all grants. It is registered later. */
export const APPLICATION_ID = '01700000-0000-7000-8000-000000000001';

const ID = (number: string) => `UNHEX(CONCAT(LPAD(HEX(${number}), 12, '0'), '70008000000000000000'))`;
const COLUMNS = `tenant_id, id, account_id, application_tenant, application_id, session_id, offline, scopes, auth_time, amr, selector,
  generation, step_scopes, previous_step_scopes, created_at, last_used_at, idle_expires_at, access_expires_at, network, user_agent`;

export const accountsOf = (grants: number): number => Math.ceil(grants / GRANTS_PER_ACCOUNT);

/** Returns the id of the account, the session or the grant with a number, from 1. */
export function idOf(number: number): string {
  const digits = number.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
}

/** Inserts grants that nobody has used since, which ended at `expiresAt`, with accounts from the filled ones. */
export async function insertGrants(
  database: Database,
  count: number,
  accounts: number,
  expiresAt: number,
): Promise<void> {
  // A statement of all rows would take longer than a statement may.
  for (let left = count; left > 0; left -= ROWS_AT_ONCE)
    await database.execute(
      `INSERT INTO grants (${COLUMNS}) SELECT ${values({
        id: 'RANDOM_BYTES(16)',
        account: `(seq + ${left}) % ${accounts} + 1`,
        createdAt: expiresAt - DAY_MS,
        expiresAt,
        accessExpiresAt: expiresAt,
      })} FROM seq_1_to_${Math.min(left, ROWS_AT_ONCE)}`,
    );
}

function values(of: {
  readonly id: string;
  readonly account: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly accessExpiresAt: number;
}): string {
  const { id, account, createdAt, expiresAt, accessExpiresAt } = of;
  const application = `UNHEX('${APPLICATION_ID.replaceAll('-', '')}')`;
  const scopes = `'openid profile email'`;
  return `'${TENANT_ID}', ${id}, ${ID(`(${account})`)}, '${TENANT_ID}', ${application}, ${ID(`(${account})`)}, 0, ${scopes}, ${createdAt}, 'pwd',
    RANDOM_BYTES(16), 1, ${scopes}, ${scopes}, ${createdAt}, ${createdAt}, ${expiresAt}, ${accessExpiresAt}, '203.0.113.10', '${USER_AGENT}'`;
}

/** Fills the tables of a migrated, empty database on MariaDB. */
export async function fillGrants(url: string, grants: number): Promise<void> {
  const now = Date.now();
  const [createdAt, expiresAt] = [now - DAY_MS, now + 30 * DAY_MS];
  const accounts = accountsOf(grants);
  const email = "CONCAT('user-', n, '@example.com')";
  await fillTables(
    [
      {
        table: 'accounts',
        rows: accounts,
        insert: `INSERT INTO accounts
            (tenant_id, id, username, name, email, interactive, roles, disabled, created_at, updated_at, search_text)
          SELECT '${TENANT_ID}', ${ID('n')}, ${email}, 'Alice Adams', ${email}, 1, 'SALES', 0, ${createdAt}, ${createdAt},
            CONCAT(${email}, ' alice adams ', ${email}) FROM`,
      },
      {
        table: 'session_families',
        rows: accounts,
        insert: `INSERT INTO session_families (tenant_id, id, account_id, selector, verifier_hash, generation, credential_form,
            remember_me, client_address, user_agent, auth_time, created_at, refreshed_at, idle_expires_at, access_expires_at)
          SELECT '${TENANT_ID}', ${ID('n')}, ${ID('n')}, RANDOM_BYTES(16), RANDOM_BYTES(32), 1, 'COOKIE',
            1, '203.0.113.10', '${USER_AGENT}', ${createdAt}, ${createdAt}, ${createdAt}, ${expiresAt}, ${createdAt} FROM`,
      },
      {
        table: 'grants',
        rows: grants,
        insert: `INSERT INTO grants (${COLUMNS}) SELECT ${values({
          id: ID('n'),
          account: `(n - 1) % ${accounts} + 1`,
          createdAt,
          expiresAt,
          accessExpiresAt: createdAt,
        })} FROM`,
      },
    ],
    { url, tenants: 1, keepIndexes: false },
  );
}
