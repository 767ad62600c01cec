// The queue of password hashes during a flood from one network. The order of the queue: test/unit/fair-semaphore.test.ts.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { holdVerifications, rememberPasswords, type Barrier } from '../../support/argon2.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';

const PLACES = 4;
/** One network has half of the places. */
const RUNNING = PLACES / 2;
const QUEUED = 16;
/** More than may run and wait. */
const FLOOD = RUNNING + QUEUED + 6;
const OTHERS = 8;
/** Others that need a place in the queue, because the free places are taken. */
const QUEUED_OTHERS = OTHERS - (PLACES - RUNNING);

describe.each(ON_SQLITE)('during a flood of logins', (kind) => {
  rememberPasswords();
  let deployment: Deployment;
  let rest: RestClient;
  let barrier: Barrier | undefined;

  beforeAll(async () => {
    deployment = await deploy({
      ...kind,
      isPatient: true,
      settings: {
        'app.api.error-disclosure.mode': 'minimal',
        'app.http.trusted-proxies': '127.0.0.1',
        'app.security.password.max-concurrent-hashes': String(PLACES),
        'app.security.password.max-queued': String(QUEUED),
      },
    });
    rest = restClient(deployment.url);
  });
  afterEach(() => barrier?.lift());
  afterAll(() => deployment?.close());

  const from = (address: string) => ({ 'x-forwarded-for': address });

  it.each<[network: string, addressOf: (connection: number) => string]>([
    ['an IPv4 address', () => '203.0.113.7'],
    ['an IPv6 /64', (connection) => `2001:db8:1:2::${connection.toString(16)}`],
  ])('serves all logins of other networks while %s fills the queue', async (_network, addressOf) => {
    const accounts = await Promise.all(Array.from({ length: OTHERS }, () => seedAccount(deployment.database)));
    barrier = holdVerifications();
    let refused = 0;
    const flood = Array.from({ length: FLOOD }, async (_, connection) => {
      const attempt = { username: `${randomUUID()}@acme.test`, password: 'x' };
      const { status } = await rest.login(attempt, from(addressOf(connection)));
      if (status === 503) refused += 1;
      return status;
    });
    await eventually(() => expect(refused).toBe(FLOOD - RUNNING - QUEUED));
    expect(barrier.count()).toBe(RUNNING);
    const logins = accounts.map(({ username }, index) =>
      rest.login({ username, password: PASSWORD }, from(`198.51.100.${index}`)),
    );
    // The first ones start at once. Each further one takes a place in the queue from the flood.
    await eventually(() => expect(refused).toBe(FLOOD - RUNNING - QUEUED + QUEUED_OTHERS));
    await eventually(() => expect(barrier!.count()).toBe(PLACES));
    barrier.lift();
    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(Array<number>(OTHERS).fill(200));
    expect((await Promise.all(flood)).filter((status) => status === 401)).toHaveLength(
      RUNNING + QUEUED - QUEUED_OTHERS,
    );
  });
});
