// The follower of revocations, against a database that the test plays.
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newId } from '../../src/platform/db/ids.ts';
import { createRevocationFeed, type Follower } from '../../src/auth/session/revocation/revocation-feed.ts';
import { testTiming } from '../support/timing.ts';

const POLL_MS = 250;
const NOW = Date.UTC(2026, 0, 1);

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

interface Row {
  readonly kind: 'session';
  readonly subject: string;
  readonly until_at: number;
  changed_at: number;
  readonly tenant: null;
  readonly through: null;
}

/** A table of revocations, which can fail. */
function table() {
  const rows: Row[] = [];
  const state = { rows, isDown: false, reads: 0 };
  const query = async (sql: string, values: readonly number[]) => {
    state.reads += 1;
    if (state.isDown) throw new Error('the database is down');
    if (sql.includes('COUNT(*)')) {
      const [from_ms = 0, through_ms = 0] = values;
      const counted = rows.filter(({ changed_at: at }) => at > from_ms && at <= through_ms).length;
      return [{ from_ms, through_ms, counted }];
    }
    return rows.filter(({ changed_at: at }) => at > values[0]!);
  };
  const database = { engine: 'sqlite', query, execute: async () => 0, deadlineValue: ({ at }: { at: number }) => at };
  const time = testTiming();
  const feed = createRevocationFeed({
    database: database as never,
    clock: () => NOW,
    log: pino({ level: 'silent' }),
    timing: time,
  });
  const revoke = (ageMs = 0): string => {
    const id = newId();
    const subject = id.replaceAll('-', '');
    rows.push({
      kind: 'session',
      subject,
      until_at: NOW + 60_000,
      changed_at: NOW - ageMs,
      tenant: null,
      through: null,
    });
    return id;
  };
  /** Lets the feed look at the table once more. */
  const look = () => time.advance(POLL_MS);
  /** Looks until there is a change. */
  async function nextChange(follower: Follower): Promise<string[]> {
    for (;;) {
      const [found] = await Promise.all([follower.next(), look()]);
      if (found.length > 0) return found.map(({ id }) => id);
    }
  }
  return { state, feed, revoke, time, look, nextChange };
}

it('passes each change once to each follower, and none from before', async () => {
  const { feed, revoke, nextChange, look } = table();
  revoke();
  revoke(10_000);
  const followers = [await feed.follow(), await feed.follow()];
  const id = revoke();
  for (const follower of followers) expect(await nextChange(follower)).toEqual([id]);
  const afterwards = followers.map((follower) => follower.next());
  await look();
  expect(await Promise.all(afterwards)).toEqual([[], []]);
});

it('finds a change at the next look, 250 ms after the one before', async () => {
  const { feed, revoke, time } = table();
  const follower = await feed.follow();
  const id = revoke();
  let found: readonly string[] | undefined;
  void follower.next().then((changes) => (found = changes.map((change) => change.id)));
  await time.advance(POLL_MS - 1);
  expect(found).toBeUndefined();
  await time.advance(1);
  expect(found).toEqual([id]);
});

it('finds changes whose transactions committed late', async () => {
  const { feed, revoke, nextChange } = table();
  revoke(5_000);
  const follower = await feed.follow();
  const late = revoke(20_000);
  expect(await nextChange(follower)).toEqual([late]);
});

it('does not look while nobody follows', async () => {
  const { feed, state, time } = table();
  const follower = await feed.follow();
  const { reads } = state;
  await time.advance(POLL_MS);
  expect(state.reads).toBeGreaterThan(reads);
  follower.stop();
  const before = state.reads;
  await time.advance(60_000);
  expect(state.reads).toBe(before);
  expect(time.sleeping).toBe(0);
});

it('ends a follower that does not read, and no other', async () => {
  const { feed, revoke, nextChange, look } = table();
  const [slow, quick] = [await feed.follow(), await feed.follow()];
  for (let count = 0; count < 20_001; count += 1) revoke();
  expect(await nextChange(quick)).toHaveLength(20_001);
  await look();
  await expect(slow.next()).rejects.toThrow('the stream was read too slowly');
  const id = revoke();
  expect(await nextChange(quick)).toEqual([id]);
});

it('ends the followers if the database does not respond for more than 5 s', async () => {
  const { feed, state, time } = table();
  const follower = await feed.follow();
  state.isDown = true;
  await time.advance(5_000);
  const next = follower.next();
  const ended = vi.fn();
  next.catch(ended);
  await time.advance(0);
  expect(ended).not.toHaveBeenCalled();
  await time.advance(POLL_MS);
  await expect(next).rejects.toThrow('the database is down');
  const again = (await feed.follow()).next();
  await Promise.all([expect(again).rejects.toThrow('the database is down'), time.advance(POLL_MS)]);
  await time.advance(POLL_MS);
  await expect(feed.follow()).rejects.toThrow('the database is down');
});
