// The reasons why a gateway cannot reach its core, from real connections.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findCoreProblem } from '../../gateway/root/core-problem.ts';
import { HealthService } from '../../proto/gen/grpc/health/v1/health.ts';
import type { CertificateFiles } from '../../src/platform/rpc/grpc/certificates.ts';
import { grpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import { serveGrpc, type GrpcServer } from '../../src/platform/rpc/grpc/server.ts';
import { makeCertificates, writeCertificates } from '../support/certificates.ts';
import { echoHost } from './pipeline/echo-host.ts';

const NAMES = {
  server: { commonName: 'core', alternative: 'DNS:localhost,IP:127.0.0.1' },
  elsewhere: { commonName: 'core', alternative: 'DNS:elsewhere.test' },
  gateway: { commonName: 'gateway', alternative: 'DNS:gateway' },
};
const folder = mkdtempSync(join(tmpdir(), 'unreachable-'));
const servers: GrpcServer[] = [];
const webServer = createHttpServer();
let good: ReturnType<typeof writeCertificates<keyof typeof NAMES>>;
let other: typeof good;
let closed: number;

beforeAll(async () => {
  good = writeCertificates(mkdtempSync(join(folder, 'good-')), makeCertificates(NAMES));
  other = writeCertificates(mkdtempSync(join(folder, 'other-')), makeCertificates(NAMES));
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closed = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
});
afterAll(async () => {
  for (const server of servers) await server.close(0);
  webServer.close();
  rmSync(folder, { recursive: true });
});

async function serveHttp(): Promise<string> {
  webServer.listen(0, '127.0.0.1');
  await once(webServer, 'listening');
  return `ipv4:127.0.0.1:${(webServer.address() as AddressInfo).port}`;
}

async function serve(tls?: CertificateFiles & { readonly clientCa?: string }): Promise<string> {
  const { host, log } = echoHost();
  const options = { host: '127.0.0.1', port: 0, trustedGateways: [], log };
  const server = await serveGrpc(host, { ...options, ...(tls && { tls: tls as never }) });
  servers.push(server);
  return `dns:///${server.address}`;
}

it.each<[which: string, reason: RegExp, connection: () => Promise<[target: string, tls?: CertificateFiles]>]>([
  ['without a name', /^its name is not found; .*core\.invalid/, async () => ['dns:///core.invalid:50051']],
  ['that does not listen', /^nothing listens there; .*ECONNREFUSED/, async () => [`ipv4:127.0.0.1:${closed}`]],
  ['without its socket', /^nothing listens there; .*ENOENT/, async () => [`unix:${folder}/none.sock`]],
  ['that is a web server', /^another program answers there; /, async () => [await serveHttp()]],
  ['without TLS', /^it does not use TLS; /, async () => [await serve(), { ca: good.ca }]],
  ['with TLS, for a gateway without', /^it closes the connection: /, async () => [await serve(good.server)]],
  [
    'of another authority',
    /^TLS failed: its certificate is not accepted; /,
    async () => [await serve(good.server), { ca: other.ca }],
  ],
  [
    'with another name',
    /^TLS failed: its certificate is not accepted; .*altnames|in the cert/,
    async () => [await serve(good.elsewhere), { ca: good.ca }],
  ],
  [
    'that requires a certificate',
    /^(?:TLS failed: it refuses the certificate of the gateway|it closes the connection)/,
    async () => [await serve({ ...good.server, clientCa: good.ca }), { ca: good.ca }],
  ],
  [
    'that does not accept the certificate of the gateway',
    /^(?:TLS failed: it refuses the certificate of the gateway|it closes the connection)/,
    async () => [await serve({ ...good.server, clientCa: good.ca }), { ca: good.ca, ...other.gateway }],
  ],
])('names the reason of a core %s, the same each time', async (_which, reason, connection) => {
  const [target, tls] = await connection();
  const channel = grpcChannel({ target, tls });
  const health = channel.client(HealthService);
  const problems = [await findCoreProblem({ health }), await findCoreProblem({ health })];
  channel.close();
  expect(problems[0]).toMatch(reason);
  expect(problems[0]).not.toMatch(/\n|Resolution note|Last error|error:0A/);
  expect(problems[1]).toBe(problems[0]);
});
