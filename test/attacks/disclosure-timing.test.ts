// Under minimal disclosure response times do not reveal which accounts exist.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { idToBytes } from '../../src/platform/db/ids.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { deploy } from '../support/deployment.ts';
import { restClient } from '../support/rest-client.ts';

const WARM_UP = 2;
// Other work on the machine is noise, which the median of so many rounds leaves out.
const ROUNDS = 45;
const TOLERANCE = 0.2;

it('takes as long to reject an unknown username as a known one', async () => {
  const settings = { 'app.api.error-disclosure.mode': 'minimal', 'app.security.lockout.max-failures': '100' };
  const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
  try {
    const { database, clock, url } = deployment;
    const existing = await seedAccount(database);
    const disabled = await seedAccount(database, { disabled: true });
    const locked = await seedAccount(database);
    const lock = 'UPDATE accounts SET login_failed_count = 100, locked_until = ? WHERE id = ?';
    await database.execute(lock, [clock.now() + 3600_000, idToBytes(locked.id)]);
    const attempts: [username: () => string, times: number[]][] = [
      [() => existing.username, []],
      [() => disabled.username, []],
      [() => locked.username, []],
      [() => 'nobody@acme.test', []],
      [() => `${randomUUID()}@acme.test`, []],
    ];

    const rest = restClient(url);
    const round = async (number: number) => {
      // Each begins a round in turn, so that none is always the one behind another.
      for (const index of attempts.keys()) {
        const [username, times] = attempts[(index + number) % attempts.length]!;
        const started = performance.now();
        const { status } = await rest.login({ username: username(), password: `not ${PASSWORD}` });
        times.push(performance.now() - started);
        expect(status).toBe(401);
      }
    };
    // Against the known one of the same round: what slows the machine down slows both.
    const differences = () => {
      const [[, known] = [undefined, []], ...others] = attempts;
      const ratios = others.map(([, times]) => median(times.map((time, index) => time / known[index]!).slice(WARM_UP)));
      return ratios.map((ratio) => Math.abs(ratio - 1));
    };
    for (let number = 0; number < WARM_UP + ROUNDS; number += 1) await round(number);
    expect(differences().filter((difference) => difference >= TOLERANCE)).toEqual([]);
  } finally {
    await deployment.close();
  }
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
