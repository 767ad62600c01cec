// A core without its database returns UNAVAILABLE; the examples' service config retries until it is back.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { onMysqlServer, startMysqlServer, type MysqlServer } from '../support/mysql-server.ts';
import { endProcesses } from '../support/service-process.ts';
import { startCore, type Core } from './cores.ts';
import { buildOnce, LANGUAGES } from './examples.ts';
import { runMachineClient } from './machine-client.ts';
import { startRelay, type Relay } from './relay.ts';
import { openWorkspace } from './workspace.ts';

let workspace: string;
let server: MysqlServer;
let relay: Relay;
let core: Core;

beforeAll(async () => {
  workspace = openWorkspace();
  server = await startMysqlServer();
  await onMysqlServer(server.url, (connection) => connection.query('CREATE DATABASE service'));
  relay = await startRelay(Number(new URL(server.url).port));
  core = await startCore({
    'app.database.url': `mysql://root@127.0.0.1:${relay.port}/service`,
    'app.log.level': 'debug',
  });
});
afterAll(async () => {
  await endProcesses();
  relay?.close();
  await server?.stop();
});

const GET_ME = '/authservice.identity.v1.IdentityService/GetMe';
const callsEnding = (isRefused: boolean) =>
  core.process.logs().filter(({ rpc, reason }) => rpc === GET_ME && (reason !== 'OK') === isRefused);

describe.each(LANGUAGES)('%s', (language) => {
  beforeAll(() => buildOnce(language, workspace));
  afterEach(() => relay.mend());

  it('fails no call while the core is without its database for a moment', async () => {
    const [served, refused] = [callsEnding(false).length, callsEnding(true).length];
    const calling = runMachineClient(language, workspace, core.env, 3);
    await expect.poll(() => callsEnding(false).length, { timeout: 20_000 }).toBeGreaterThan(served);
    relay.cut();
    await expect.poll(() => callsEnding(true).length, { timeout: 10_000 }).toBeGreaterThan(refused);
    await sleep(200);
    relay.mend();
    expect(await calling).toContain('\nfailures: 0\n');
    expect(callsEnding(true).at(-1)).toMatchObject({ reason: 'AUTHENTICATION_SERVICE_UNAVAILABLE' });
  });
});
