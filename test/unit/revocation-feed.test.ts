// The follower of revocations, against a database that the test plays.
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { newId } from '../../src/platform/db/ids.ts';
import { createRevocationFeed, type Follower } from '../../src/auth/session/revocation/revocation-feed.ts';

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
  const feed = createRevocationFeed({
    database: database as never,
    clock: Date.now,
    log: pino({ level: 'silent' }),
  });
  const revoke = (ageMs = 0): string => {
    const id = newId();
    const subject = id.replaceAll('-', '');
    rows.push({
      kind: 'session',
      subject,
      until_at: Date.now() + 60_000,
      changed_at: Date.now() - ageMs,
      tenant: null,
      through: null,
    });
    return id;
  };
  return { ...state, state, feed, revoke };
}

/** Reads until there is a change. */
async function nextChange(follower: Follower): Promise<string[]> {
  for (;;) {
    const found = await follower.next();
    if (found.length > 0) return found.map(({ id }) => id);
  }
}

it('passes each change once to each follower, and none from before', async () => {
  const { feed, revoke } = table();
  revoke();
  revoke(10_000);
  const followers = [await feed.follow(), await feed.follow()];
  const id = revoke();
  for (const follower of followers) expect(await nextChange(follower)).toEqual([id]);
  expect(await followers[0]!.next()).toEqual([]);
  for (const follower of followers) follower.stop();
});

it('finds changes whose transactions committed late', async () => {
  const { feed, revoke } = table();
  revoke(5_000);
  const follower = await feed.follow();
  const late = revoke(20_000);
  expect(await nextChange(follower)).toEqual([late]);
  follower.stop();
});

it('does not look while nobody follows', async () => {
  const { feed, state } = table();
  const follower = await feed.follow();
  follower.stop();
  await sleep(600);
  const { reads } = state;
  await sleep(600);
  expect(state.reads).toBe(reads);
});

it('ends a follower that does not read, and no other', async () => {
  const { feed, revoke } = table();
  const [slow, quick] = [await feed.follow(), await feed.follow()];
  for (let count = 0; count < 20_001; count += 1) revoke();
  expect(await nextChange(quick)).toHaveLength(20_001);
  await sleep(600);
  await expect(slow.next()).rejects.toThrow('the stream was read too slowly');
  const id = revoke();
  expect(await nextChange(quick)).toEqual([id]);
  quick.stop();
});

it('ends the followers if the database does not answer for 5 s', { timeout: 15_000 }, async () => {
  const { feed, state } = table();
  const follower = await feed.follow();
  state.isDown = true;
  const began = performance.now();
  await expect(nextChange(follower)).rejects.toThrow('the database is down');
  expect(performance.now() - began).toBeGreaterThan(4_500);
  const again = async () => nextChange(await feed.follow());
  await expect(again()).rejects.toThrow('the database is down');
});
