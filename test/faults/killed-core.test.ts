// Several cores behind one gateway over gRPC, one of them killed under load: what only reads loses nothing, what writes
// is an outage and never a refused credential, and the core takes its share again after its restart.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Account } from '../../src/auth/access/account.ts';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { expectOutage, timed, type TimedResponse } from '../support/outages.ts';
import { bearer, restClient, type RestClient } from '../support/rest-client.ts';
import { freePort, endProcesses, FREE_PORTS, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';
import { seedSession, type SeededSession } from '../support/sessions.ts';
import { liveUntilOutage, verifySurvivors } from '../support/survivors.ts';

const REAL_TIME = { now: Date.now, advance: () => {} };
const CORES = 2;
const WRITERS = 20;
const READERS = 20;
const SHARE_CALLS = 150;
const QUIET_MS = 100;

describe(`${CORES} cores behind one gateway`, () => {
  let test: TestDatabase;
  let account: Account;
  let rest: RestClient;
  let ports: string[];
  let reader: SeededSession;
  let cores: ReturnType<typeof startCore>[];

  const startCore = (port: string) =>
    startProgram('core', {
      settings: { ...SHOP_SETTINGS, 'app.rpc.port': port, 'app.database.url': test.url },
    });
  const seed = () => seedSession({ database: test.database, clock: REAL_TIME }, account);

  /** How many calls each core serves while a client makes SHARE_CALLS. */
  async function shares(): Promise<number[]> {
    const before = await Promise.all(cores.map(callsOf));
    for (let i = 0; i < SHARE_CALLS; i += 1) expect((await rest.me(reader.accessToken)).status).toBe(200);
    return (await Promise.all(cores.map(callsOf))).map((calls, index) => calls - before[index]!);
  }

  beforeAll(async () => {
    test = await createTestDatabase(SERVER_ENGINE);
    account = await seedAccount(test.database);
    reader = await seed();
    ports = await Promise.all(Array.from({ length: CORES }, freePort));
    cores = ports.map(startCore);
    await Promise.all(cores.map((core) => core.ready()));
    const targets = ports.map((port) => `127.0.0.1:${port}`).join(',');
    const gateway = startProgram('gateway', {
      settings: { ...FREE_PORTS, 'app.name': 'my-shop', 'app.env': 'TEST', 'app.gateway.core': `ipv4:${targets}` },
    });
    rest = restClient((await gateway.ready()).http);
    await vi.waitFor(async () => expect(Math.min(...(await shares()))).toBeGreaterThan(0), 20_000);
  });
  afterAll(async () => {
    await endProcesses();
    await test?.drop();
  });

  it('lose no read and reject no credential when one is killed under load, and use it again later', async () => {
    const over = new AbortController();
    const reads: TimedResponse[] = [];
    const read = async (path: string): Promise<void> => {
      while (!over.signal.aborted)
        reads.push(await timed(() => rest.send('GET', path, { headers: bearer(reader.accessToken) })));
    };
    const paths = ['/api/v1/auth/me', '/api/v1/auth/verify', '/api/v1/account/sessions', '/health/ready'];
    const reading = Array.from({ length: READERS }, (_, index) => read(paths[index % paths.length]!));
    const sessions = await Promise.all(Array.from({ length: WRITERS }, seed));
    const lives = sessions.map((session) => liveUntilOutage(rest, session, over.signal));
    const leaving = await Promise.all(Array.from({ length: WRITERS }, seed));
    await sleep(300);

    // Stopped first, it certainly holds calls of every kind when it is killed.
    cores[0]!.signal('SIGSTOP');
    const logouts = leaving.map((session) => timed(() => rest.logout(session)));
    await Promise.any(logouts);
    await expect.poll(() => isQuiet(reads), { timeout: 3_000, interval: QUIET_MS }).toBe(true);
    const readsBefore = reads.length;
    await cores[0]!.kill();
    const answered = await Promise.all(logouts);
    await expect.poll(() => reads.length).toBeGreaterThan(readsBefore + READERS);
    over.abort();
    await Promise.all(reading);
    const survivors = await Promise.all(lives);

    expect(reads.map(({ response }) => response).filter(({ status }) => status !== 200)).toEqual([]);
    expect(Math.max(...reads.map(({ ms }) => ms))).toBeLessThan(4_000);
    const outages = answered.filter(({ response }) => response.status !== 200);
    expect(outages.length).toBeGreaterThan(0);
    expect(outages.length).toBeLessThan(WRITERS);
    for (const outage of outages) expectOutage(outage, 'logout');
    await verifySurvivors(rest, test.database, survivors);
    for (const [index, { response }] of answered.entries())
      if (response.status === 200) expect((await rest.me(leaving[index]!.accessToken)).status).toBe(401);

    cores[0] = startCore(ports[0]!);
    await cores[0].ready();
    // Two thirds of an equal share.
    const share = (SHARE_CALLS / CORES) * (2 / 3);
    await expect.poll(async () => Math.min(...(await shares())), { timeout: 10_000 }).toBeGreaterThan(share);
  });
});

/** Whether nothing was added for QUIET_MS: every client waits for the stopped core. */
async function isQuiet(list: readonly unknown[]): Promise<boolean> {
  const { length } = list;
  await sleep(QUIET_MS);
  return list.length === length;
}

/** How often a core has served GetMe, by its metrics. */
async function callsOf(core: ReturnType<typeof startProgram>): Promise<number> {
  const { management } = await core.ready();
  const text = await (await fetch(`${management}/metrics`)).text();
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('rpc_duration_seconds_count') && line.includes('/GetMe"'));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
