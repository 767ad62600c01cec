// Two services and their mail server, which hangs, and kill -9 of the services: each mail is sent once, and no request waits for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/platform/db/ids.ts';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { restClient } from '../support/rest-client.ts';
import { endProcesses, SHOP_SETTINGS, startProgram, type ServiceProcess } from '../support/service-process.ts';
import { startSmtpServer } from '../support/smtp-server.ts';

const MAILS = 10;
/** Far below the 10 s that an attempt waits for a server. */
const QUICK_MS = 1_000;

describe('two services and a mail server', () => {
  let test: TestDatabase;
  let server: Awaited<ReturnType<typeof startSmtpServer>>;
  let services: ServiceProcess[];

  const start = () =>
    startProgram('gateway', {
      settings: {
        ...SHOP_SETTINGS,
        'app.rpc.enabled': 'false',
        'app.database.url': test.url,
        'app.public-url': 'https://auth.shop.test',
        'app.mail.url': `smtp://localhost:${server.port}`,
      },
    });
  const open = async () => {
    const email = `${newId()}@mail.test`;
    await seedAccount(test.database, { username: email, email });
    return email;
  };
  /** Requests a mail and returns the duration in milliseconds. */
  const request = async (service: ServiceProcess, username: string) => {
    const rest = restClient((await service.ready()).http);
    const started = performance.now();
    expect((await rest.postJson('/api/v1/auth/recovery', { username })).status).toBe(202);
    return performance.now() - started;
  };
  const requestAll = (usernames: readonly string[]) =>
    Promise.all(usernames.map((username, index) => request(services[index % services.length]!, username)));
  const openAll = () => Promise.all(Array.from({ length: MAILS }, open));
  const receivers = () => server.received.map(({ to }) => to[0]!).toSorted();
  const isEmpty = async () => expect(await test.database.query('SELECT id FROM mails')).toEqual([]);

  beforeAll(async () => {
    [test, server] = await Promise.all([createTestDatabase(SERVER_ENGINE), startSmtpServer()]);
    services = [start(), start()];
    await Promise.all(services.map((service) => service.ready()));
  });
  afterAll(async () => {
    await endProcesses();
    await server?.close();
    await test?.drop();
  });

  it('send each mail once', async () => {
    const usernames = await openAll();
    await requestAll(usernames);
    await eventually(isEmpty);
    expect(receivers()).toEqual(usernames.toSorted());
  });

  it('respond at once while the server hangs, and send the mails afterwards', async () => {
    server.received.length = 0;
    server.hold();
    const usernames = await openAll();
    await requestAll(usernames.slice(0, 1));
    await eventually(() => expect(server.heldCount()).toBeGreaterThan(0));
    const durations = await requestAll(usernames.slice(1));
    expect(Math.max(...durations)).toBeLessThan(QUICK_MS);
    expect(server.received).toEqual([]);
    server.release();
    await eventually(isEmpty);
    expect(receivers()).toEqual(usernames.toSorted());
  });

  it('send after kill -9 what was committed, and log which mail may have been sent twice', async () => {
    server.received.length = 0;
    server.hold();
    const [begun, waiting] = [await open(), await open()] as const;
    await request(services[0]!, begun);
    await eventually(() => expect(server.heldCount()).toBe(1));
    await request(services[1]!, waiting);
    await Promise.all(services.map((service) => service.kill()));
    server.release();
    expect(server.received).toEqual([]);
    // Instead of waiting for the end of the lease and of the pause.
    await test.database.execute('UPDATE job_leases SET expires_at = 0');
    await test.database.execute('UPDATE mails SET next_at = 0');

    const next = start();
    services = [next];
    await next.ready();
    await eventually(isEmpty);
    expect(receivers()).toEqual([begun, waiting].toSorted());
    // A log line arrives after what it says.
    await eventually(() => {
      const sent = next.logs().filter(({ msg }) => msg.startsWith('mail sent'));
      expect(sent.map(({ msg }) => msg).toSorted()).toEqual([
        'mail sent',
        'mail sent, perhaps twice: the outcome of an earlier attempt is unknown',
      ]);
    });
    expect(next.output()).not.toMatch(/mail\.test|token=/);
  });
});
