// What administrators see of deliveries: attempts, since when a webhook fails, and what can be sent again.
import { describe, expect, it } from 'vitest';
import { readAttempts } from '../../src/auth/delivery/delivery-messages.ts';
import { forgetAttempts, readReceiverStates, restartFailed, resumeQueue } from '../../src/auth/delivery/outbox.ts';
import { createFailureMails } from '../../src/auth/webhook/failure-mails.ts';
import { updateWebhook, type Webhook } from '../../src/auth/webhook/webhook-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { ENGINES } from '../support/databases.ts';
import {
  addForAll,
  addWebhook,
  clock,
  createProcess,
  deliveries,
  HOUR_MS,
  MINUTE_MS,
  receive,
  record,
  SECOND_MS,
  send,
  test,
  useWebhookStage,
} from '../support/webhook-stage.ts';

describe.each(ENGINES)('webhooks that administrators look at on %s', (engine) => {
  useWebhookStage(engine);

  const attemptsOf = async (webhook: Webhook) => {
    const [delivery] = await deliveries(webhook);
    return readAttempts(test.database, webhook, delivery!.id);
  };
  const stateOf = async (webhook: Webhook) => (await readReceiverStates(test.database, test.database, [webhook]))[0];
  const restart = (webhook: Webhook, since: number, limit = 100) =>
    test.database.transaction(UNLIMITED, async (tx) => {
      await resumeQueue(tx, webhook, clock.now());
      return restartFailed(tx, test.database, webhook, { since, now: clock.now(), limit });
    });

  it('show each attempt with the response', async () => {
    const receiver = await receive(() => ({ status: 503, text: 'later' }));
    const { webhook } = await addWebhook(receiver.url);
    await record();
    const started = clock.now();
    await send();
    receiver.respond = () => ({ status: 200, text: 'thanks' });
    clock.advance(5 * SECOND_MS);
    await send();
    expect(await attemptsOf(webhook)).toMatchObject([
      { at: started, status: 503, body: 'later', error: 'the receiver responded 503' },
      { at: started + 5 * SECOND_MS, status: 200, body: 'thanks' },
    ]);
  });

  it('know the last success, since when they fail, and how many deliveries wait', async () => {
    const receiver = await receive();
    const { webhook } = await addWebhook(receiver.url);
    expect(await stateOf(webhook)).toEqual({ lastSuccessAt: undefined, failingSince: undefined, waiting: 0 });
    await record();
    const first = clock.now();
    await send();
    expect(await stateOf(webhook)).toEqual({ lastSuccessAt: first, failingSince: undefined, waiting: 0 });
    receiver.respond = () => 500;
    clock.advance(MINUTE_MS);
    const failing = clock.now();
    for (let count = 0; count < 3; count += 1) await record();
    await send();
    clock.advance(5 * SECOND_MS);
    await send();
    expect(await stateOf(webhook)).toEqual({ lastSuccessAt: first, failingSince: failing, waiting: 3 });
    // An administrator who sends one again does not make it a success.
    await restart(webhook, 0);
    expect(await stateOf(webhook)).toMatchObject({ failingSince: failing });
    receiver.respond = () => 204;
    clock.advance(HOUR_MS);
    await send();
    expect(await stateOf(webhook)).toEqual({ lastSuccessAt: clock.now(), failingSince: undefined, waiting: 0 });
    expect(await readReceiverStates(test.database, test.database, [])).toEqual([]);
  });

  it('send those again that have failed, or wait after a failed attempt, since a time', async () => {
    const receiver = await receive(() => 500);
    const { webhook } = await addWebhook(receiver.url);
    await record({ username: 'old' });
    await send();
    await test.database.execute("UPDATE webhook_deliveries SET status = 'FAILED', next_at = NULL");
    clock.advance(HOUR_MS);
    const since = clock.now();
    for (const username of ['failed', 'waits', 'untried']) await record({ username });
    await send();
    const [old, failed, waits, untried] = await deliveries(webhook);
    expect([failed, waits, untried].map((one) => one!.attempts)).toEqual([1, 0, 0]);
    await test.database.execute("UPDATE webhook_deliveries SET status = 'FAILED', next_at = NULL WHERE attempts = 1");
    clock.advance(HOUR_MS);
    await createProcess().send();
    expect((await deliveries(webhook)).map(({ status, attempts }) => [status, attempts])).toEqual([
      ['FAILED', 1],
      ['FAILED', 1],
      ['PENDING', 1],
      ['PENDING', 0],
    ]);
    expect(await restart(webhook, since, 1)).toEqual({ count: 1, hasMore: true });
    expect(await restart(webhook, since, 1)).toEqual({ count: 1, hasMore: false });
    expect(await restart(webhook, since)).toEqual({ count: 0, hasMore: false });
    receiver.respond = () => 204;
    for (let hour = 0; hour < 3; hour += 1) {
      await createProcess().send();
      clock.advance(HOUR_MS);
    }
    expect((await deliveries(webhook)).map(({ id, status }) => [id, status])).toEqual([
      [old!.id, 'FAILED'],
      [failed!.id, 'DELIVERED'],
      [waits!.id, 'DELIVERED'],
      [untried!.id, 'DELIVERED'],
    ]);
  });

  it('forget what receivers responded to records of an erased account', async () => {
    const own = await receive(() => ({ status: 200, text: 'hello ann' }));
    const { webhook } = await addWebhook(own.url);
    const { webhook: ofAll } = await addForAll(own.url);
    const [accountId, actorId] = [newId(), newId()];
    await record({ accountId, actorId });
    await send();
    const forget = (tenantId: string | undefined, id: string) =>
      forgetAttempts(test.database, tenantId, { accountId: id, limit: 10 });
    expect(await forget('acme', newId())).toBe(0);
    expect(await attemptsOf(webhook)).toHaveLength(1);
    expect(await forget('acme', accountId)).toBe(1);
    expect(await forget(undefined, actorId)).toBe(1);
    expect([await attemptsOf(webhook), await attemptsOf(ofAll)]).toEqual([[], []]);
    expect(await forget('acme', accountId)).toBe(0);
  });

  it('are told of once by mail when they have failed for an hour, and again after a success', async () => {
    const receiver = await receive(() => 500);
    const { webhook } = await addWebhook(receiver.url);
    const { webhook: disabled } = await addWebhook(receiver.url);
    const told: unknown[] = [];
    const job = createFailureMails({
      database: test.database,
      clock: clock.now,
      notify: async (_tx, notice, { id }, at, ...values) => void told.push([notice, id, at, ...values]),
      findAdministrators: async (tenantId) => [
        { tenantId, id: `admin of ${tenantId}`, username: 'ann', email: 'ann@acme.test', factors: [] },
      ],
    });
    const failed = clock.now();
    await record();
    await send();
    await updateWebhook(test.database, { ...disabled, disabledReason: 'ADMINISTRATOR' });
    clock.advance(HOUR_MS - 1);
    await job.run();
    expect(told).toEqual([]);
    clock.advance(1);
    const setStatus = (status: string) =>
      test.database.execute('UPDATE tenants SET status = ? WHERE id = ?', [status, Buffer.from('acme')]);
    await setStatus('SUSPENDED');
    await job.run();
    expect(told).toEqual([]);
    await setStatus('ACTIVE');
    await job.run();
    await job.run();
    const mail = ['webhook-failing', 'admin of acme', failed, { webhook: new URL(receiver.url).host }];
    expect(told).toEqual([mail]);
    receiver.respond = () => 204;
    await send();
    receiver.respond = () => 500;
    clock.advance(MINUTE_MS);
    await record();
    const again = clock.now();
    await send();
    clock.advance(HOUR_MS);
    await job.run();
    expect(told).toEqual([mail, [...mail.slice(0, 2), again, mail[3]]]);
    expect(await stateOf(webhook)).toMatchObject({ failingSince: again });
  });
});
