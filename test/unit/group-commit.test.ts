import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UNLIMITED, type Deadline } from '../../src/platform/clock.ts';
import { createGroupCommit, MAX_WAITING, type Member } from '../../src/platform/db/group-commit.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';

afterEach(() => void vi.useRealTimers());

const until = (at: number, signal = new AbortController().signal): Deadline => ({ at, signal });

/** A group commit whose groups end when the test says so. */
function held(maxMembers = 3) {
  const groups: (readonly string[])[] = [];
  const ends: (() => void)[] = [];
  const group = createGroupCommit<string>({
    maxMembers,
    async commit(members: readonly Member<string>[]) {
      groups.push(members.map(({ write }) => write));
      await new Promise<void>((resolve) => ends.push(resolve));
      members.forEach(({ resolve }, index) => resolve(index));
    },
  });
  /** Two turns of the event loop: a group is taken in the turn after its first write. */
  const turn = async () => {
    await nextTurn();
    await nextTurn();
  };
  return { group, groups, turn, endNext: () => ends.shift()!() };
}

describe('group commit', () => {
  it('groups writes of one event-loop turn, and writes that arrive while a group is written', async () => {
    const { group, groups, turn, endNext } = held();
    const first = ['a', 'b'].map((write) => group.run(write, UNLIMITED));
    await turn();
    const later = ['c', 'd'].map((write) => group.run(write, UNLIMITED));
    await turn();
    expect(groups).toEqual([['a', 'b']]);
    endNext();
    expect(await Promise.all(first)).toEqual([0, 1]);
    await turn();
    endNext();
    expect(await Promise.all(later)).toEqual([0, 1]);
    expect(groups).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('limits the size of a group, in order of arrival', async () => {
    const { group, groups, turn, endNext } = held(3);
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((write) => group.run(write, UNLIMITED));
    for (let count = 0; count < 3; count += 1) {
      await turn();
      endNext();
    }
    await Promise.all(all);
    expect(groups).toEqual([['a', 'b', 'c'], ['d', 'e', 'f'], ['g']]);
  });

  it('resolves no caller before the group is committed', async () => {
    const { group, turn, endNext } = held();
    let answered = false;
    const write = group.run('a', UNLIMITED).then(() => (answered = true));
    await turn();
    expect(answered).toBe(false);
    endNext();
    await write;
    expect(answered).toBe(true);
  });

  it('drops a waiting write if its deadline passes or its caller cancels', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] });
    const { group, groups, turn, endNext } = held();
    const first = group.run('first', UNLIMITED);
    await turn();
    const gone = new AbortController();
    const late = group.run('late', until(1));
    const cancelled = group.run('cancelled', until(2, gone.signal));
    const patient = group.run('patient', until(2));
    gone.abort();
    const refusals = Promise.allSettled([late, cancelled]);
    vi.setSystemTime(1);
    endNext();
    await first;
    for (const refusal of await refusals) {
      expect(refusal).toMatchObject({ status: 'rejected', reason: expect.any(DependencyUnavailableError) });
    }
    await turn();
    endNext();
    await patient;
    expect(groups).toEqual([['first'], ['patient']]);
  });

  it('rejects every member of a group that failed, and continues with the next group', async () => {
    let calls = 0;
    const group = createGroupCommit<string>({
      maxMembers: 2,
      async commit(members) {
        calls += 1;
        if (calls === 1) throw new DependencyUnavailableError('gone');
        for (const { resolve } of members) resolve(1);
      },
    });
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((write) => group.run(write, UNLIMITED)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  it('rejects writes at once if too many wait, and executes the waiting ones', async () => {
    const { group, turn, endNext } = held(MAX_WAITING);
    const blocking = group.run('blocking', UNLIMITED);
    await turn();
    const waiting = Array.from({ length: MAX_WAITING }, (_, index) => group.run(`${index}`, UNLIMITED));
    await expect(group.run('one too many', UNLIMITED)).rejects.toThrow(/too many writes are waiting/);
    endNext();
    await blocking;
    await turn();
    endNext();
    await Promise.all(waiting);
  });

  it('has a barrier that waits for earlier writes, also failed ones, and delays later ones', async () => {
    const { group, groups, turn, endNext } = held(3);
    await group.barrier();
    const earlier = group.run('earlier', UNLIMITED);
    let passed = false;
    const barrier = group.barrier().then(() => (passed = true));
    const later = group.run('later', UNLIMITED);
    await turn();
    expect(passed).toBe(false);
    endNext();
    await earlier;
    await barrier;
    expect(groups).toEqual([['earlier']]);
    await turn();
    endNext();
    await later;
    expect(groups).toEqual([['earlier'], ['later']]);
    const failing = createGroupCommit<string>({ maxMembers: 1, commit: () => Promise.reject(new Error('failed')) });
    const failed = failing.run('a', UNLIMITED).catch((error: Error) => error.message);
    await failing.barrier();
    expect(await failed).toBe('failed');
  });
});
