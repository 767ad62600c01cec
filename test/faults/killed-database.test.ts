// A database that is killed at any time and restarted with its data: the service needs no restart and loses no acknowledged
// change.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/auth/access/account.ts';
import { seedAccount } from '../support/accounts.ts';
import { privateServer, SERVER_ENGINE } from '../support/databases.ts';
import { deploy, TRANSPORTS, type Deployment } from '../support/deployment.ts';
import { expectOutageEverywhere } from '../support/outages.ts';
import { restClient, type RestClient } from '../support/rest-client.ts';
import { ROUNDS } from '../support/rounds.ts';
import { seedSession } from '../support/sessions.ts';
import { liveUntilOutage, verifySurvivors } from '../support/survivors.ts';

const CLIENTS = 20;

let server: Awaited<ReturnType<typeof privateServer>>;
beforeAll(async () => {
  server = await privateServer();
});
afterAll(() => server?.stop());

describe.each(TRANSPORTS)('a database server that is killed and restarted, over %s', (transport) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({ engine: SERVER_ENGINE, transport, databaseUrl: server.url });
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  const isBack = () => expect.poll(async () => (await rest.me('garbage')).status, { timeout: 5_000 }).toBe(401);

  it('returns an outage meanwhile, and works again afterwards', async () => {
    const session = await seedSession(deployment, account);
    await server.kill();
    await expectOutageEverywhere(rest, session, account);
    expect((await rest.send('GET', '/health/live')).status).toBe(200);
    await expect.poll(async () => (await rest.send('GET', '/health/ready')).status).toBe(503);
    await server.restart();
    await isBack();
    expect((await rest.me(session.accessToken)).status).toBe(200);
    expect((await rest.refresh(session.cookie)).status).toBe(200);
    await expect.poll(async () => (await rest.send('GET', '/health/ready')).status, { timeout: 5_000 }).toBe(200);
  });

  it(
    `loses no acknowledged change, ${ROUNDS} times`,
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const sessions = await Promise.all(Array.from({ length: CLIENTS }, () => seedSession(deployment, account)));
        const over = new AbortController();
        const lives = sessions.map((session) => liveUntilOutage(rest, session, over.signal));
        await sleep(100 + Math.random() * 200);
        over.abort();
        const dead = server.kill();
        const survivors = await Promise.all(lives);
        await dead;
        await server.restart();
        await isBack();
        await verifySurvivors(rest, deployment.database, survivors);
      }
    },
    60_000 * ROUNDS,
  );
});
