// Invitations of several users, of which the time of the call does not suffice for all.
import { expect, it } from 'vitest';
import type { Call } from '../../src/auth/access/principal.ts';
import { createInviteUsers } from '../../src/auth/identity/invitation/invite-users.ts';
import { unavailable, withUnknownOutcome } from '../../src/platform/db/errors.ts';
import { inMs } from '../support/deadlines.ts';

const users = ['ann', 'bob', 'cleo', 'dora'].map((username) => ({ username, roles: ['SALES'] }));

/** Invites the users. `create` creates one, and can end the time of the call. */
async function invite(create: (username: string, abort: () => void) => unknown) {
  const controller = new AbortController();
  const deadlines: number[] = [];
  const principal = { account: { tenantId: 'acme' } };
  const call = { principal, deadline: { ...inMs(60_000.5), signal: controller.signal } } as unknown as Call;
  const inviteUsers = createInviteUsers({
    createUser: async ({ username }, { deadline }) => {
      deadlines.push(deadline.at);
      await create(username, () => controller.abort());
      return { user: undefined };
    },
  });
  const { results } = await inviteUsers({ tenantId: 'acme', users }, call);
  return { results: results.map(({ error }) => error), deadlines, at: call.deadline.at };
}

it('returns the results of all users if the time ends, and creates no further ones', async () => {
  const { results, deadlines } = await invite((username, abort) => username === 'bob' && abort());
  const unavailableCode = 'service-unavailable';
  expect(results.map((error) => error?.errorCode)).toEqual([
    undefined,
    unavailableCode,
    unavailableCode,
    unavailableCode,
  ]);
  // The database can have committed it before.
  expect(results[1]!.detail).toContain('Look for the user');
  expect(results[3]!.detail).toContain('was not invited');
  expect(deadlines).toHaveLength(2);
});

it('ends the writes of each user before the deadline of the call, so that the results reach the caller', async () => {
  const { deadlines, at } = await invite(() => {});
  expect(deadlines).toHaveLength(4);
  expect(Math.max(...deadlines)).toBeLessThan(at);
});

it('does not wait for a database that does not answer', async () => {
  const never = new Promise(() => {});
  const { results } = await invite((username, abort) => {
    if (username === 'ann') return undefined;
    abort();
    return never;
  });
  expect(results.map((error) => error?.detail.includes('Look for the user'))).toEqual([undefined, true, false, false]);
});

it('says that an outcome is unknown', async () => {
  const { results } = await invite((username) => {
    if (username === 'ann') throw withUnknownOutcome(unavailable('the connection was lost'));
    if (username === 'bob') throw unavailable('the connection was refused');
  });
  expect(results[0]!.detail).toContain('Look for the user');
  expect(results[1]!.detail).toContain('was not invited');
  expect(results.slice(2)).toEqual([undefined, undefined]);
});
