// authservice tenant policy: over the local core's socket, through the program's entry function.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveGrpc, type GrpcServer } from '../../src/platform/rpc/grpc/server.ts';
import { runCli } from '../support/cli.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
let server: GrpcServer;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  const settings = { 'app.http.cors.allowed-origins': 'https://a.test,https://b.test' };
  world = await openWorld({ engine: 'sqlite', transport: 'local', settings });
  folder = mkdtempSync(join(tmpdir(), 'cli-policy-'));
  const host = `unix:${join(folder, 'core.sock')}`;
  const log = pino({ level: 'silent' });
  server = await serveGrpc(world.deployment.core.host, { host, port: 0, trustedGateways: [], log });
  env = { AUTHSERVICE_CORE: host, AUTHSERVICE_TOKEN: world.admin.session.accessToken };
});
afterAll(async () => {
  await server.close(1_000);
  await world.close();
  rmSync(folder, { recursive: true });
});

const policy = (...args: string[]) => runCli(['tenant', 'policy', ...args], { env });

describe('tenant policy', () => {
  it('sets values, shows them with their source, and returns one to the service', async () => {
    const set = await policy('set', 'acme', 'lockMaxFailures=3', 'allowedOrigins=https://b.test', '--json');
    expect(set).toMatchObject({ code: 0, error: '' });
    expect(JSON.parse(set.out)).toMatchObject({
      policy: { lockMaxFailures: 3, allowedOrigins: ['https://b.test'] },
      effective: { lockMaxFailures: 3, lockDuration: 900, allowedOrigins: ['https://b.test'] },
    });
    const { out } = await policy('show', 'acme');
    expect(out).toMatch(/lockMaxFailures +3 +tenant/);
    expect(out).toMatch(/lockDuration +900 +service/);
    expect(out).toMatch(/sessionAbsoluteLifetime +none +service/);
    expect((await policy('set', 'acme', 'lockMaxFailures=null', 'allowedOrigins=null')).out).not.toContain('tenant');
  });

  it.each([
    ['lockMaxFailures=9', 1, 'lockMaxFailures'],
    ['lockMaxFailure=3', 2, 'lockMaxFailure: not a field'],
    ['lockMaxFailures=three', 2, 'give lockMaxFailures=VALUE'],
    ['lockMaxFailures', 2, 'give lockMaxFailures=VALUE'],
    ['allowedOrigins=https://evil.test', 1, 'allowedOrigins'],
  ])('refuses %s', async (change, code, message) => {
    const refused = await policy('set', 'acme', change);
    expect(refused).toMatchObject({ code, out: '' });
    expect(refused.error).toContain(message);
    expect(JSON.parse((await policy('show', 'acme', '--json')).out).policy).toEqual({ allowedOrigins: [] });
  });

  it('previews a change, and lists the changes', async () => {
    const preview = await policy('preview', 'acme', 'passwordMinLength=20', '--json');
    expect(preview).toMatchObject({ code: 0, error: '' });
    expect(JSON.parse(preview.out)).toMatchObject({ sessionsEnded: 0, usersWithoutFactor: 0, when: 'NOW' });
    expect(JSON.parse((await policy('show', 'acme', '--json')).out).policy).toEqual({ allowedOrigins: [] });
    await policy('set', 'acme', 'lockMaxFailures=4', 'secondFactor=REQUIRED');
    await policy('set', 'acme', 'lockMaxFailures=null', 'secondFactor=null');
    const history = await policy('history', 'acme', '--json', '--limit', '2');
    const by = { id: world.admin.account.id, username: world.admin.account.username };
    expect(JSON.parse(history.out)).toMatchObject([
      { by, from: { lockMaxFailures: 4, secondFactor: 'REQUIRED' }, to: {} },
      { by, from: {}, to: { lockMaxFailures: 4, secondFactor: 'REQUIRED' } },
    ]);
    expect((await policy('history', 'acme')).out).toContain('{"lockMaxFailures":4,"secondFactor":"REQUIRED"}');
  });

  it('does not find another tenant', async () => {
    expect(await policy('show', 'globex')).toMatchObject({ code: 1, out: '' });
  });
});
