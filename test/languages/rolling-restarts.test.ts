// Rolling restarts of gateways behind a balancer, under the keep-alive load of real clients: no request may fail.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder, endProcesses, FREE_PORTS, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';
import { run } from './commands.ts';
import { startBalancer, type Balancer } from './rolling/balancer.ts';
import { requirePrograms } from './toolchain.ts';

const RESTARTS = 20;
const CLIENTS = new URL('rolling/', import.meta.url).pathname;

let balancer: Balancer;
let core: string;
let commands: readonly (readonly string[])[];
let load: readonly ChildProcess[] = [];

beforeAll(async () => {
  requirePrograms('go', 'javac');
  const folder = emptyFolder();
  await run('go', ['build', '-o', join(folder, 'go-client'), join(CLIENTS, 'client.go')]);
  await run('javac', ['-d', folder, join(CLIENTS, 'Client.java')]);
  core = `unix:${join(folder, 'core.sock')}`;
  const settings = {
    ...SHOP_SETTINGS,
    'app.database.url': `sqlite:${join(folder, 'service.db')}`,
    'app.rpc.host': core,
  };
  await startProgram('core', { settings }).ready();
  balancer = await startBalancer();
  const url = `${balancer.url}/api/v1/auth/login`;
  commands = [
    [process.execPath, join(CLIENTS, 'client.ts'), url],
    [join(folder, 'go-client'), url],
    ['java', '-cp', folder, 'Client', url],
  ];
});
afterAll(async () => {
  balancer?.close();
  for (const client of load) client.kill();
  await endProcesses();
});

async function startGateway() {
  const process = startProgram('gateway', {
    settings: { ...FREE_PORTS, 'app.env': 'TEST', 'app.gateway.core': core, 'app.process.drain-delay': '5s' },
  });
  const { http, management } = await process.ready();
  const server = { port: Number(new URL(http).port), health: `${management}/health/ready` };
  await balancer.add(server);
  return { process, server };
}

it(`${RESTARTS} restarts fail no request of Node's, Go's and Java's clients`, async () => {
  let current = await startGateway();
  load = commands.map(([command, ...args]) => spawn(command!, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  const outputs = load.map((client) => text(client.stdout!));
  for (let restart = 0; restart < RESTARTS; restart++) {
    const next = await startGateway();
    expect(await current.process.stop()).toEqual({ code: 0, signal: null });
    balancer.remove(current.server);
    current = next;
  }
  for (const client of load) client.stdin!.end();
  const results = (await Promise.all(outputs)).map(
    (output) => JSON.parse(output) as { requests: number; errors: string[] },
  );
  expect(results.map(({ errors }) => errors)).toEqual([[], [], []]);
  for (const { requests } of results) expect(requests).toBeGreaterThan(RESTARTS * 20);
}, 600_000);
