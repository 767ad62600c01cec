// The response of a request for a recovery and its duration do not tell whether the account exists, and can be recovered.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedAccount, type Seed } from '../support/accounts.ts';
import { ENGINES } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { mailFolder } from '../support/mails.ts';
import { findLeaks, openConnection } from './timing/measure.ts';

const ROUNDS = 400;
const WARM_UP_ROUNDS = 20;
/** Suspects are measured twice. */
const SUBJECTS = WARM_UP_ROUNDS + 2 * ROUNDS;
const AT_ONCE = 20;
/** Below the number of mails that a network can request in an hour, with one of each kind in a round. */
const ROUNDS_PER_HOUR = 50;
const HOUR_MS = 3600_000;

/** Each round has an account of its own, because an account gets few mails. An unknown one is not created. */
const KINDS: Readonly<Record<string, Seed>> = {
  known: {},
  unknown: {},
  disabled: { disabled: true },
  'without an address': { email: undefined },
};

describe.each(ENGINES)('on %s', (engine) => {
  let deployment: Deployment;
  let connection: ReturnType<typeof openConnection>;
  const usernames: Record<string, readonly string[]> = {};

  beforeAll(async () => {
    // The job that sends the mails would delay the request after a known one, which is of another kind more often than not.
    deployment = await deploy({
      engine,
      transport: 'local',
      settings: mailFolder().settings,
      mailIntervalMs: 24 * HOUR_MS,
    });
    connection = openConnection(deployment.url);
    for (const [kind, seed] of Object.entries(KINDS)) usernames[kind] = await seedAll(kind, seed);
  });
  afterAll(async () => {
    connection?.close();
    await deployment?.close();
  });

  async function seedAll(kind: string, seed: Seed): Promise<string[]> {
    const names = Array.from({ length: SUBJECTS }, () => `${randomUUID()}@mail.test`);
    if (kind === 'unknown') return names;
    for (let start = 0; start < names.length; start += AT_ONCE)
      await Promise.all(
        names
          .slice(start, start + AT_ONCE)
          .map((name) => seedAccount(deployment.database, { username: name, email: name, ...seed })),
      );
    return names;
  }

  it('takes as long for an unknown username as for a known one', async () => {
    let lastRound = 0;
    const leaks = await findLeaks(
      Object.keys(KINDS),
      { warmUpRounds: WARM_UP_ROUNDS, rounds: ROUNDS },
      async (kind, round) => {
        if (round !== lastRound && round % ROUNDS_PER_HOUR === 0) deployment.clock.advance(HOUR_MS);
        lastRound = round;
        const response = await connection.send({
          method: 'POST',
          path: '/api/v1/auth/recovery',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ username: usernames[kind]![round] }),
        });
        expect(response.shape).toMatch(/^\[202,/);
        return response;
      },
    );
    expect(leaks).toEqual([]);
  });
});
