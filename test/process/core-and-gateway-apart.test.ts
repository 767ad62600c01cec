// The core and the gateway as two processes, connected by gRPC over TCP, a Unix socket and mutual TLS.
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Account } from '../../src/auth/access/account.ts';
import { makeCertificates, writeCertificates } from '../support/certificates.ts';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { problem } from '../support/problems.ts';
import { restClient, sessionOf, type RestClient } from '../support/rest-client.ts';
import { seedSession } from '../support/sessions.ts';
import {
  emptyFolder,
  endProcesses,
  freePort,
  FREE_PORTS,
  SHOP_SETTINGS,
  startProgram,
  type ServiceProcess,
  type SettingFlags,
} from '../support/service-process.ts';

const REAL_TIME = { now: Date.now, advance: () => {} };

const databases: TestDatabase[] = [];
afterEach(async () => {
  await endProcesses();
  for (const database of databases.splice(0)) await database.drop();
});

async function newDatabase(): Promise<{ test: TestDatabase; account: Account }> {
  const test = await createTestDatabase('sqlite');
  databases.push(test);
  return { test, account: await seedAccount(test.database) };
}

const startCore = ({ url }: TestDatabase, more: SettingFlags = {}): ServiceProcess =>
  startProgram('core', { settings: { ...SHOP_SETTINGS, 'app.database.url': url, ...more } });

const startGateway = (core: string, more: SettingFlags = {}): ServiceProcess =>
  startProgram('gateway', {
    settings: { ...FREE_PORTS, 'app.name': 'my-shop', 'app.env': 'TEST', 'app.gateway.core': core, ...more },
  });

const restOf = async (gateway: ServiceProcess): Promise<RestClient> => restClient((await gateway.ready()).http);

/** Login, refresh, me, logout. */
async function useService(rest: RestClient, { username }: Account): Promise<void> {
  const login = await rest.open(username);
  const renewed = sessionOf(await rest.refresh(login.cookie));
  expect((await rest.me(renewed.accessToken)).body).toMatchObject({ username });
  expect((await rest.logout(renewed)).status).toBe(200);
  expect((await rest.me(renewed.accessToken)).status).toBe(401);
  expect((await rest.refresh(renewed.cookie)).status).toBe(401);
}

describe('core and gateway as two processes', () => {
  it('serve over a Unix socket, also after the core was killed', async () => {
    const { test, account } = await newDatabase();
    const socket = `unix:${join(emptyFolder(), 'core.sock')}`;
    const first = startCore(test, { 'app.rpc.host': socket });
    expect((await first.ready()).rpc).toBe(socket);
    const rest = await restOf(startGateway(socket));
    await useService(rest, account);
    await first.kill();
    await startCore(test, { 'app.rpc.host': socket }).ready();
    await expect.poll(async () => (await rest.me('garbage')).status, { timeout: 5_000 }).toBe(401);
    await useService(rest, account);
  });

  it('serve over mutual TLS only, by name and by address', async () => {
    const { test, account } = await newDatabase();
    const { ca: authority, core, gateway } = certificateFiles();
    const { rpc } = await startCore(test, {
      'app.rpc.tls.cert': core.cert,
      'app.rpc.tls.key': core.key,
      'app.rpc.tls.client-ca': authority,
      'app.rpc.trusted-gateways': 'gateway',
    }).ready();
    const byAddress = `ipv4:${rpc}`;
    const byName = `dns:///localhost:${rpc.split(':')[1]}`;
    const mutual = {
      'app.gateway.tls.ca': authority,
      'app.gateway.tls.cert': gateway.cert,
      'app.gateway.tls.key': gateway.key,
    };

    for (const service of [startGateway(byName, { 'app.gateway.tls.ca': authority }), startGateway(byName)]) {
      const response = await (await restOf(service)).login({ username: account.username, password: 'whatever' });
      expect(response).toEqual(problem(503, 'authentication-service-unavailable', '/api/v1/auth/login'));
    }
    for (const service of [startGateway(byName, mutual), startGateway(byAddress, mutual)]) {
      await useService(await restOf(service), account);
    }
  });

  it('serve over TCP, and recover after the core was killed and restarted', async () => {
    const { test, account } = await newDatabase();
    const port = { 'app.rpc.port': await freePort() };
    const core = startCore(test, port);
    const { rpc } = await core.ready();
    const gateway = startGateway(`ipv4:${rpc}`);
    const { http, management } = await gateway.ready();
    const rest = restClient(http);
    await useService(rest, account);
    const session = await seedSession({ database: test.database, clock: REAL_TIME }, account);
    expect((await rest.me(session.accessToken)).status).toBe(200);

    await core.kill();
    for (const [path, call] of [
      ['login', () => rest.login({ username: account.username, password: 'whatever' })],
      ['refresh', () => rest.refresh(session.cookie)],
      ['me', () => rest.me(session.accessToken)],
      ['logout', () => rest.logout(session)],
    ] as const) {
      const asked = performance.now();
      const response = await call();
      expect(performance.now() - asked).toBeLessThan(5_000);
      expect(response).toEqual(problem(503, 'authentication-service-unavailable', `/api/v1/auth/${path}`));
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(response.cookies).toEqual([]);
    }
    for (const url of [http, management]) {
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
      expect((await fetch(`${url}/health/ready`)).status).toBe(503);
    }
    await expect
      .poll(async () => ((await (await fetch(`${management}/health/ready`)).json()) as { detail: string }).detail)
      .toMatch(/^nothing listens there; start the core.*ECONNREFUSED/);
    const logged = () => gateway.logs().filter(({ msg }) => msg.includes('cannot be used'));
    await expect
      .poll(() => logged().map(({ level, reason }) => [level, reason]))
      .toContainEqual(['error', expect.stringMatching(/^nothing listens there/)]);
    const outages = logged();
    expect(new Set(outages.map(({ reason }) => reason)).size).toBe(outages.length);

    await startCore(test, port).ready();
    await expect.poll(async () => (await rest.me(session.accessToken)).status, { timeout: 5_000 }).toBe(200);
    expect((await rest.refresh(session.cookie)).status).toBe(200);
    expect((await fetch(`${management}/health/ready`)).status).toBe(200);
    expect(await gateway.logged(/can be used again$/)).toMatchObject({ level: 'info', seconds: expect.any(Number) });
    const errors = gateway.logs().filter(({ level }) => level === 'error' || level === 'fatal');
    expect(errors.map(({ msg }) => msg)).toEqual(outages.map(({ msg }) => msg));
  });
});

/** PEM files of an authority and of what it has signed for both sides. */
function certificateFiles() {
  return writeCertificates(
    emptyFolder(),
    makeCertificates({
      core: { commonName: 'core', alternative: 'DNS:localhost,IP:127.0.0.1' },
      gateway: { commonName: 'gateway', alternative: 'DNS:gateway' },
    }),
  );
}
