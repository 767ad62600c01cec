// Deliveries whose receivers fail, or whose webhook or tenant is disabled, suspended or deleted meanwhile.
import { describe, expect, it } from 'vitest';
import { createFollowedRecords } from '../../src/auth/audit/export/follow-records.ts';
import type { Delivery } from '../../src/auth/delivery/delivery-list-store.ts';
import { deleteQueue, resumeQueue } from '../../src/auth/delivery/outbox.ts';
import { countDisabled, deleteWebhook, updateWebhook } from '../../src/auth/webhook/webhook-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { ENGINES } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import {
  addForAll,
  addWebhook,
  clock,
  createProcess,
  deliveries,
  disabledReason,
  disabledRecords,
  HOUR_MS,
  impatient,
  MINUTE_MS,
  outside,
  receive,
  record,
  seal,
  SECOND_MS,
  send,
  test,
  users,
  useWebhookStage,
} from '../support/webhook-stage.ts';

describe.each(ENGINES)('deliveries of webhooks that fail or wait on %s', (engine) => {
  useWebhookStage(engine);

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
    await eventually(async () => {
      await process.deliverer.begin(abort.signal, () => {});
      expect(alive.received).toHaveLength(1);
    });
    expect(process.deliverer.counts.webhook.failed).toBe(0);
    abort.abort();
    await process.deliverer.stop();
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
});
