// Deliveries that several processes make and send, and how their queue is stored.
import { describe, expect, it } from 'vitest';
import { selectDeliveries } from '../../src/auth/delivery/delivery-list-store.ts';
import { wakeQueues } from '../../src/auth/delivery/queue-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { rolledBack } from '../../src/platform/db/errors.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { ENGINES } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { ROUNDS } from '../support/rounds.ts';
import {
  addForAll,
  addWebhook,
  auditLog,
  clock,
  createProcess,
  deliveries,
  MINUTE_MS,
  receive,
  record,
  seal,
  send,
  test,
  users,
  useWebhookStage,
} from '../support/webhook-stage.ts';

describe.each(ENGINES)('deliveries of webhooks by several processes on %s', (engine) => {
  useWebhookStage(engine);

  it('are each made and sent once by several processes', async () => {
    const receiver = await receive();
    for (let index = 0; index < 5; index += 1) await addWebhook(receiver.url);
    const processes = Array.from({ length: 3 }, () => createProcess());
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let index = 0; index < 5; index += 1) await record({ accountId: newId() });
      await seal();
      await Promise.all(processes.map(({ fanOut }) => fanOut.run()));
      await Promise.all(processes.map((process) => process.send()));
      for (const { fanOut } of processes) await fanOut.release();
    }
    await send(processes[0]);
    expect(receiver.received).toHaveLength(25 * ROUNDS);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(25 * ROUNDS);
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
    await eventually(() => expect(receiver.received).toHaveLength(1));
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
    expect(process.deliverer.counts.webhook).toEqual({ delivered: 2, failed: 0, 'given-up': 0 });
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
    await eventually(() => expect(receiver.received).toHaveLength(1));
    abort.abort();
    await stopped.deliverer.stop();
    receiver.respond = () => 200;
    await createProcess().send();
    expect(await deliveries(webhook)).toMatchObject([{ status: 'DELIVERED', attempts: 1 }]);
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
});
