// One run: writers in several processes, faults, and readers that resume. Returns what was written and read.
import { setTimeout as sleep } from 'node:timers/promises';
import { insertAuditRecords } from '../../../src/auth/audit/trail/audit-store.ts';
import { verifyTrail } from '../../../src/auth/audit/seals/verify-trail.ts';
import { insertClientSecret } from '../../../src/auth/client-credentials/client-secret-store.ts';
import { createKeyEncryption } from '../../../src/auth/keys/key-encryption.ts';
import { loadSealKey } from '../../../src/composition/audit-trail.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { bytesToId, newId } from '../../../src/platform/db/ids.ts';
import type { Database } from '../../../src/platform/db/types.ts';
import { seedAccount } from '../accounts.ts';
import { TEST_KEY_ENCRYPTION_KEY } from '../key-encryption-key.ts';
import { bearer } from '../rest-client.ts';
import { seedSession } from '../sessions.ts';
import { startWebhookReceiver } from '../webhook-receiver.ts';
import type { AuditHistory, StoredRecord } from './history.ts';
import { startReader, type AuditReader, type StreamKind } from './reader.ts';
import type { HistoryService } from './services.ts';

export interface AuditRun {
  /** The test's own way to the database. */
  readonly database: Database;
  readonly services: readonly HistoryService[];
  /** Makes things go wrong, one after the other. */
  readonly faults: () => Promise<void>;
}

const REAL_TIME = { now: Date.now, advance: () => {} };
const CALM_MS = 1_000;
const CALL_LIMIT_MS = 5_000;
/** Generous: jobs, leases and reconnections on a busy machine. */
const SETTLE_LIMIT_MS = 90_000;
const LONGEST_TRANSACTION_MS = 400;
const WRITERS = 3;
const PAUSE_MS = 40;
const DIRECT = 'login.succeeded';
const GRANT = 'client.authenticated';
const EVENTS = [DIRECT, GRANT];
const READERS: readonly { readonly kind: StreamKind; readonly tenantId: string | undefined }[] = [
  { kind: 'grpc', tenantId: undefined },
  { kind: 'sse', tenantId: undefined },
  { kind: 'grpc', tenantId: 'acme' },
  { kind: 'sse', tenantId: 'acme' },
];

/** Runs writers and readers during the faults. Rejects if the trail does not fit its seals afterwards. */
export async function runAuditHistory({ database, services, faults }: AuditRun): Promise<AuditHistory> {
  const root = await seedAccount(database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
  const admin = await seedAccount(database, { tenantId: 'acme', roles: ['TENANT_ADMIN'] });
  const tokens = new Map<string | undefined, string>();
  for (const account of [root, admin])
    tokens.set(account.tenantId, (await seedSession({ database, clock: REAL_TIME }, account)).accessToken);
  const deliveries = new Map<string, Set<string>>();
  const receiver = await startWebhookReceiver(({ headers, body }) => {
    const record = body.data['id'] as string;
    deliveries.set(record, (deliveries.get(record) ?? new Set()).add(headers['webhook-id'] as string));
    return 204;
  });
  await createWebhook(services[0]!, tokens.get(undefined)!, receiver.url);
  const place = await lastPlace(database);
  const readers: AuditReader[] = [];
  for (const { kind, tenantId } of READERS) {
    const name = `${kind} of ${tenantId ?? 'all'}`;
    readers.push(await startReader({ name, kind, tenantId, accessToken: tokens.get(tenantId)!, services }));
  }
  const writing = new AbortController();
  const committed: string[] = [];
  const client = await seedClient(database);
  const writers = Array.from({ length: WRITERS }, () => [
    keepWriting(writing.signal, async () => void committed.push(...(await writeRecords(database)))),
    keepWriting(writing.signal, () => requestToken(services[Math.floor(Math.random() * services.length)]!, client)),
  ]).flat();
  await sleep(CALM_MS);
  await faults();
  await sleep(CALM_MS);
  writing.abort();
  await Promise.all(writers);
  for (const reader of readers) reader.keepAll();
  const stored = await settle(database, { place, readers, deliveries });
  await Promise.all(readers.map((reader) => reader.stop()));
  await receiver.close();
  await database.execute('DELETE FROM webhooks');
  await assertVerified(database);
  return { stored, committed, readers, webhook: { events: EVENTS, deliveries } };
}

async function createWebhook({ addresses }: HistoryService, accessToken: string, url: string): Promise<void> {
  const response = await fetch(`${addresses.http}/api/v1/webhooks`, {
    method: 'POST',
    headers: { ...bearer(accessToken), 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: EVENTS }),
  });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
}

/** Repeats until the signal aborts. What fails may have been written. */
async function keepWriting(signal: AbortSignal, write: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await write().catch(() => undefined);
    await sleep(Math.random() * PAUSE_MS);
  }
}

/** Writes records in a transaction that others overtake. Returns their ids. */
async function writeRecords(database: Database): Promise<string[]> {
  const ids = Array.from({ length: 1 + Math.floor(Math.random() * 3) }, newId);
  const tenants = ['acme', 'globex', undefined];
  const records = ids.map((id, index) => {
    const base = { at: Date.now(), event: DIRECT, clientAddress: '', requestId: '' };
    return { ...base, id, tenantId: tenants[index] };
  });
  await database.transaction(UNLIMITED, async (tx) => {
    await insertAuditRecords(tx, records);
    // A transaction of SQLite excludes all others.
    if (database.engine === 'mysql') await sleep(Math.random() * LONGEST_TRANSACTION_MS);
  });
  return ids;
}

async function seedClient(database: Database) {
  const { id: ownerId, tenantId, username } = await seedAccount(database, { interactive: false });
  const secret = newId();
  await insertClientSecret(database, { tenantId, ownerId, secret, createdAt: Date.now() });
  return new URLSearchParams({ grant_type: 'client_credentials', client_id: username, client_secret: secret });
}

async function requestToken({ addresses }: HistoryService, body: URLSearchParams): Promise<void> {
  const signal = AbortSignal.timeout(CALL_LIMIT_MS);
  await (await fetch(`${addresses.http}/api/v1/auth/token`, { method: 'POST', body, signal })).body?.cancel();
}

/** Waits until all records are sealed, and the consumers have as many records as there are, or the limit is reached. */
async function settle(
  database: Database,
  consumers: {
    readonly place: number;
    readonly readers: readonly AuditReader[];
    readonly deliveries: ReadonlyMap<string, unknown>;
  },
): Promise<readonly StoredRecord[]> {
  const { place, readers, deliveries } = consumers;
  let stored: readonly StoredRecord[] = [];
  let areLeasesEnded = false;
  for (const end = performance.now() + SETTLE_LIMIT_MS; performance.now() < end; await sleep(200)) {
    // The lease of a process that was killed would last for a minute.
    areLeasesEnded ||= await database.execute('UPDATE webhook_queues SET leased_until = 0').then(
      () => true,
      () => false,
    );
    const [waiting] = await database.query<{ count: number }>(
      'SELECT COUNT(*) AS count FROM audit_records WHERE sequence IS NULL',
    );
    if (waiting!.count > 0) continue;
    stored = await selectStored(database, place);
    const isRead = readers.every(
      ({ ids, tenantId }) =>
        ids.length >= countOf(stored, (one) => tenantId === undefined || one.tenantId === tenantId),
    );
    if (isRead && deliveries.size >= countOf(stored, ({ event }) => EVENTS.includes(event))) break;
  }
  // For what comes twice.
  await sleep(CALM_MS);
  return stored;
}

const countOf = (records: readonly StoredRecord[], isCounted: (record: StoredRecord) => boolean) =>
  records.filter(isCounted).length;

async function lastPlace(database: Database): Promise<number> {
  for (;;) {
    const [row] = await database.query<{ waiting: number; last: number }>(
      `SELECT COUNT(CASE WHEN sequence IS NULL THEN 1 END) AS waiting,
         COALESCE(MAX(sequence), 0) AS last FROM audit_records`,
    );
    if (row!.waiting === 0) return row!.last;
    await sleep(100);
  }
}

async function selectStored(database: Database, after: number): Promise<StoredRecord[]> {
  const rows = await database.query<{ id: Uint8Array; tenant: string; event: string }>(
    'SELECT id, CAST(tenant_id AS CHAR) AS tenant, event FROM audit_records WHERE sequence > ? ORDER BY sequence',
    [after],
  );
  return rows.map(({ id, tenant, event }) => ({ id: bytesToId(id), tenantId: tenant || undefined, event }));
}

async function assertVerified(database: Database): Promise<void> {
  const encryption = createKeyEncryption(TEST_KEY_ENCRYPTION_KEY);
  const key = await loadSealKey({ database, clock: Date.now, encryption });
  const problems: unknown[] = [];
  await verifyTrail({ database, key, onProblem: (problem) => void problems.push(problem) });
  if (problems.length > 0) throw new Error(`the trail does not fit its seals: ${JSON.stringify(problems)}`);
}
