// Two services on two nodes of a Galera cluster make and send the deliveries of the same webhooks: none is lost, also if both change the
// row of a webhook at the same time, or a node is killed.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { insertAuditRecords } from '../../src/auth/audit/trail/audit-store.ts';
import { insertDeliveries, nextDueAt } from '../../src/auth/delivery/delivery-store.ts';
import { insertQueue, releaseQueue, wakeQueues } from '../../src/auth/delivery/queue-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { DatabaseError, isRolledBack } from '../../src/platform/db/errors.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import type { Database, Statements } from '../../src/platform/db/types.ts';
import { seedAccount } from '../support/accounts.ts';
import { untilServed } from '../support/at-once.ts';
import { ENGINES } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { onMysqlServer } from '../support/mysql-server.ts';
import { bearer, restClient } from '../support/rest-client.ts';
import { ROUNDS } from '../support/rounds.ts';
import { seedSession } from '../support/sessions.ts';
import { startWebhookReceiver, type ReceivedWebhook, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { startGalera, type GaleraCluster } from './galera.ts';

const DATABASE = 'webhooks';
const WEBHOOKS = 20;
/** How often the accounts write: before a node is killed, meanwhile, and afterwards. */
const BATCHES = 2 + ROUNDS;
/** Records of each account in a batch. */
const RECORDS = 15;
const ACCOUNTS = [newId(), newId(), newId(), newId()];
/** The batch in which a node is killed. */
const KILLED = 1;
/** A service that lost its node stores what it has sent when it has another one. Its lease ends after a minute. */
const PATIENCE = { timeout: 120_000, interval: 250 };
const CLOCK = { now: Date.now, advance: () => {} };

let cluster: GaleraCluster;
/** The services with the nodes 1 and 2 as their first host. */
let services: readonly Deployment[] = [];
let receivers: readonly WebhookReceiver[] = [];

beforeAll(async () => {
  cluster = await startGalera();
  await onMysqlServer(cluster.nodes[0]!.url, (connection) => connection.query(`CREATE DATABASE ${DATABASE}`));
  const [one, two, three] = cluster.nodes.map(({ url }) => new URL(url).host);
  for (const hosts of [
    [one, two, three],
    [two, three, one],
  ]) {
    const databaseUrl = `mysql://root@${hosts.join(',')}/${DATABASE}`;
    const settings = { 'app.webhooks.allowed-networks': '127.0.0.1' };
    const engine = ENGINES.at(-1)!;
    services = [...services, await deploy({ engine, transport: 'local', databaseUrl, settings, clock: CLOCK })];
  }
});
afterAll(async () => {
  for (const service of services.toReversed()) await service.close();
  for (const receiver of receivers) await receiver.close();
  await cluster?.stop();
});

async function createWebhooks(): Promise<void> {
  const admin = await seedAccount(services[0]!.database, { tenantId: 'acme', roles: ['ADMIN'] });
  const { accessToken } = await seedSession(services[0]!, admin);
  const rest = restClient(services[0]!.url);
  for (let index = 0; index < WEBHOOKS; index += 1) {
    // Batches end at different times.
    const receiver = await startWebhookReceiver(() => sleep(Math.random() * 40, 204));
    receivers = [...receivers, receiver];
    const body = { url: receiver.url, events: ['login.succeeded'] };
    const created = await untilServed(() => rest.postJson('/api/v1/webhooks', body, bearer(accessToken)));
    expect(created.status, created.text).toBe(201);
  }
}

/** Writes the records of an account one after another, at one node. */
async function write(index: number, batch: number): Promise<void> {
  const { database } = services[index % services.length]!;
  for (let place = 0; place < RECORDS; place += 1) {
    const record = {
      id: newId(),
      tenantId: 'acme',
      at: Date.now(),
      event: 'login.succeeded',
      accountId: ACCOUNTS[index]!,
      clientAddress: '192.0.2.1',
      requestId: newId(),
      details: { number: batch * RECORDS + place },
    };
    await untilStored(() => database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, [record])));
    await sleep(Math.random() * 300);
  }
}

/** Repeats a write while its node is not available. A duplicate is a write whose response was lost. */
async function untilStored(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DatabaseError && error.kind === 'duplicate') return;
      if (!(error instanceof DependencyUnavailableError)) throw error;
    }
    await sleep(200);
  }
}

async function killNode(): Promise<void> {
  await sleep(1_000);
  await cluster.nodes[0]!.kill();
  await sleep(2_000);
  await cluster.nodes[0]!.restart();
  await cluster.healed();
}

/** The numbers of the records of an account, each where it arrived first. */
function numbersOf({ received }: WebhookReceiver, accountId: string): number[] {
  const ofAccount = received.filter(({ body }) => body.data['accountId'] === accountId);
  const numberOf = ({ body }: ReceivedWebhook) => (body.data['details'] as { number: number }).number;
  return [...new Set(ofAccount.map(numberOf))];
}

it('a release on one node and new deliveries on another are not both committed', async () => {
  const [one, two] = services.map(({ database }) => database) as [Database, Database];
  const webhook = { tenantId: 'globex', id: newId() };
  const holder = newId();
  const now = Date.now();
  const content = { payload: '{}' };
  const delivery = { id: newId(), receiver: webhook, sequence: 1, event: 'webhook.test', content, createdAt: now };
  await one.transaction(UNLIMITED, (tx) => insertQueue(tx, webhook));
  // No service looks at it before the end: its lease is taken.
  await one.execute('UPDATE webhook_queues SET due_at = ?, holder_id = ?, leased_until = ? WHERE webhook_id = ?', [
    now - 1_000,
    idToBytes(holder),
    now + 600_000,
    idToBytes(webhook.id),
  ]);
  const made = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const making = one.transaction(UNLIMITED, async (tx: Statements) => {
    await insertDeliveries(tx, [delivery]);
    await wakeQueues(tx, one, [webhook], now);
    made.resolve();
    await released.promise;
  });
  await made.promise;
  await two.transaction(UNLIMITED, async (tx) => {
    expect(await releaseQueue(tx, holder, webhook, { failures: 0, isSlow: false, pausedUntil: 0 })).toBe(true);
    expect(await nextDueAt(tx, two, webhook)).toBeUndefined();
  });
  released.resolve();
  const outcome = await making.then(() => 'committed', isRolledBack);
  await one.execute('DELETE FROM webhook_queues WHERE webhook_id = ?', [idToBytes(webhook.id)]);
  expect(outcome).toBe(true);
});

it(`two services on two Galera nodes send each event to each of ${WEBHOOKS} webhooks, in order per account`, async () => {
  await createWebhooks();
  for (let batch = 0; batch < BATCHES; batch += 1) {
    await Promise.all([...ACCOUNTS.map((_, index) => write(index, batch)), ...(batch === KILLED ? [killNode()] : [])]);
    const expected = Array.from({ length: (batch + 1) * RECORDS }, (_, number) => number);
    // A lost wake-up would wait for the next event, which does not come.
    await vi.waitFor(() => {
      for (const receiver of receivers)
        for (const account of ACCOUNTS) expect(numbersOf(receiver, account)).toEqual(expected);
    }, PATIENCE);
  }
  const sent = receivers.reduce((sum, { received }) => sum + received.length, 0);
  console.log(`${sent} requests for ${WEBHOOKS * ACCOUNTS.length * RECORDS * BATCHES} deliveries`);
});
