// app.workers: several processes on one port, one management port, and a worker that is killed.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import {
  endProcesses,
  SHOP_SETTINGS,
  startProgram,
  type Addresses,
  type ServiceProcess,
} from '../support/service-process.ts';

const PATIENCE = { timeout: 20_000, interval: 100 };
const PATH = '/.well-known/jwks.json';

afterAll(endProcesses);

it('rejects several workers on SQLite', async () => {
  const service = startProgram('gateway', {
    settings: { ...SHOP_SETTINGS, 'app.workers': '2', 'app.database.url': 'sqlite:service.db' },
  });
  expect((await service.exited).code).toBe(78);
  expect(service.output()).toMatch(
    /app\.workers.*more than 1 needs MySQL or MariaDB, but app\.database\.url is SQLite/,
  );
});

describe('two workers', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let addresses: Addresses;
  let served = 0;
  let unanswered = 0;

  beforeAll(async () => {
    database = await createTestDatabase(SERVER_ENGINE);
    service = startProgram('gateway', {
      settings: {
        ...SHOP_SETTINGS,
        'app.workers': '2',
        'app.database.url': database.url,
        'app.log.level': 'debug',
      },
    });
    addresses = await service.ready();
  });
  afterAll(() => database?.drop());

  const workers = (): number[] =>
    service
      .logs()
      .filter(({ msg }) => msg === 'the worker is ready')
      .map((line) => Number(line['pid']));

  /** Sends one request on a connection of its own, because connections are shared out among the workers. */
  async function request(): Promise<boolean> {
    const signal = AbortSignal.timeout(5_000);
    const isServed = await fetch(addresses.http + PATH, { headers: { connection: 'close' }, signal }).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (signal.aborted) unanswered += 1;
    if (isServed) served += 1;
    return isServed;
  }

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`${addresses.management}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );
  }
  const counted = () => metric(`http_request_duration_seconds_count{method="GET",route="${PATH}",status="200"}`);

  it('share the ports, and the primary sums up their metrics', async () => {
    expect(service.logs().find(({ msg }) => msg === 'ready')).toMatchObject({ workers: 2 });
    // A process writes its lines at the end of a turn, so those of the primary process can arrive first.
    await expect.poll(() => new Set(workers()).size, PATIENCE).toBe(2);
    for (let count = 0; count < 20; count += 1) expect(await request()).toBe(true);
    expect(await counted()).toBe(20);
    const serving = () => service.logs().filter(({ msg }) => msg === 'call served');
    await expect.poll(() => new Set(serving().map((line) => line['pid'])), PATIENCE).toEqual(new Set(workers()));
    expect(await metric('workers_running')).toBe(2);
    expect(await metric('workers_wanted')).toBe(2);
    expect(await metric('database_connections_max')).toBe(20);
    expect((await fetch(`${addresses.management}/health/ready`)).status).toBe(200);
  });

  it('continue if one of them is killed, and replace it', async () => {
    const [victim] = workers();
    const before = await counted();
    const failures = { before: 0, after: 0 };
    let isKnown = false;
    void service.logged('a worker ended and is replaced').then(() => (isKnown = true));
    let isLoaded = true;
    const load = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (isLoaded) {
          const period = isKnown ? 'after' : 'before';
          if (!(await request())) failures[period] += 1;
        }
      }),
    );
    await sleep(200);
    process.kill(victim!, 'SIGKILL');
    await vi.waitFor(() => expect(workers()).toHaveLength(3), PATIENCE);
    // A busy machine needs longer for this many.
    await vi.waitFor(() => expect(served).toBeGreaterThan(100), PATIENCE);
    isLoaded = false;
    await load;
    // Until the primary knows of its end, the kernel may still give connections to the worker: several to each caller.
    expect(failures.before).toBeLessThanOrEqual(20);
    expect(isKnown).toBe(true);
    expect(failures.after).toBe(0);
    expect(unanswered).toBe(0);
    expect(await counted()).toBeGreaterThanOrEqual(before);
    await vi.waitFor(async () => expect(await metric('workers_running')).toBe(2), PATIENCE);
    expect(await metric('worker_restarts_total')).toBe(1);
    for (let count = 0; count < 10; count += 1) expect(await request()).toBe(true);
  });

  it('report a port in use with its setting, and do not start', async () => {
    const { port } = new URL(addresses.http);
    const second = startProgram('gateway', {
      settings: { ...SHOP_SETTINGS, 'app.workers': '2', 'app.database.url': database.url, 'app.http.port': port },
    });
    expect((await second.exited).code).toBe(1);
    expect(second.output()).toContain(`the start failed: 127.0.0.1:${port} is in use`);
    expect(second.output()).toContain('set app.http.port to another one');
  });

  it('stop with the primary', async () => {
    const open = Array.from({ length: 5 }, request);
    await Promise.all(open);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.isAlive()).toBe(false);
    expect(service.logs().filter(({ msg }) => msg === 'stopped')).toHaveLength(3);
  });
});
