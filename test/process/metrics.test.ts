// The content of the management port, without secrets.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawRequest, sendRaw } from '../support/raw-http.ts';
import { bearer, restClient, sessionOf } from '../support/rest-client.ts';
import {
  emptyFolder,
  endProcesses,
  FREE_PORTS,
  startProgram,
  type Addresses,
  type ServiceProcess,
} from '../support/service-process.ts';

const PASSWORD = 'demo-password-1';

describe('the management port', () => {
  let service: ServiceProcess;
  let addresses: Addresses;
  const secrets: string[] = [PASSWORD, 'a-wrong-password', 'a-secret-in-a-path'];

  beforeAll(async () => {
    const database = `sqlite:${join(emptyFolder(), 'service.db')}`;
    service = startProgram('gateway', {
      settings: {
        ...FREE_PORTS,
        'app.env': 'DEV',
        'app.database.url': database,
        'app.management.allowed-hosts': 'Metrics.internal',
      },
    });
    addresses = await service.ready();
    const rest = restClient(addresses.http);
    const login = sessionOf(await rest.login({ username: 'sam@acme.test', password: PASSWORD }));
    const renewed = sessionOf(await rest.refresh(login.cookie));
    await rest.me(renewed.accessToken);
    await rest.login({ username: 'sam@acme.test', password: 'a-wrong-password' });
    await rest.send('GET', '/api/v1/a-secret-in-a-path');
    await rest.send('GET', '/metrics', { headers: bearer(renewed.accessToken) });
    await rest.logout(renewed);
    for (const { accessToken, cookie } of [login, renewed]) secrets.push(accessToken, cookie.split('=')[1]!);
  });
  afterAll(endProcesses);

  const metrics = async () => {
    const response = await fetch(`${addresses.management}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    return response.text();
  };

  it('returns the health of the whole service', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const response = await fetch(addresses.management + path);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ status: 'UP' });
    }
  });

  it('counts calls, requests and the cleanup', async () => {
    const text = await metrics();
    for (const [method, reason] of [
      ['Login', 'OK'],
      ['Login', 'BAD_CREDENTIALS'],
      ['Refresh', 'OK'],
      ['Logout', 'OK'],
    ]) {
      expect(text).toContain(
        `rpc_duration_seconds_count{path="/authservice.session.v1.SessionService/${method}",reason="${reason}"} 1\n`,
      );
    }
    expect(text).toContain(
      'http_request_duration_seconds_count{method="POST",route="/api/v1/auth/login",status="200"} 1\n',
    );
    expect(text).toContain(
      'http_request_duration_seconds_count{method="POST",route="/api/v1/auth/login",status="401"} 1\n',
    );
    expect(text).toContain('http_request_duration_seconds_count{method="GET",route="none",status="404"} 2\n');
    const tables = [
      'session_families',
      'token_blacklist',
      'login_decoys',
      'rate_limits',
      'signing_keys',
      'audit_seals',
      'settled_rotations',
    ];
    for (const table of tables) {
      expect(text).toContain(`cleanup_backlog_rows{table="${table}"} 0\n`);
      expect(text).toContain(`cleanup_oldest_seconds{table="${table}"} 0\n`);
    }
    // No cleanup has run yet.
    expect(text).toContain('# TYPE cleanup_last_run_timestamp_seconds gauge\n');
    expect(text).not.toMatch(/^cleanup_last_run_timestamp_seconds /m);
    expect(text).toContain('authentications_total{kind="login",outcome="refused",reason="BAD_CREDENTIALS"} 1\n');
    expect(text).toContain('audit_events_total{event="login.failed",reason="BAD_CREDENTIALS"} 1\n');
    expect(text).toContain('password_hashes_running 0\n');
    expect(text).toContain('database_connections_max 1\n');
    expect(text).toMatch(/^process_cpu_seconds_total /m);
  });

  it('contains no secret, and neither does the log', async () => {
    const shown = (await metrics()) + service.output();
    for (const secret of secrets) expect(shown).not.toContain(secret);
    expect(shown).not.toMatch(/sam@acme\.test.*rpc_duration|eyJ/);
  });

  it('rejects a foreign Host against DNS rebinding, and sends nosniff', async () => {
    const { hostname: address, port } = new URL(addresses.management);
    const ask = (...lines: string[]) =>
      sendRaw(addresses.management, rawRequest('GET /metrics HTTP/1.1', [...lines, 'Connection: close']));
    const good = [
      `${address}:${port}`,
      'localhost',
      'LOCALHOST:1',
      '[::1]:9090',
      '10.1.2.3',
      hostname(),
      'metrics.internal:9090',
    ];
    for (const host of good) expect((await ask(`Host: ${host}`)).status, host).toBe(200);
    for (const host of ['evil.test', `localhost.evil.test:${port}`, '127.0.0.1.evil.test', '']) {
      const { status, headers } = await ask(`Host: ${host}`);
      expect([host, status]).toEqual([host, 421]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect((await ask('Host: localhost', 'Host: evil.test')).status).toBe(421);
  });

  it('is not on the public port, and returns problem documents for other requests', async () => {
    expect((await fetch(`${addresses.http}/metrics`)).status).toBe(404);
    for (const [method, path, status] of [
      ['GET', '/', 404],
      ['POST', '/metrics', 405],
      ['GET', '/api/v1/auth/me', 404],
    ] as const) {
      const response = await fetch(addresses.management + path, { method });
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
    }
  });
});
