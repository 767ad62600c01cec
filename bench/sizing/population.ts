// The records of the sizing benchmark. Each is made from its number, by SQL when the tables are filled, and by JavaScript when a
// measurement needs its keys.
import { createHash } from 'node:crypto';

export interface Population {
  readonly sessions: number;
  readonly accounts: number;
  readonly tenants: number;
  readonly auditRecords: number;
  /** Unix milliseconds. Sessions end at a random time in the IDLE_WINDOW_MS after it. */
  readonly now: number;
}

export const DAY_MS = 24 * 3_600_000;
export const IDLE_WINDOW_MS = 30 * DAY_MS;
export const ACCESS_TTL_MS = 900_000;
export const ADDRESS = '203.0.113.10';
export const ORIGIN = 'https://app.example.com';
export const USER_AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';

/** Returns a population whose tenants have equal numbers of sessions, accounts and audit records. */
export function createPopulation(wanted: Omit<Population, 'now'>): Population {
  const perTenant = (count: number) => Math.ceil(count / wanted.tenants) * wanted.tenants;
  return {
    sessions: perTenant(wanted.sessions),
    accounts: perTenant(wanted.accounts),
    tenants: wanted.tenants,
    auditRecords: perTenant(wanted.auditRecords),
    now: Date.now(),
  };
}

/** All names have as many digits, so that their order is that of the numbers. */
const FIRST_TENANT = 1_000_000;

/** A tenant's number is that of its first account and of its first session. */
export const tenantOf = (number: number, { tenants }: Population) =>
  `tenant-${FIRST_TENANT + ((number - 1) % tenants)}`;

/** Ids ascend with the numbers, as those of the service do with time. */
export function idOf(number: number): string {
  const digits = number.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
}

export const selectorOf = (session: number): Buffer => md5(session);

export function accountOf(session: number, { accounts }: Population): number {
  return ((session - 1) % accounts) + 1;
}

/** Returns the number of the session at a place in the order of the primary key: tenant, then id. */
export function sessionAt(place: number, { sessions, tenants }: Population): number {
  const perTenant = sessions / tenants;
  return (place % perTenant) * tenants + Math.floor(place / perTenant) + 1;
}

function md5(number: number): Buffer {
  return createHash('md5').update(String(number)).digest();
}

// Cheap expressions: they take half of the time of the filling.
const TENANT = (tenants: number) => `CONCAT('tenant-', ${FIRST_TENANT} + (n - 1) % ${tenants})`;
const ID = (number: string) => `UNHEX(CONCAT(LPAD(HEX(${number}), 12, '0'), '70008000000000000000'))`;
// Knuth's multiplicative hash spreads the ends evenly.
const END_MS = `((n * 2654435761 & 4294967295) * ${IDLE_WINDOW_MS / 1_000} DIV 4294968)`;

/** A table to fill. */
export interface Filling {
  readonly table: string;
  readonly rows: number;
  /** The start of a statement that inserts one row for each number `n` of a derived table. */
  readonly insert: string;
}

export function fillings({ sessions, accounts, tenants, auditRecords, now }: Population): readonly Filling[] {
  const tenant = TENANT(tenants);
  const email = "CONCAT('user-', n, '@example.com')";
  const account = `(n - 1) % ${accounts} + 1`;
  return [
    {
      table: 'tenants',
      rows: tenants,
      insert: `INSERT INTO tenants (id, name, status, created_at, updated_at, search_text)
        SELECT ${tenant}, 'Tenant', 'ACTIVE', ${now}, ${now}, ${tenant} FROM`,
    },
    {
      table: 'accounts',
      rows: accounts,
      insert: `INSERT INTO accounts
          (tenant_id, id, username, name, email, interactive, roles, password_hash, disabled, created_at, updated_at, search_text)
        SELECT ${tenant}, ${ID('n')}, ${email}, 'Alice Adams', ${email}, 1, 'SALES',
          CONCAT('$argon2id$v=19$m=19456,t=2,p=1$', LEFT(MD5(n), 22), '$', LEFT(SHA2(n, 256), 43)),
          0, ${now}, ${now}, CONCAT(${email}, ' alice adams ', ${email}) FROM`,
    },
    {
      table: 'session_families',
      rows: sessions,
      // Each was refreshed once, so that it has a batch.
      insert: `INSERT INTO session_families (tenant_id, id, account_id, selector, verifier_hash, generation, credential_form,
          origin, remember_me, client_address, user_agent, auth_time, created_at, refreshed_at, idle_expires_at, access_expires_at,
          rotation_batch, rotation_batch_generation)
        SELECT ${tenant}, ${ID('n')}, ${ID(`(${account})`)}, UNHEX(MD5(n)), REPEAT(UNHEX(MD5(n)), 2), 2, 'COOKIE',
          '${ORIGIN}', 1, '${ADDRESS}', '${USER_AGENT}', ${now - IDLE_WINDOW_MS}, ${now - IDLE_WINDOW_MS},
          ${now - IDLE_WINDOW_MS} + ${END_MS}, ${now} + ${END_MS}, ${now - IDLE_WINDOW_MS + ACCESS_TTL_MS} + ${END_MS},
          ${ID('1')}, 2 FROM`,
    },
    {
      table: 'audit_records',
      rows: auditRecords,
      insert: `INSERT INTO audit_records (tenant_id, id, at, event, account_id, username, actor_id, client_address, request_id, details)
        SELECT ${tenant}, ${ID('n')}, ${now} + n, 'login.succeeded', ${ID(`(${account})`)}, ${email}, NULL, '${ADDRESS}', MD5(n), '{}'
        FROM`,
    },
  ].filter(({ rows }) => rows > 0);
}
