// Inserts many rows by SQL alone, without the service's modules. Ids and keys are random, so indexes grow as badly as they can.
import { openStore, type Store } from './by-hand/store.ts';
import { TENANT_ID } from './seed.ts';
import type { Engine } from './stand.ts';

const ROWS_PER_STATEMENT = 20_000;
const DAY_MS = 24 * 3_600_000;

const RANDOM = { sqlite: 'randomblob', mariadb: 'RANDOM_BYTES' } as const;

/** Returns a source of `count` rows. */
function rowsOf(engine: Engine, count: number): string {
  return engine === 'mariadb'
    ? `FROM seq_1_to_${count}`
    : `FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n)`;
}

async function insertInBatches(store: Store, count: number, statement: (rows: number) => string): Promise<void> {
  for (let left = count; left > 0; left -= ROWS_PER_STATEMENT) {
    await store.run(statement(Math.min(left, ROWS_PER_STATEMENT)), []);
  }
}

/** Inserts open sessions of other accounts. */
export async function insertSessions(engine: Engine, databaseUrl: string, count: number): Promise<void> {
  const now = Date.now();
  const random = RANDOM[engine];
  const store = openStore(databaseUrl, { bulk: true });
  await insertInBatches(
    store,
    count,
    (
      rows,
    ) => `INSERT INTO session_families (tenant_id, id, account_id, selector, verifier_hash, generation, credential_form,
        remember_me, client_address, created_at, refreshed_at, idle_expires_at, access_expires_at)
      SELECT X'${Buffer.from(TENANT_ID).toString('hex')}', ${random}(16), ${random}(16), ${random}(16), ${random}(32), 1, 'COOKIE', 1, '127.0.0.1', ${now}, ${now},
        ${now + 30 * DAY_MS}, ${now} ${rowsOf(engine, rows)}`,
  );
  store.close();
}

/** Inserts entries of the blacklist that have expired. */
export async function insertExpiredRevocations(engine: Engine, databaseUrl: string, count: number): Promise<void> {
  const store = openStore(databaseUrl, { bulk: true });
  await insertInBatches(
    store,
    count,
    (rows) =>
      `INSERT INTO token_blacklist (id, expires_at) SELECT ${RANDOM[engine]}(16), ${Date.now() - DAY_MS} ${rowsOf(engine, rows)}`,
  );
  store.close();
}
