// A process with few file descriptors keeps enough of them for open requests.
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { emptyFolder, endProcesses, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await endProcesses();
});

const settings = () => ({ ...SHOP_SETTINGS, 'app.database.url': `sqlite:${join(emptyFolder(), 'service.db')}` });

/** Opens a connection that sends nothing; resolves once it is open or refused. */
function openSilently(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, resolve);
    socket.on('error', () => resolve()).resume();
    sockets.push(socket);
  });
}

function status(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => response.resume().on('end', () => resolve(response.statusCode!))).on(
      'error',
      reject,
    );
  });
}

describe('a process with 600 file descriptors', () => {
  it('serves open connections, the management port and the database beside 700 new connections', async () => {
    const service = startProgram('gateway', { settings: settings(), descriptors: 600 });
    const { http, management } = await service.ready();
    const warning = await service.logged(/lowers app\.http\.max-connections from 4000 to \d+/);
    expect(warning).toMatchObject({ level: 'warn', descriptors: 600, msg: expect.stringContaining('ulimit -n') });

    const held = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await status(`${http}/health/ready`, held)).toBe(200);
    await Promise.all(Array.from({ length: 700 }, () => openSilently(http)));
    for (let count = 0; count < 3; count += 1) expect(await status(`${http}/health/ready`, held)).toBe(200);
    const metrics = await (await fetch(`${management}/metrics`)).text();
    held.destroy();
    expect(
      Number(/^connections_refused_total\{server="http",bound="total"\} (\d+)$/m.exec(metrics)?.[1]),
    ).toBeGreaterThan(300);
    expect(Number(/^connections_open\{server="http"\} (\d+)$/m.exec(metrics)?.[1])).toBeLessThan(300);
    expect(
      service.logs().filter(({ msg }) => msg.startsWith('connections are refused by app.http.max-connections')),
    ).toHaveLength(1);
  });
});

it('logs no warning with enough file descriptors', async () => {
  const service = startProgram('gateway', {
    settings: { ...settings(), 'app.http.max-connections': '100', 'app.rpc.max-connections': '100' },
    descriptors: 700,
  });
  await service.ready();
  expect(service.output()).not.toMatch(/max-connections/);
});
