// Signals reach the service through npm, and it finishes open requests.
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  emptyFolder,
  endProcesses,
  FREE_PORTS,
  SHOP_SETTINGS,
  startProgram,
  type ServiceProcess,
} from '../support/service-process.ts';

const ORDERLY = { code: 0, signal: null };

const startDev = (): ServiceProcess =>
  startProgram('npm run dev', {
    settings: {
      ...FREE_PORTS,
      'app.database.url': `sqlite:${join(emptyFolder(), 'service.db')}`,
      'app.security.password.max-concurrent-hashes': '1',
    },
  });

afterEach(endProcesses);

/** Logins of several accounts over connections that are open already; each resolves with its status. */
async function logIn(url: string, usernames: readonly string[]): Promise<Promise<number>[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: usernames.length });
  await Promise.all(usernames.map(() => send(`${url}/health/live`, agent)));
  return usernames.map((username) =>
    send(`${url}/api/v1/auth/login`, agent, JSON.stringify({ username, password: 'demo-password-1' })),
  );
}

function send(url: string, agent: Agent, body?: string): Promise<number> {
  const options = {
    agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
  };
  return new Promise((resolve, reject) => {
    request(url, options, (response) => response.resume().on('end', () => resolve(response.statusCode!)))
      .on('error', reject)
      .end(body);
  });
}

/** A connection on which something begins and goes no further: it holds up an orderly end. */
async function hold(address: string, beginning: string): Promise<Socket> {
  const [host, port] = address.replace('http://', '').split(':');
  const socket = connect({ host: host!, port: Number(port) });
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(beginning);
  return socket.on('error', () => {});
}

const HALF_A_LOGIN = 'POST /api/v1/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n';

it('cuts off peers that never finish their requests, within the shutdown grace, whatever signals follow', async () => {
  const service = startProgram('gateway', {
    settings: {
      ...SHOP_SETTINGS,
      'app.database.url': `sqlite:${join(emptyFolder(), 'service.db')}`,
      'app.shutdown-grace': '2s',
    },
  });
  const { http, rpc, management } = await service.ready();
  const held = await Promise.all([
    hold(http, HALF_A_LOGIN),
    hold(rpc, 'PRI * HTTP/2.0'),
    hold(management, 'GET /metrics HTTP/1.1\r\n'),
  ]);
  // Answered after them, it shows that they have begun.
  for (const url of [http, management]) expect((await fetch(`${url}/health/live`)).status).toBe(200);
  const again = setInterval(() => service.signal('SIGTERM'), 1);
  expect(await service.stop()).toEqual(ORDERLY);
  clearInterval(again);
  expect(service.logs().at(-1)).toMatchObject({ msg: 'stopped' });
  for (const socket of held) socket.destroy();
});

describe('a signal to npm', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s lets open requests finish and leaves no process behind', async (name) => {
    const service = startDev();
    const { http } = await service.ready();
    const logins = await logIn(http, [
      'alice@acme.test',
      'mia@acme.test',
      'sam@acme.test',
      'flora@acme.test',
      'gina@globex.test',
      'root',
    ]);
    // One password is checked after the other: with the first response, the others are under way.
    await Promise.any(logins);
    service.signal(name);
    expect(await Promise.all(logins)).toEqual(Array<number>(6).fill(200));
    expect(await service.exited).toEqual(ORDERLY);
    expect(service.isAlive()).toBe(false);
    expect(service.logs().map(({ msg }) => msg)).toContain('stopped');
    await expect(fetch(http)).rejects.toThrow();
  });

  it('Ctrl-C, which also signals the started process, ends the service once', async () => {
    const service = startDev();
    await service.ready();
    service.signalGroup('SIGINT');
    expect(await service.exited).toEqual(ORDERLY);
    expect(service.logs().filter(({ msg }) => msg.startsWith('stopping'))).toHaveLength(1);
    expect(service.isAlive()).toBe(false);
  });

  it('ends core and gateway as two processes, which report not ready first', async () => {
    const database = `sqlite:${join(emptyFolder(), 'service.db')}`;
    const core = startProgram('npm run core', { settings: { ...SHOP_SETTINGS, 'app.database.url': database } });
    const { rpc, management: ofCore } = await core.ready();
    const gateway = startProgram('npm run gateway', { settings: { ...FREE_PORTS, 'app.gateway.core': `ipv4:${rpc}` } });
    const { http, management: ofGateway } = await gateway.ready();
    expect((await fetch(`${http}/health/ready`)).status).toBe(200);
    for (const [service, listener, beginning, management] of [
      [gateway, http, HALF_A_LOGIN, ofGateway],
      [core, rpc, 'PRI * HTTP/2.0', ofCore],
    ] as const) {
      const held = await hold(listener, beginning);
      const statuses = async () =>
        Promise.all(['live', 'ready'].map(async (name) => (await fetch(`${management}/health/${name}`)).status));
      expect(await statuses()).toEqual([200, 200]);
      const exit = service.stop();
      await service.logged(/^stopping/);
      expect(await statuses()).toEqual([200, 503]);
      held.destroy();
      expect(await exit).toEqual(ORDERLY);
      expect(service.isAlive()).toBe(false);
    }
  });
});
