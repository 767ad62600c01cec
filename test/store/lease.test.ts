import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backgroundOf } from '../../src/platform/jobs/background.ts';
import { createKeptLease, lastRunOf, takeLease } from '../../src/platform/jobs/lease.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { ROUNDS } from '../support/rounds.ts';

describe.each(ENGINES)('job lease on %s', (engine) => {
  let test: TestDatabase;
  let now = 1_000_000;
  const clock = () => now;
  const take = (name = 'job') => takeLease({ database: backgroundOf(test.database), clock, name, durationMs: 60_000 });

  beforeAll(async () => {
    test = await createTestDatabase(engine);
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    await test.database.execute('DELETE FROM job_leases');
  });

  it('is acquired by one of many parallel callers', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const leases = (await Promise.all(Array.from({ length: 8 }, () => take()))).filter(
        (lease) => lease !== undefined,
      );
      expect(leases).toHaveLength(1);
      await leases[0]!.release(round);
    }
    expect(await lastRunOf(test.database, 'job')).toEqual({ at: now, count: ROUNDS - 1 });
  });

  it('stays until it is released', async () => {
    const lease = await take();
    expect(await take()).toBeUndefined();
    expect(await take('another job')).toBeDefined();
    await lease!.release(0);
    expect(await take()).toBeDefined();
  });

  it('is kept between runs, also if another run is refused at the same moment', async () => {
    const kept = createKeptLease({ database: backgroundOf(test.database), clock, name: 'job', durationMs: 60_000 });
    expect((await Promise.all([kept.hold(), kept.hold()])).toSorted()).toEqual([false, true]);
    expect(await kept.hold()).toBe(true);
    expect(await take()).toBeUndefined();
    await kept.release();
    expect(await take()).toBeDefined();
    expect([await kept.hold(), await kept.hold()]).toEqual([false, false]);
  });

  it('is no longer kept once another process has it', async () => {
    const kept = createKeptLease({ database: backgroundOf(test.database), clock, name: 'job', durationMs: 60_000 });
    expect(await kept.hold()).toBe(true);
    now += 60_000;
    const other = await take();
    expect([await kept.hold(), await kept.hold()]).toEqual([false, false]);
    await other!.release(0);
    expect(await kept.hold()).toBe(true);
  });

  it('expires, which its former holder detects', async () => {
    const lease = await take();
    now += 60_000;
    const next = await take();
    expect(next).toBeDefined();
    expect([await lease!.renew(), await lease!.renew()]).toEqual([false, false]);
    await lease!.release(7);
    expect(await take()).toBeUndefined();
    expect(await lastRunOf(test.database, 'job')).toBeUndefined();
  });

  it.each([50_000, 15_000])('lasts longer if it is renewed after %d ms', async (ms) => {
    const lease = await take();
    now += ms;
    expect(await lease!.renew()).toBe(true);
    now += 59_999;
    expect(await take()).toBeUndefined();
    now += 1;
    expect(await take()).toBeDefined();
  });

  it('is not written again by each step of a job', async () => {
    const lease = await take();
    const expiry = async () => (await test.database.query('SELECT expires_at FROM job_leases'))[0];
    const before = await expiry();
    now += 14_999;
    expect(await lease!.renew()).toBe(true);
    expect(await expiry()).toEqual(before);
  });
});
