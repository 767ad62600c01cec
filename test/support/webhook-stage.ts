// Processes that make and send the deliveries of webhooks, with real receivers and a clock of the test.
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createAuditLog, type AuditEvent } from '../../src/auth/audit/trail/audit-log.ts';
import { createFollowedRecords } from '../../src/auth/audit/export/follow-records.ts';
import { createSealer } from '../../src/auth/audit/seals/seal-records.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { insertTenant } from '../../src/auth/tenancy/tenant-store.ts';
import { createDeliverer } from '../../src/auth/delivery/deliver.ts';
import { selectDeliveries, type Delivery } from '../../src/auth/delivery/delivery-list-store.ts';
import { insertQueue } from '../../src/auth/delivery/outbox.ts';
import { createFanOut } from '../../src/auth/webhook/fan-out.ts';
import { createFindWebhookReceiver, type WebhookReceiverOptions } from '../../src/auth/webhook/webhook-receiver.ts';
import { createWebhookSecrets } from '../../src/auth/webhook/webhook-secrets.ts';
import { findWebhook, insertWebhook, type Webhook } from '../../src/auth/webhook/webhook-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { createPostOutside } from '../../src/platform/http/post-outside.ts';
import { testClock, type TestClock } from './clock.ts';
import { createTestDatabase, type TestDatabase, type Engine } from './databases.ts';
import { TEST_KEY_ENCRYPTION_KEY } from './key-encryption-key.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
const EVERY = { everyTenant: true } as const;

export const secrets = createWebhookSecrets(createKeyEncryption(TEST_KEY_ENCRYPTION_KEY));
const log = pino({ level: 'silent' });
export const outside = createPostOutside({ allowedNetworks: ['127.0.0.1'], timeLimitMs: 10_000 });
/** For receivers that never respond. Others are slower on a busy machine. */
export const impatient = createPostOutside({ allowedNetworks: ['127.0.0.1'], timeLimitMs: 300 });
const closing: WebhookReceiver[] = [];

export let test: TestDatabase;
export let clock: TestClock;

export const auditLog = () => createAuditLog(test.database, clock.now, { add: () => undefined, note: () => undefined });

/** A process of the service. */
export function createProcess({
  secrets: ofProcess = secrets,
  maxWaiting,
  ...changed
}: Partial<Parameters<typeof createDeliverer>[0] & Pick<WebhookReceiverOptions, 'secrets' | 'maxWaiting'>> = {}) {
  const records = createFollowedRecords(test.database);
  const options = { database: test.database, records, clock: clock.now };
  const deliverer = createDeliverer({
    ...options,
    findReceiver: createFindWebhookReceiver({ ...options, secrets: ofProcess, ...(maxWaiting && { maxWaiting }) }),
    post: outside.post,
    audit: auditLog(),
    log,
    ...changed,
  });
  const signHead = async ({ tenantId, number }: { tenantId: string | undefined; number: number }) =>
    `head ${tenantId ?? '*'} ${number}`;
  return {
    fanOut: createFanOut({ ...options, signHead }),
    deliverer,
    send: (signal?: AbortSignal) => deliverer.run(signal),
  };
}

export async function receive(respond?: Parameters<typeof startWebhookReceiver>[0]) {
  const receiver = await startWebhookReceiver(respond);
  closing.push(receiver);
  return receiver;
}

export async function addWebhook(
  url: string,
  { tenantId, events }: Pick<Webhook, 'tenantId' | 'events'> = { tenantId: 'acme', events: ['login.succeeded'] },
) {
  const id = newId();
  const secret = secrets.create(id);
  const afterSequence = await createFollowedRecords(test.database).last(test.database);
  const at = clock.now();
  const times = { createdAt: at, updatedAt: at };
  const webhook: Webhook = {
    tenantId,
    id,
    url,
    events,
    disabledReason: undefined,
    afterSequence,
    ...times,
    version: 1,
  };
  await test.database.transaction(UNLIMITED, async (tx) => {
    await insertWebhook(tx, webhook, secret.encrypted);
    await insertQueue(tx, webhook);
  });
  return { webhook, secret: secret.text };
}
export const addForAll = (url: string) => addWebhook(url, { tenantId: undefined, events: ['login.succeeded'] });

/** Stores a record. */
export async function record(event: Partial<AuditEvent> = {}): Promise<void> {
  const context = { requestId: 'r1', clientAddress: '192.0.2.1', deadline: UNLIMITED, log };
  await auditLog().record(context, { event: 'login.succeeded', tenantId: 'acme', ...event });
}

export async function seal(): Promise<void> {
  const sealer = createSealer({ database: test.database, key: TEST_KEY_ENCRYPTION_KEY, clock: clock.now });
  await sealer.sealDue();
  await sealer.release();
}

/** Seals what was recorded, makes its deliveries and sends what is due. */
export async function send(process = createProcess()): Promise<void> {
  await seal();
  await process.fanOut.run();
  await process.fanOut.release();
  await process.send();
}

export async function deliveries(webhook: Webhook): Promise<readonly Delivery[]> {
  const reader = { deadline: UNLIMITED, tenantId: undefined };
  const page = { page: 1, perPage: 100, offset: 0, after: undefined, reader };
  return (await selectDeliveries(test.database, webhook, undefined, page)).items.toReversed();
}
export const disabledReason = async ({ id }: Webhook) => (await findWebhook(test.database, EVERY, id))?.disabledReason;
export const disabledRecords = () =>
  test.database.query<{ details: string }>("SELECT details FROM audit_records WHERE event = 'webhook.disabled'");
export const users = (receiver: WebhookReceiver) => receiver.received.map(({ body }) => body.data['username']);

/** Gives each test an empty database of two tenants and a clock, and ends its receivers afterwards. */
export function useWebhookStage(engine: Engine): void {
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    for (const id of ['acme', 'globex'])
      await insertTenant(test.database, { id, name: id, status: 'ACTIVE', createdAt: 1 });
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    clock = testClock();
    for (const table of [
      'webhooks',
      'webhook_queues',
      'webhook_deliveries',
      'audit_cursors',
      'audit_seals',
      'audit_records',
      'job_leases',
    ])
      await test.database.execute(`DELETE FROM ${table}`);
    await test.database.execute("UPDATE tenants SET status = 'ACTIVE'");
  });
  afterEach(async () => {
    for (const { close } of closing.splice(0)) await close();
  });
}
