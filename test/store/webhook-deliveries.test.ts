// The jobs that make and send the deliveries of webhooks, with real receivers, several processes and a clock of the test.
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuditLog, type AuditEvent } from '../../src/auth/audit/audit-log.ts';
import { createFollowedRecords } from '../../src/auth/audit/follow-records.ts';
import { createSealer } from '../../src/auth/audit/seal-records.ts';
import { createKeyEncryption } from '../../src/auth/token/key-encryption.ts';
import { insertTenant } from '../../src/auth/tenancy/tenant-store.ts';
import { createDeliverer } from '../../src/auth/webhook/deliver.ts';
import { selectDeliveries, type Delivery } from '../../src/auth/webhook/delivery-store.ts';
import { createFanOut } from '../../src/auth/webhook/fan-out.ts';
import { deleteQueue, insertQueue, resumeQueue, wakeQueues } from '../../src/auth/webhook/queue-store.ts';
import { createWebhookSecrets } from '../../src/auth/webhook/webhook-secrets.ts';
import {
  countDisabled,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  replaceSecret,
  updateWebhook,
  type Webhook,
} from '../../src/auth/webhook/webhook-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { rolledBack } from '../../src/platform/db/errors.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createPostOutside } from '../../src/platform/http/post-outside.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { TEST_KEY_ENCRYPTION_KEY } from '../support/key-encryption-key.ts';
import { signedBy, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const EVERY = { everyTenant: true } as const;

const secrets = createWebhookSecrets(createKeyEncryption(TEST_KEY_ENCRYPTION_KEY));
const log = pino({ level: 'silent' });
const outside = createPostOutside({ allowedNetworks: ['127.0.0.1'], timeLimitMs: 10_000 });
/** For receivers that never respond. Others are slower on a busy machine. */
const impatient = createPostOutside({ allowedNetworks: ['127.0.0.1'], timeLimitMs: 300 });
const closing: WebhookReceiver[] = [];

let test: TestDatabase;
let clock: TestClock;

const auditLog = () => createAuditLog(test.database, clock.now, { add: () => undefined, note: () => undefined });

/** A process of the service. */
function createProcess(changed: Partial<Parameters<typeof createDeliverer>[0]> = {}) {
  const records = createFollowedRecords(test.database);
  const options = { database: test.database, records, clock: clock.now };
  const deliverer = createDeliverer({
    ...options,
    secrets,
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

async function receive(respond?: Parameters<typeof startWebhookReceiver>[0]) {
  const receiver = await startWebhookReceiver(respond);
  closing.push(receiver);
  return receiver;
}

async function addWebhook(
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
const addForAll = (url: string) => addWebhook(url, { tenantId: undefined, events: ['login.succeeded'] });

/** Stores a record. */
async function record(event: Partial<AuditEvent> = {}): Promise<void> {
  const context = { requestId: 'r1', clientAddress: '192.0.2.1', deadline: UNLIMITED, log };
  await auditLog().record(context, { event: 'login.succeeded', tenantId: 'acme', ...event });
}

async function seal(): Promise<void> {
  const sealer = createSealer({ database: test.database, key: TEST_KEY_ENCRYPTION_KEY, clock: clock.now });
  await sealer.sealDue();
  await sealer.release();
}

/** Seals what was recorded, makes its deliveries and sends what is due. */
async function send(process = createProcess()): Promise<void> {
  await seal();
  await process.fanOut.run();
  await process.fanOut.release();
  await process.send();
}

async function deliveries(webhook: Webhook): Promise<readonly Delivery[]> {
  const reader = { deadline: UNLIMITED, tenantId: undefined };
  const page = { page: 1, perPage: 100, offset: 0, after: undefined, reader };
  return (await selectDeliveries(test.database, webhook, undefined, page)).items.toReversed();
}
const disabledReason = async ({ id }: Webhook) => (await findWebhook(test.database, EVERY, id))?.disabledReason;
const disabledRecords = () =>
  test.database.query<{ details: string }>("SELECT details FROM audit_records WHERE event = 'webhook.disabled'");
const users = (receiver: WebhookReceiver) => receiver.received.map(({ body }) => body.data['username']);

describe.each(ENGINES)('deliveries of webhooks on %s', (engine) => {
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

  it('are signed POST requests with the audit record', async () => {
    const receiver = await receive();
    const { webhook, secret } = await addWebhook(receiver.url);
    const accountId = newId();
    await record({ accountId, username: 'ann@acme.test', details: { reason: 'x', count: 2 } });
    await send();
    const [received] = receiver.received;
    expect(receiver.received).toHaveLength(1);
    const [delivery] = await deliveries(webhook);
    expect(received!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': delivery!.id,
      'webhook-timestamp': `${Math.floor(clock.now() / 1000)}`,
    });
    const at = new Date(clock.now()).toISOString();
    expect(received!.body).toEqual({
      type: 'login.succeeded',
      timestamp: at,
      data: {
        id: delivery!.recordId,
        tenantId: 'acme',
        at,
        event: 'login.succeeded',
        accountId,
        username: 'ann@acme.test',
        clientAddress: '192.0.2.1',
        requestId: 'r1',
        details: { reason: 'x', count: 2 },
      },
    });
    expect(signedBy(received!, secret)).toEqual([true]);
    expect(delivery).toMatchObject({ status: 'DELIVERED', attempts: 1, responseStatus: 204, nextAt: undefined });
  });

  it('are only those of the own tenant, of the wanted events, and since the creation', async () => {
    await record({ username: 'before' });
    await seal();
    const [own, all] = [await receive(), await receive()];
    await addWebhook(own.url);
    await addForAll(all.url);
    await record({ username: 'own' });
    await record({ username: 'other', tenantId: 'globex' });
    await record({ username: 'none', tenantId: undefined });
    await record({ username: 'unwanted', event: 'account.created' });
    await send();
    expect(users(own)).toEqual(['own']);
    expect(new Set(users(all))).toEqual(new Set(['none', 'other', 'own']));
  });

  it('of audit.sealed have the head of the own tenant, or of all', async () => {
    const [own, all, records] = [await receive(), await receive(), await receive()];
    await addWebhook(own.url, { tenantId: 'acme', events: ['audit.sealed'] });
    await addWebhook(all.url, { tenantId: undefined, events: ['audit.sealed'] });
    await addWebhook(records.url);
    const heads = ({ received }: WebhookReceiver) => received.map(({ body }) => body.data);
    await record();
    await record({ tenantId: 'globex' });
    await send();
    await record({ tenantId: 'globex' });
    await record({ tenantId: undefined });
    await send();
    expect(own.types()).toEqual(['audit.sealed']);
    expect(heads(own)).toEqual([{ tenantId: 'acme', number: 1, head: 'head acme 1' }]);
    expect(heads(all)).toEqual([
      { number: 1, head: 'head * 1' },
      { number: 2, head: 'head * 2' },
    ]);
    expect(records.types()).toEqual(['login.succeeded']);
  });

  it('leave out the details of a record that is longer than 20 kB', async () => {
    const receiver = await receive();
    await addWebhook(receiver.url);
    await record({ username: 'ann', details: { long: 'x'.repeat(18_000) } });
    await record({ username: 'bob', details: { long: 'ä'.repeat(10_000) } });
    await send();
    expect(receiver.received.map(({ text }) => Buffer.byteLength(text) <= 20_000)).toEqual([true, true]);
    const byUser = new Map(receiver.received.map(({ body: { data } }) => [data['username'], data]));
    expect(byUser.get('ann')).toMatchObject({ details: { long: 'x'.repeat(18_000) } });
    expect(byUser.get('bob')).toMatchObject({ details: {}, detailsOmitted: true });
  });

  it('are in the order of the records for each account', async () => {
    const receiver = await receive(async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      return 200;
    });
    await addWebhook(receiver.url);
    const accounts = Array.from({ length: 4 }, () => newId());
    for (let index = 0; index < 24; index += 1) {
      clock.advance(1);
      await record({ accountId: accounts[index % 4]!, username: `${index}` });
    }
    await send();
    expect(receiver.received).toHaveLength(24);
    for (const account of accounts) {
      const ofAccount = receiver.received.filter(({ body }) => body.data['accountId'] === account);
      const order = ofAccount.map(({ body }) => Number(body.data['username']));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
  });

  it.each([
    ['a server error', () => 503, 503, outside],
    ['a redirect, which is not followed', () => 302, 302, outside],
    ['no response in time', () => undefined, undefined, impatient],
  ])('are tried again after %s, with the same id', async (_, respond, responseStatus, { post }) => {
    const receiver = await receive(respond);
    const { webhook } = await addWebhook(receiver.url);
    await record();
    await send(createProcess({ post }));
    expect(await deliveries(webhook)).toMatchObject([
      { status: 'PENDING', attempts: 1, responseStatus, nextAt: clock.now() + 5 * SECOND_MS },
    ]);
    receiver.respond = () => 200;
    clock.advance(5 * SECOND_MS - 1);
    await send();
    expect(receiver.received).toHaveLength(1);
    clock.advance(1);
    await send();
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await deliveries(webhook)).toMatchObject([{ status: 'DELIVERED', attempts: 2, error: undefined }]);
  });

  it('disable their webhook after 75 hours of failures, with an audit record', async () => {
    const receiver = await receive(() => 500);
    const { webhook } = await addWebhook(receiver.url);
    await record();
    const started = clock.now();
    await send();
    const pauses: number[] = [];
    for (let [last] = await deliveries(webhook); last!.nextAt !== undefined; [last] = await deliveries(webhook)) {
      pauses.push(last!.nextAt - clock.now());
      clock.advance(last!.nextAt - clock.now());
      await createProcess().send();
    }
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR_MS);
    expect(pauses).toEqual([5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, ...hours]);
    expect(clock.now() - started).toBeLessThan(76 * HOUR_MS);
    expect(receiver.received).toHaveLength(10);
    expect(await deliveries(webhook)).toMatchObject([{ status: 'FAILED', attempts: 10 }]);
    expect(await disabledReason(webhook)).toBe('FAILING');
    const [{ details }] = (await disabledRecords()) as [{ details: string }];
    expect(JSON.parse(details)).toEqual({ webhook: webhook.id, host: new URL(receiver.url).host, reason: 'FAILING' });
  });

  it('disable their webhook at once after 410', async () => {
    const receiver = await receive(() => 410);
    const { webhook } = await addWebhook(receiver.url);
    await record();
    await send();
    await record();
    await send();
    expect(receiver.received).toHaveLength(1);
    expect(await disabledReason(webhook)).toBe('GONE');
    expect(await countDisabled(test.database)).toEqual(new Map([['GONE', 1]]));
    expect(await disabledRecords()).toHaveLength(1);
    expect(await deliveries(webhook)).toMatchObject([{ status: 'FAILED', responseStatus: 410 }]);
  });

  it('pause together while the receiver fails, and all arrive when it is back', async () => {
    const receiver = await receive(() => 500);
    const { webhook } = await addWebhook(receiver.url);
    for (let index = 0; index < 30; index += 1) await record({ accountId: newId() });
    await send();
    const first = receiver.received.length;
    // Those that were on their way to several accounts.
    expect(first).toBeLessThanOrEqual(5);
    clock.advance(5 * SECOND_MS);
    await send();
    expect(receiver.received).toHaveLength(first + 1);
    receiver.respond = () => 200;
    for (let step = 0; step < 3; step += 1) {
      clock.advance(10 * MINUTE_MS);
      await send();
    }
    expect(await deliveries(webhook)).toSatisfy((all: Delivery[]) => all.every(({ status }) => status === 'DELIVERED'));
  });

  it('of receivers that stop responding do not delay others, also if there are more of them than places', async () => {
    const [dead, alive] = [await receive(() => undefined), await receive()];
    for (let index = 0; index < 10; index += 1) await addWebhook(dead.url);
    await addWebhook(alive.url);
    await record();
    await seal();
    const process = createProcess({ places: { fast: 4, slow: 4, fastMs: 10, total: 100 } });
    await process.fanOut.run();
    const abort = new AbortController();
    while (alive.received.length === 0) {
      await process.deliverer.begin(abort.signal, () => {});
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(process.deliverer.counts.failed).toBe(0);
    abort.abort();
    await process.deliverer.stop();
  });

  it('are each made and sent once by several processes', async () => {
    const receiver = await receive();
    for (let index = 0; index < 5; index += 1) await addWebhook(receiver.url);
    const processes = Array.from({ length: 3 }, () => createProcess());
    for (let round = 0; round < 4; round += 1) {
      for (let index = 0; index < 5; index += 1) await record({ accountId: newId() });
      await seal();
      await Promise.all(processes.map(({ fanOut }) => fanOut.run()));
      await Promise.all(processes.map((process) => process.send()));
      for (const { fanOut } of processes) await fanOut.release();
    }
    await send(processes[0]);
    expect(receiver.received).toHaveLength(100);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(100);
  });

  it('of a process that was killed are sent again with the same id, when its lease has ended', async () => {
    const receiver = await receive(() => undefined);
    const { webhook } = await addWebhook(receiver.url);
    await record();
    await seal();
    const killed = createProcess();
    await killed.fanOut.run();
    await killed.fanOut.release();
    const abort = new AbortController();
    const dying = killed.deliverer.begin(abort.signal, () => {});
    while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // Nothing of the killed process is stored.
    await test.database.execute('UPDATE webhook_queues SET holder_id = ?', [Buffer.alloc(16, 1)]);
    abort.abort();
    await dying;
    await killed.deliverer.stop();
    receiver.respond = () => 200;
    await send();
    expect(receiver.received).toHaveLength(1);
    clock.advance(MINUTE_MS);
    await send();
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await deliveries(webhook)).toMatchObject([{ status: 'DELIVERED', attempts: 1 }]);
  });

  it('are sent once if their outcome cannot be stored at first', async () => {
    const receiver = await receive();
    const { webhook } = await addWebhook(receiver.url);
    for (const username of ['ann', 'bob']) await record({ username });
    const audit = auditLog();
    let refusals = 2;
    const commit: typeof audit.commit = async (...args) => {
      if ((refusals -= 1) >= 0) throw rolledBack('deadlock');
      return audit.commit(...args);
    };
    const process = createProcess({ audit: { commit } });
    await send(process);
    expect(users(receiver)).toEqual(['ann', 'bob']);
    expect(process.deliverer.counts).toEqual({ delivered: 2, failed: 0, 'given-up': 0 });
    expect(await deliveries(webhook)).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED' }]);
  });

  it('change the queue that they wake, so that a cluster finds the conflict with a release', async () => {
    const { webhook } = await addWebhook('http://127.0.0.1:9/');
    const wake = async () => {
      await wakeQueues(test.database, test.database, [webhook], clock.now());
      return (await test.database.query<{ due_at: number }>('SELECT due_at FROM webhook_queues'))[0]!.due_at;
    };
    const times = [await wake(), await wake(), await wake()];
    await test.database.execute('UPDATE webhook_queues SET due_at = NULL, paused_until = ?', [clock.now() + MINUTE_MS]);
    times.push(await wake(), await wake());
    const now = clock.now();
    expect(times).toEqual([now - 1, now - 2, now - 3, now + MINUTE_MS - 1, now + MINUTE_MS - 2]);
  });

  it('of a process that stops are not counted, and sent by another one at once', async () => {
    const receiver = await receive(() => undefined);
    const { webhook } = await addWebhook(receiver.url);
    await record();
    await seal();
    const stopped = createProcess();
    await stopped.fanOut.run();
    const abort = new AbortController();
    await stopped.deliverer.begin(abort.signal, () => {});
    while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    abort.abort();
    await stopped.deliverer.stop();
    receiver.respond = () => 200;
    await createProcess().send();
    expect(await deliveries(webhook)).toMatchObject([{ status: 'DELIVERED', attempts: 1 }]);
  });

  it('have two signatures for a day after a new secret', async () => {
    const receiver = await receive();
    const { webhook, secret } = await addWebhook(receiver.url);
    const next = secrets.create(webhook.id);
    await test.database.transaction(UNLIMITED, (tx) =>
      replaceSecret(tx, webhook, next.encrypted, clock.now() + 24 * HOUR_MS),
    );
    await record();
    await send();
    clock.advance(24 * HOUR_MS);
    await record();
    await send();
    const [during, after] = receiver.received;
    expect([signedBy(during!, next.text), signedBy(during!, secret)]).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(signedBy(after!, next.text)).toEqual([true]);
  });

  it('wait while the key of the secrets is lost, until the secret is replaced', async () => {
    const receiver = await receive();
    const { webhook } = await addWebhook(receiver.url);
    await record();
    const restored = createWebhookSecrets(createKeyEncryption(Buffer.alloc(32, 9)));
    await send(createProcess({ secrets: restored }));
    expect(receiver.received).toEqual([]);
    const [waiting] = await deliveries(webhook);
    expect(waiting).toMatchObject({ status: 'PENDING', error: 'the secret cannot be decrypted: replace it' });
    const next = restored.create(webhook.id);
    // The secret before it cannot be decrypted for a day.
    await replaceSecret(test.database, webhook, next.encrypted, clock.now() + 24 * HOUR_MS);
    clock.advance(HOUR_MS);
    await send(createProcess({ secrets: restored }));
    expect(receiver.received.map((request) => signedBy(request, next.text))).toEqual([[true]]);
  });

  it('end with the webhook', async () => {
    const receiver = await receive(() => 500);
    const { webhook } = await addWebhook(receiver.url);
    await record();
    await send();
    await deleteWebhook(test.database, webhook);
    clock.advance(HOUR_MS);
    await send();
    expect(receiver.received).toHaveLength(1);
  });

  it('are listed by their status from an index', async () => {
    const steps: unknown[] = [];
    const explain = engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN FORMAT=TRADITIONAL';
    const queryLong: Database['queryLong'] = async (sql, values, reader) => {
      steps.push(...(await test.database.query(`${explain} ${sql.replaceAll('is_wanted()', '1')}`, values)));
      return test.database.queryLong(sql, values, reader);
    };
    const { webhook } = await addForAll('http://192.0.2.1/');
    const reader = { deadline: UNLIMITED, tenantId: undefined };
    const page = { page: 1, perPage: 100, offset: 0, after: undefined, reader };
    await selectDeliveries({ ...test.database, queryLong }, webhook, 'FAILED', page);
    expect(JSON.stringify(steps)).toContain('tenant_id_webhook_id_status_id');
  });

  it('wait while their webhook is disabled', async () => {
    const receiver = await receive(() => 500);
    const { webhook } = await addWebhook(receiver.url);
    await record({ username: 'waits' });
    await send();
    await updateWebhook(test.database, { ...webhook, disabledReason: 'ADMINISTRATOR' });
    clock.advance(HOUR_MS);
    await record({ username: 'never' });
    await send();
    expect(users(receiver)).toEqual(['waits']);
    receiver.respond = () => 200;
    await test.database.transaction(UNLIMITED, async (tx) => {
      await updateWebhook(tx, { ...webhook, afterSequence: await createFollowedRecords(test.database).last(tx) });
      await resumeQueue(tx, webhook, clock.now());
    });
    await send();
    expect(users(receiver)).toEqual(['waits', 'waits']);
  });

  it('of a suspended tenant wait until it is active again, in their order', async () => {
    const [own, all] = [await receive(), await receive()];
    const { webhook } = await addWebhook(own.url);
    await addForAll(all.url);
    const setStatus = (status: string) =>
      test.database.execute('UPDATE tenants SET status = ? WHERE id = ?', [status, Buffer.from('acme')]);
    await record({ username: 'before' });
    await seal();
    await createProcess().fanOut.run();
    await setStatus('SUSPENDED');
    await record({ username: 'meanwhile' });
    for (let minute = 0; minute < 3; minute += 1) {
      await send();
      clock.advance(MINUTE_MS);
    }
    expect([users(own), users(all)]).toEqual([[], ['before', 'meanwhile']]);
    expect(await disabledReason(webhook)).toBeUndefined();
    expect(await deliveries(webhook)).toMatchObject([
      { status: 'PENDING', attempts: 0 },
      { status: 'PENDING', attempts: 0 },
    ]);
    await setStatus('ACTIVE');
    await send();
    expect(users(own)).toEqual(['before', 'meanwhile']);
  });

  it.each([
    ['fail', 500, 'ACTIVE'],
    ['are held back', 200, 'SUSPENDED'],
  ])('that %s disable their webhook if too many wait', async (_what, response, status) => {
    const receiver = await receive(() => response);
    const { webhook } = await addWebhook(receiver.url);
    const other = await addWebhook((await receive()).url, { tenantId: 'globex', events: ['login.succeeded'] });
    await test.database.execute('UPDATE tenants SET status = ? WHERE id = ?', [status, Buffer.from('acme')]);
    const process = createProcess({ maxWaiting: 2 });
    for (const reason of [undefined, 'BACKLOG']) {
      for (let count = 0; count < 2; count += 1) await record();
      clock.advance(HOUR_MS);
      await send(process);
      expect(await disabledReason(webhook)).toBe(reason);
    }
    expect(await disabledReason(other.webhook)).toBeUndefined();
    expect((await disabledRecords()).map(({ details }) => JSON.parse(details).reason)).toEqual(['BACKLOG']);
    // They are kept, and sent when the webhook is enabled.
    receiver.respond = () => 200;
    await test.database.execute("UPDATE tenants SET status = 'ACTIVE'");
    await test.database.transaction(UNLIMITED, async (tx) => {
      await updateWebhook(tx, { ...webhook, afterSequence: await createFollowedRecords(test.database).last(tx) });
      await resumeQueue(tx, webhook, clock.now());
    });
    for (let hour = 0; hour < 3; hour += 1) {
      await send(process);
      clock.advance(HOUR_MS);
    }
    expect((await deliveries(webhook)).map((one) => one.status)).toEqual(Array(4).fill('DELIVERED'));
  });

  it('are not made for a webhook that is deleted meanwhile, and delay no others', async () => {
    const [erased, kept] = [await receive(), await receive()];
    const { webhook } = await addWebhook(erased.url);
    await addForAll(kept.url);
    await record();
    await seal();
    // An erasure deletes the rows of one table after another.
    await deleteQueue(test.database, webhook);
    await createProcess().fanOut.run();
    await createProcess().send();
    expect(await deliveries(webhook)).toEqual([]);
    expect([erased.received.length, kept.received.length]).toEqual([0, 1]);
  });

  it('have the record as it is after an erasure, and none if it is gone', async () => {
    const receiver = await receive(() => 500);
    const { webhook } = await addWebhook(receiver.url);
    await record({ username: 'ann' });
    await record({ username: 'bob' });
    await seal();
    await createProcess().fanOut.run();
    await test.database.execute("UPDATE audit_records SET username = NULL WHERE username = 'ann'");
    await test.database.execute("DELETE FROM audit_records WHERE username = 'bob'");
    receiver.respond = () => 200;
    await createProcess().send();
    expect(users(receiver)).toEqual([undefined]);
    expect(await deliveries(webhook)).toHaveLength(1);
  });
});
