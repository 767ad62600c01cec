// Measures the space of sessions and unsealed audit records on MariaDB, and reads and rotations of random sessions among many:
// `npm run bench -- sizing`. Options: --sessions 1000000, --seconds 5, --buffer-pool 1G.
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { UNLIMITED } from '../src/platform/clock.ts';
import { connectDatabase } from '../src/platform/db/connect.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { newId } from '../src/platform/db/ids.ts';
import type { Database } from '../src/platform/db/types.ts';
import { createRotationStore } from '../src/auth/session/rotation/rotation-store.ts';
import { createSessionStore } from '../src/auth/session/session-store.ts';
import { startMariaDb } from './mariadb.ts';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '5' },
    'buffer-pool': { type: 'string', default: '1G' },
  },
});
const sessions = Number(values.sessions);
const BATCH = 100_000;
const CALLERS = 32;
const DAY_MS = 24 * 3_600_000;
const now = Date.now();

// Ids ascend, as those of the service do. Selectors and hashes are random to the engine, and known here.
const ID = "CONCAT(UNHEX(LPAD(HEX(seq), 12, '0')), UNHEX('7000'), UNHEX(LEFT(MD5(seq), 16)))";
const FILL_SESSIONS = `INSERT INTO session_families (tenant_id, id, account_id, selector, verifier_hash, generation, credential_form,
    origin, remember_me, client_address, created_at, refreshed_at, idle_expires_at, absolute_expires_at, access_expires_at)
  SELECT CONCAT('tenant-', seq % 1000), ${ID}, UNHEX(MD5(seq DIV 2)), UNHEX(MD5(seq)), UNHEX(SHA2(seq, 256)), 1, 'COOKIE',
    'https://app.example.com', 1, '203.0.113.10', ?, ?, ?, NULL, ?
  FROM`;
const FILL_AUDIT = `INSERT INTO audit_records (tenant_id, id, at, event, account_id, username, actor_id, client_address, request_id, details)
  SELECT CONCAT('tenant-', seq % 1000), ${ID}, ?, 'login.succeeded', UNHEX(MD5(seq DIV 2)), CONCAT('user-', seq, '@example.com'), NULL,
    '203.0.113.10', MD5(seq), '{}' FROM`;

const server = await startMariaDb(0, [`--innodb-buffer-pool-size=${values['buffer-pool']}`]);
const log = pino({ level: 'warn' });
const database = connectDatabase({ url: server.url, poolSize: 10, log });
try {
  await migrate(database, log);
  await fill(FILL_SESSIONS, [now, now, now + 30 * DAY_MS, now + 900_000]);
  await fill(FILL_AUDIT, [now]);
  const store = createSessionStore(database);
  const rotations = createRotationStore(database, store);
  const read = await rate((seq) => store.findBySelector(md5(seq)));
  const batch = newId();
  const rotate = await rate(async (seq) => {
    const session = await store.findBySelector(md5(seq));
    if (!session) throw new Error(`session ${seq} is missing`);
    const next = {
      selector: session.selector,
      generation: session.generation + 1,
      verifierHash: sha256(`${seq} next`),
    };
    const times = { now, expiresAt: now + 30 * DAY_MS, accessExpiresAt: now + 900_000 };
    await rotations.advance(session, next, { ...times, origin: undefined, batch }, UNLIMITED);
  });
  process.stdout.write(
    [
      `${sessions} sessions, buffer pool ${values['buffer-pool']}, ${CALLERS} callers`,
      `  bytes per session:      ${await bytesPerRow(database, 'session_families')}`,
      `  bytes per audit record without a seal: ${await bytesPerRow(database, 'audit_records')}`,
      `  reads per second:       ${read}`,
      `  rotations per second:   ${rotate} (read and compare-and-set)`,
      '',
    ].join('\n'),
  );
} finally {
  await database.close();
  await server.stop();
}

async function fill(sql: string, times: readonly number[]): Promise<void> {
  for (let from = 1; from <= sessions; from += BATCH) {
    const until = Math.min(from + BATCH - 1, sessions);
    await database.migrateExclusively(log, (statements) => statements.execute(`${sql} seq_${from}_to_${until}`, times));
  }
}

/** Returns how often `work` runs per second, with random sessions. */
async function rate(work: (seq: number) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  const end = started + Number(values.seconds) * 1_000;
  let count = 0;
  const call = async () => {
    for (; performance.now() < end; count += 1) await work(1 + Math.floor(Math.random() * sessions));
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return Math.round((count * 1_000) / (performance.now() - started));
}

async function bytesPerRow(statements: Database, table: string): Promise<number> {
  const [row] = await statements.query<{ bytes: number }>(
    'SELECT file_size AS bytes FROM information_schema.innodb_sys_tablespaces WHERE name = CONCAT(DATABASE(), ?)',
    [`/${table}`],
  );
  return Math.round(row!.bytes / sessions);
}

function md5(seq: number): Buffer {
  return createHash('md5').update(String(seq)).digest();
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
