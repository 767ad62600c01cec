// The rate limit in the database: one count for all processes, from which an event can be taken back.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createRateLimit } from '../../src/platform/limits/rate-limit.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { testClock } from '../support/clock.ts';

const POINTS = 3;
const WINDOW_MS = 60_000;

describe.each(ENGINES)('%s', (engine) => {
  let created: TestDatabase;
  let names = 0;

  beforeAll(async () => {
    created = await createTestDatabase(engine);
  });
  afterAll(() => created?.drop());

  function open() {
    const clock = testClock();
    let statements = 0;
    const counting = (name: 'query' | 'execute'): Database['execute'] => {
      return (sql, values) => {
        statements += 1;
        return created.database[name](sql, values) as never;
      };
    };
    const database: Database = Object.create(created.database, {
      query: { value: counting('query') },
      execute: { value: counting('execute') },
    });
    const limit = createRateLimit({
      name: `test-${(names += 1)}`,
      store: 'database',
      points: POINTS,
      windowMs: WINDOW_MS,
      database,
      clock: clock.now,
      log: pino({ level: 'silent' }),
    })!;
    const consume = () => limit.consumeForNow('key', UNLIMITED);
    /** How many of twice as many events as the limit are accepted. */
    const accepted = async () => {
      const events = await Promise.all(Array.from({ length: 2 * POINTS }, consume));
      return events.filter(({ waitMs }) => waitMs === undefined).length;
    };
    return { clock, limit, consume, accepted, executed: () => statements };
  }

  it('executes no statement for a key that is used up, until its window ends', async () => {
    const { clock, limit, executed } = open();
    const consume = () => limit.consume('key', UNLIMITED);
    for (let count = 0; count < POINTS; count += 1) expect(await consume()).toBeUndefined();
    expect(await consume()).toBe(WINDOW_MS);
    const before = executed();
    clock.advance(WINDOW_MS - 1);
    expect([await consume(), await limit.check('key')]).toEqual([1, 1]);
    expect(executed()).toBe(before);
    expect(await limit.consume('other', UNLIMITED)).toBeUndefined();
    clock.advance(1);
    expect(await consume()).toBeUndefined();
  });

  it('executes statements once a second for a key whose events can be taken back by another process', async () => {
    const { clock, consume, executed, accepted } = open();
    await accepted();
    const before = executed();
    expect((await consume()).waitMs).toBe(WINDOW_MS);
    expect(executed()).toBe(before);
    clock.advance(1_000);
    expect((await consume()).waitMs).toBe(WINDOW_MS - 1_000);
    expect(executed()).toBeGreaterThan(before);
  });

  it('counts uniformly up to the limit, also if all events come at once', async () => {
    const { clock, limit } = open();
    const consume = () => limit.consumeUniformly('key', UNLIMITED);
    for (let round = 0; round < 2; round += 1) {
      const waits = await Promise.all(Array.from({ length: 2 * POINTS }, consume));
      expect(waits.filter((wait) => wait === undefined)).toHaveLength(POINTS);
      expect(await consume()).toBe(WINDOW_MS);
      clock.advance(WINDOW_MS);
    }
  });

  it('takes back an event, also after others were refused', async () => {
    const { consume, accepted } = open();
    const { giveBack } = await consume();
    expect(await accepted()).toBe(POINTS - 1);
    await giveBack();
    expect(await accepted()).toBe(1);
  });

  it('takes back nothing for a refused event', async () => {
    const { consume, accepted } = open();
    await accepted();
    const { waitMs, giveBack } = await consume();
    expect(waitMs).toBe(WINDOW_MS);
    await giveBack();
    expect(await accepted()).toBe(0);
  });

  it('takes back nothing from a later window', async () => {
    const { clock, consume, accepted } = open();
    const { giveBack } = await consume();
    clock.advance(WINDOW_MS);
    await consume();
    await giveBack();
    expect(await accepted()).toBe(POINTS - 1);
  });

  it('takes back an event shortly before its window ends, and begins the next one from 0', async () => {
    const { clock, consume, accepted } = open();
    const { giveBack } = await consume();
    expect(await accepted()).toBe(POINTS - 1);
    clock.advance(WINDOW_MS - 1);
    await giveBack();
    expect(await accepted()).toBe(1);
    clock.advance(1);
    expect(await accepted()).toBe(POINTS);
  });
});
