// The rate limit in the database: one count for all processes, from which an event can be taken back.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
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
    const limit = createRateLimit({
      name: `test-${(names += 1)}`,
      store: 'database',
      points: POINTS,
      windowMs: WINDOW_MS,
      database: created.database,
      clock: clock.now,
      log: pino({ level: 'silent' }),
    })!;
    const consume = () => limit.consumeForNow('key', UNLIMITED);
    /** How many of twice as many events as the limit are accepted. */
    const accepted = async () => {
      const events = await Promise.all(Array.from({ length: 2 * POINTS }, consume));
      return events.filter(({ waitMs }) => waitMs === undefined).length;
    };
    return { clock, limit, consume, accepted };
  }

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
