// The duration of a request for a recovery does not tell whether the account exists.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { seedAccount } from '../support/accounts.ts';
import { deploy } from '../support/deployment.ts';
import { mailFolder } from '../support/mails.ts';
import { restClient } from '../support/rest-client.ts';

const WARM_UP = 20;
const ROUNDS = 100;
// Other work on the machine is noise, and more rounds are what noise averages out over.
const MAX_ROUNDS = 1_000;
const TOLERANCE = 0.1;
/** Below the number of mails that a network can request in an hour, with one of each kind in a round. */
const ROUNDS_PER_HOUR = 50;
const HOUR_MS = 3600_000;

it('takes as long for an unknown username as for a known one', { timeout: 300_000 }, async () => {
  const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings: mailFolder().settings });
  try {
    const { database, clock, url } = deployment;
    const rest = restClient(url);
    const email = () => `${randomUUID()}@mail.test`;
    const seeded = async (seed: object) => (await seedAccount(database, seed)).username;
    const kinds: [username: () => Promise<string>, times: number[]][] = [
      [() => seeded({ email: email() }), []],
      // Each creates an account, so that the same work comes before each request.
      [async () => `not-${await seeded({ email: email() })}`, []],
      [() => seeded({ email: email(), disabled: true }), []],
      [() => seeded({ email: undefined }), []],
    ];
    const round = async (number: number) => {
      if (number % ROUNDS_PER_HOUR === 0) clock.advance(HOUR_MS);
      // In any order, so that none is always the one behind another.
      for (const [usernameOf, times] of shuffled(kinds)) {
        const username = await usernameOf();
        const started = performance.now();
        const { status } = await rest.postJson('/api/v1/auth/recovery', { username });
        times.push(performance.now() - started);
        expect(status).toBe(202);
      }
    };
    // Against the known one of the same round: what slows the machine down slows both.
    const differences = () => {
      const [[, known], ...others] = kinds as [(typeof kinds)[0], ...typeof kinds];
      const ratios = others.map(([, times]) => median(times.map((time, index) => time / known[index]!).slice(WARM_UP)));
      return ratios.map((ratio) => Math.abs(ratio - 1));
    };
    const alike = () => differences().every((difference) => difference < TOLERANCE);
    for (let number = 0; number < WARM_UP + MAX_ROUNDS; number += 1) {
      if (number >= WARM_UP + ROUNDS && alike()) break;
      await round(number);
    }
    expect(differences().filter((difference) => difference >= TOLERANCE)).toEqual([]);
  } finally {
    await deployment.close();
  }
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ item }) => item);
}
