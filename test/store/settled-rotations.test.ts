// Two processes on one database: one renews a session, the other gets the previous token.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../src/platform/db/ids.ts';
import { cleanup } from '../../src/platform/jobs/cleanup.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { ABANDONED_AFTER_MS, createConfirmReplay } from '../../src/auth/session/rotation/settlement.ts';
import { createRunningRotations } from '../../src/auth/session/rotation/rotate.ts';
import { createRotationBatches, type RotationBatches } from '../../src/auth/session/rotation/rotation-batches.ts';
import {
  createSettledRotationStore,
  SETTLED_ROTATIONS_CLEANUP,
} from '../../src/auth/session/rotation/settled-rotation-store.ts';
import { seedAccount } from '../support/accounts.ts';
import { testClock, type TestClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { inMs } from '../support/deadlines.ts';
import { createSessionStores, seedSession } from '../support/sessions.ts';

describe.each(ENGINES)('rotations of another process on %s', (engine) => {
  let test: TestDatabase;
  let account: Account;
  let sessions: ReturnType<typeof createSessionStores>;
  let clock: TestClock;
  const batchesOfAll: RotationBatches[] = [];
  const end = Promise.withResolvers<void>();
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    account = await seedAccount(test.database);
    sessions = createSessionStores(test.database);
    clock = testClock();
  });
  afterAll(async () => {
    end.resolve();
    await Promise.all(batchesOfAll.map((batches) => batches.close()));
    await test.drop();
  });

  /** A process that begins background work when the gate opens. */
  function createProcess(gate = Promise.resolve()) {
    const retries = { run: (work: () => Promise<unknown>) => gate.then(work).then(() => true) };
    const store = createSettledRotationStore(test.database);
    const batches = createRotationBatches({ store, retries, clock: clock.now });
    batchesOfAll.push(batches);
    return { batches, rotations: createRunningRotations(sessions, retries, batches) };
  }

  /** Renews a new session. Returns a function that confirms a replay at another process. */
  async function renew({ rotations }: ReturnType<typeof createProcess>, isAborted = () => false) {
    const { id, cookie } = await seedSession({ database: test.database, clock }, account);
    const selector = Buffer.from(cookie.split('=')[1]!.split('.')[0]!, 'base64url');
    const find = async () => (await sessions.findBySelector(selector))!;
    const first = await find();
    const next = { selector, generation: 2, verifierHash: Buffer.alloc(32, 1) };
    const { expiresAt, accessExpiresAt } = first;
    const renewal = { origin: undefined, now: clock.now(), expiresAt, accessExpiresAt };
    const deadline = inMs(4_000);
    const outcome = await rotations.advance(first, next, renewal, { ...deadline, isAborted }).catch(() => 'refused');
    const confirm = async (pauseFor: () => Promise<unknown>) =>
      createConfirmReplay({ sessions, ...createProcess(), clock: clock.now, pauseFor })(await find(), deadline);
    return { id, outcome, find, confirm };
  }

  it('are waited for until they are set back', async () => {
    const gate = Promise.withResolvers<void>();
    const { outcome, find, confirm } = await renew(createProcess(gate.promise), () => true);
    expect(outcome).toBe('refused');
    expect(await find()).toMatchObject({ generation: 2, rotationBatch: expect.any(String) });
    let pauses = 0;
    const confirmed = confirm(async () => {
      pauses += 1;
      if (pauses > 2) gate.resolve();
    });
    expect(await confirmed).toBe(false);
    expect(pauses).toBeGreaterThan(2);
    expect(await find()).toMatchObject({ generation: 1, rotationBatch: undefined });
  });

  it('are final when their process has reported that', async () => {
    const process = createProcess();
    const { outcome, confirm } = await renew(process);
    expect(outcome).toBe(true);
    let pauses = 0;
    const confirmed = confirm(() => {
      pauses += 1;
      return process.batches.close();
    });
    expect(await confirmed).toBe(true);
    expect(pauses).toBe(1);
    expect(await confirm(() => Promise.reject(new Error('waits')))).toBe(true);
  });

  it('are final when their process was killed and has not reported that in time', async () => {
    const { confirm } = await renew(createProcess(end.promise));
    const pauses: unknown[] = [];
    expect(
      await confirm(async () => {
        pauses.push(1);
        if (pauses.length === 3) clock.advance(ABANDONED_AFTER_MS);
      }),
    ).toBe(true);
    expect(pauses).toHaveLength(3);
  });

  it('have no batch if the previous release has changed the session since then', async () => {
    const { id, find } = await renew(createProcess());
    await test.database.execute('UPDATE session_families SET generation = 3 WHERE id = ?', [idToBytes(id)]);
    expect(await find()).toMatchObject({ generation: 3, rotationBatch: undefined });
  });

  it('leave rows that the cleanup deletes', async () => {
    const process = createProcess();
    await renew(process);
    await process.batches.close();
    const options = { database: test.database, clock: clock.now, targets: [SETTLED_ROTATIONS_CLEANUP], pauseMs: 0 };
    expect(await cleanup(options)).toBe(0);
    clock.advance(ABANDONED_AFTER_MS * 10);
    expect(await cleanup(options)).toBeGreaterThan(0);
    expect(await test.database.query('SELECT batch FROM settled_rotations')).toEqual([]);
  });
});
