// deploy/healthcheck.js, the health check of the image.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PROJECT } from '../support/service-process.ts';

const PROGRAM = join(PROJECT, 'deploy/healthcheck.js');
const servers: { close(): unknown }[] = [];
afterAll(() => servers.forEach((server) => server.close()));

async function serve(status: number): Promise<number> {
  const server: Server = createHttpServer((request, response) => {
    response.writeHead(request.url === '/health/ready' ? status : 404).end();
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function check(env: Readonly<Record<string, string>>, ...args: string[]) {
  return new Promise<{ readonly code: unknown; readonly out: string; readonly cpuMs: number }>((resolve) => {
    const program = `${process.execPath} ${PROGRAM} ${args.join(' ')}; code=$?; times; exit $code`;
    execFile('sh', ['-c', program], { env }, (error, out) => {
      const cpuMs = [...out.matchAll(/(\d+)m([\d.]+)s/g)]
        .slice(2)
        .map(([, m, s]) => Number(m) * 60e3 + Number(s) * 1e3);
      resolve({ code: error?.code ?? 0, out, cpuMs: cpuMs.reduce((sum, ms) => sum + ms, 0) });
    });
  });
}

it('succeeds if the process is ready, on all addresses and on one', async () => {
  const port = String(await serve(200));
  for (const APP_MANAGEMENT_HOST of ['0.0.0.0', '127.0.0.1'])
    expect(await check({ APP_MANAGEMENT_HOST, APP_MANAGEMENT_PORT: port })).toMatchObject({ code: 0 });
  expect(await check({}, '--url', `http://127.0.0.1:${port}`)).toMatchObject({ code: 0 });
});

it('fails if the process is not ready, does not listen, or does not respond', async () => {
  expect(await check({ APP_MANAGEMENT_PORT: String(await serve(503)) })).toMatchObject({
    code: 1,
    out: expect.stringContaining('/health/ready: 503'),
  });
  expect(await check({ APP_MANAGEMENT_PORT: '1' })).toMatchObject({
    code: 1,
    out: expect.stringContaining('ECONNREFUSED'),
  });
  const silent = createServer();
  servers.push(silent.listen(0, '127.0.0.1'));
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  expect(await check({ APP_MANAGEMENT_PORT: String(port) })).toMatchObject({
    code: 1,
    out: expect.stringContaining('does not respond within 3000 ms'),
  });
});

it('costs a fraction of the CPU time of the command line', async () => {
  const port = String(await serve(200));
  const { cpuMs } = await check({ APP_MANAGEMENT_PORT: port });
  expect(cpuMs).toBeGreaterThan(0);
  // 40 to 80 ms alone; the command line needs 600.
  expect(cpuMs).toBeLessThan(300);
});
