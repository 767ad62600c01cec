// The queue of password hashes during a flood from one network.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { ENGINES } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';

const CONNECTIONS = 80;
/** So that refusals alone do not keep the process busy. */
const PAUSE_MS = 20;

describe.each(ENGINES)('%s', (engine) => {
  rememberPasswords();
  let deployment: Deployment;
  let rest: RestClient;

  beforeAll(async () => {
    deployment = await deploy({
      engine,
      transport: 'local',
      settings: { 'app.api.error-disclosure.mode': 'minimal', 'app.http.trusted-proxies': '127.0.0.1' },
    });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const from = (address: string) => ({ 'x-forwarded-for': address });

  /** Logs in with usernames that do not exist, over many connections, until told to stop. Returns the statuses. */
  async function flood(addressOf: (connection: number) => string, over: AbortSignal): Promise<number[]> {
    const statuses: number[] = [];
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, connection) => {
        while (!over.aborted) {
          const attempt = { username: `${randomUUID()}@acme.test`, password: 'x' };
          const { status } = await rest.login(attempt, from(addressOf(connection)));
          statuses.push(status);
          if (status === 503) await sleep(PAUSE_MS);
        }
      }),
    );
    return statuses;
  }

  it.each<[network: string, addressOf: (connection: number) => string]>([
    ['an IPv4 address', () => '203.0.113.7'],
    ['an IPv6 /64', (connection) => `2001:db8:1:2::${connection.toString(16)}`],
  ])('serves all logins of other networks while %s fills the queue', async (_network, addressOf) => {
    const accounts = await Promise.all(Array.from({ length: 8 }, () => seedAccount(deployment.database)));
    const over = new AbortController();
    const flooded = flood(addressOf, over.signal);
    // One that waited longer than the gateway's 4 s would be a 503.
    const logins: number[] = [];
    for (const [index, { username }] of accounts.entries())
      logins.push((await rest.login({ username, password: PASSWORD }, from(`198.51.100.${index}`))).status);
    over.abort();
    expect(await flooded).toContain(503);
    expect(logins).toEqual(Array<number>(8).fill(200));
  });
});
