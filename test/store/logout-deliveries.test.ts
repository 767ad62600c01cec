// The attempts to send logout tokens: when they are made, and what ends them.
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDeliverer } from '../../src/auth/delivery/deliver.ts';
import { resendDelivery } from '../../src/auth/delivery/delivery-messages.ts';
import { selectDeliveries, type Delivery } from '../../src/auth/delivery/delivery-list-store.ts';
import { enqueue } from '../../src/auth/delivery/outbox.ts';
import type { DeliveryRequest } from '../../src/auth/delivery/send-batch.ts';
import type { Application } from '../../src/auth/oauth/applications/application.ts';
import type { ClientApplication } from '../../src/auth/oauth/applications/application-loader-store.ts';
import { createFindLogoutReceiver, LOGOUT_EVENT, logoutPayload } from '../../src/auth/oauth/logout/logout-receiver.ts';
import { createLogoutMetrics } from '../../src/auth/oauth/logout/logout-metrics.ts';
import { createAuditLog } from '../../src/auth/audit/trail/audit-log.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { webApplication } from '../support/oauth/applications.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const PAUSES_S = [5, 30, 120, 600, 1_800, 3_600, 7_200];

describe.each(ENGINES)('logout tokens on %s', (engine) => {
  let test: TestDatabase;
  let db: Database;
  let clock: TestClock;
  let application: Application;
  let isThere: boolean;
  let sent: DeliveryRequest[];
  let respond: (request: DeliveryRequest) => number;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    db = test.database;
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    clock = testClock();
    application = webApplication({ backchannelLogoutUri: 'https://app.example.com/logout' });
    [isThere, sent, respond] = [true, [], () => 204];
    for (const table of ['webhook_queues', 'webhook_deliveries']) await db.execute(`DELETE FROM ${table}`);
  });

  const log = pino({ level: 'silent' });
  let tokens = 0;

  function createProcess() {
    return createDeliverer({
      database: db,
      findReceiver: createFindLogoutReceiver(
        async () => (isThere ? { application: application as unknown as ClientApplication } : undefined) as never,
        async (claims) => `${String(claims['sid'])}-${(tokens += 1)}`,
      ),
      async post(request) {
        sent.push(request);
        return { kind: 'answered', status: respond(request) };
      },
      audit: createAuditLog(db, clock.now, { add: () => undefined, note: () => undefined }),
      clock: clock.now,
      log,
    });
  }

  /** Makes the deliveries of ended sessions. Returns the sessions. */
  async function end(sessions = 1): Promise<readonly string[]> {
    const ids = Array.from({ length: sessions }, newId);
    await db.transaction(UNLIMITED, (tx) =>
      enqueue(
        tx,
        db,
        ids.map((sessionId) => ({
          id: newId(),
          receiver: application,
          sequence: 0,
          event: LOGOUT_EVENT,
          content: {
            payload: logoutPayload({ tenantId: 'acme', sessionId, accountId: newId(), applicationId: application.id }),
          },
          createdAt: clock.now(),
        })),
        { now: clock.now(), createsQueues: true },
      ),
    );
    return ids;
  }

  async function deliveries(): Promise<readonly Delivery[]> {
    const page = {
      page: 1,
      perPage: 100,
      offset: 0,
      after: undefined,
      reader: { deadline: UNLIMITED, tenantId: undefined },
    };
    return (await selectDeliveries(db, application, undefined, page)).items;
  }
  const states = async () => (await deliveries()).map(({ status, attempts }) => `${status} ${attempts}`);
  const sessionsSent = () => sent.map(({ body }) => /^logout_token=(.*)-\d+$/.exec(String(body))![1]!);

  it('leave at once, with a form, a limit of 5 s and no redirect', async () => {
    const [sid] = await end();
    const process = createProcess();
    await process.run();
    expect(sent).toMatchObject([
      {
        url: application.backchannelLogoutUri,
        owner: 'acme',
        timeLimitMs: 5_000,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ]);
    expect([sessionsSent(), await states()]).toEqual([[sid], ['DELIVERED 1']]);
    expect(process.counts.application).toEqual({ delivered: 1, failed: 0, 'given-up': 0 });
    expect(process.counts.webhook).toEqual({ delivered: 0, failed: 0, 'given-up': 0 });
  });

  it.each([302, 401, 404, 410, 500])('are sent again after %i, signed anew, until the last pause', async (status) => {
    respond = () => status;
    await end();
    const process = createProcess();
    const times: number[] = [];
    const began = clock.now();
    await process.run();
    for (const pause of PAUSES_S) {
      times.push(sent.length);
      clock.advance(pause * SECOND_MS - 1);
      await process.run();
      times.push(sent.length);
      clock.advance(1);
      await process.run();
    }
    expect(times).toEqual(PAUSES_S.flatMap((_, index) => [index + 1, index + 1]));
    expect(new Set(sent.map(({ body }) => String(body))).size).toBe(8);
    expect([clock.now() - began, await states()]).toEqual([13_355 * SECOND_MS, ['FAILED 8']]);
    expect(process.counts.application).toEqual({ delivered: 0, failed: 7, 'given-up': 1 });
    // It gets those of later ends.
    respond = () => 200;
    const [sid] = await end();
    clock.advance(300 * SECOND_MS);
    await process.run();
    expect([sessionsSent().at(-1), await states()]).toEqual([sid, ['DELIVERED 1', 'FAILED 8']]);
  });

  it('end with 400, which delays no others', async () => {
    const ids = await end(7);
    respond = ({ body }) => (String(body).includes(ids[3]!) ? 400 : 204);
    await createProcess().run();
    expect(sessionsSent().toSorted()).toEqual(ids.toSorted());
    expect((await states()).toSorted()).toEqual([...Array<string>(6).fill('DELIVERED 1'), 'FAILED 1']);
  });

  it('reach an application that was down for an hour, all of them', async () => {
    respond = () => 503;
    const process = createProcess();
    const ids: string[] = [];
    for (let minutes = 0; minutes < 60; minutes += 10) {
      ids.push(...(await end(10)));
      clock.advance(600 * SECOND_MS);
      await process.run();
    }
    respond = () => 204;
    sent = [];
    clock.advance(300 * SECOND_MS);
    await process.run();
    expect(new Set(sessionsSent()).size).toBeGreaterThan(50);
    // Those that were tried meanwhile wait for their next attempt.
    clock.advance(HOUR_MS);
    await process.run();
    expect(new Set(sessionsSent())).toEqual(new Set(ids));
  });

  it('are given up together after four hours of failures, and again only later if they are sent again', async () => {
    respond = () => 503;
    await end(30);
    const process = createProcess();
    for (let minutes = 0; minutes < 245; minutes += 5) {
      await process.run();
      clock.advance(300 * SECOND_MS);
    }
    expect(new Set((await deliveries()).map(({ status }) => status))).toEqual(new Set(['FAILED']));
    const { id } = (await deliveries())[0]!;
    await db.transaction(UNLIMITED, (tx) => resendDelivery(tx, application, id, clock.now()));
    await process.run();
    expect((await states())[0]).toBe('PENDING 1');
    respond = () => 204;
    clock.advance(5 * SECOND_MS);
    await process.run();
    expect((await states())[0]).toBe('DELIVERED 2');
  });

  it('are not sent to an application that is gone, or has no URI any more', async () => {
    await end();
    isThere = false;
    await createProcess().run();
    clock.advance(HOUR_MS);
    await createProcess().run();
    expect([sent, await states()]).toEqual([[], ['PENDING 0']]);
    isThere = true;
    const { id } = (await deliveries())[0]!;
    await db.transaction(UNLIMITED, (tx) => resendDelivery(tx, application, id, clock.now()));
    await createProcess().run();
    expect(await states()).toEqual(['DELIVERED 1']);
  });

  it('are counted by a metric while they wait', async () => {
    const [, gauge] = createLogoutMetrics({ database: db, log, counts: {} });
    const read = () => gauge!.read() as readonly { readonly value: number }[];
    await end(3);
    respond = () => 503;
    await createProcess().run();
    expect(read()).toEqual([]);
    await eventually(() => expect(read()).toEqual([{ value: 3 }]));
  });
});
