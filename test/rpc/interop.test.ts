// The core with a client in another language: gRPC's C core in Python.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveGrpc, type GrpcServer } from '../../src/platform/rpc/grpc/server.ts';
import { PASSWORD } from '../support/accounts.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { openPythonGrpc, type PythonGrpc } from '../support/python-grpc.ts';
import { openShop, type Shop } from '../support/shop/core-shop.ts';
import { makeCertificates, writeCertificates } from '../support/certificates.ts';

const LISTEN = { host: '127.0.0.1', port: 0, trustedGateways: [], log: pino({ level: 'silent' }) };

let folder: string;
let python: PythonGrpc;
let deployment: Deployment;
let shop: Shop;
let plain: GrpcServer;
let secure: GrpcServer;
let authority: string;

beforeAll(async () => {
  python = openPythonGrpc();
  folder = mkdtempSync(join(tmpdir(), 'interop-'));
  deployment = await deploy({ engine: 'sqlite', transport: 'local' });
  shop = await openShop(deployment);
  await shop.product({ name: 'Tulip', price: 250 });
  const made = makeCertificates({ server: { commonName: 'core', alternative: 'IP:127.0.0.1' } });
  const { ca, server: tls } = writeCertificates(folder, made);
  authority = ca;
  plain = await serveGrpc(deployment.core.host, LISTEN);
  secure = await serveGrpc(deployment.core.host, { ...LISTEN, tls });
  // Installing the packages takes its time.
}, 180_000);
afterAll(async () => {
  await plain?.close(0);
  await secure?.close(0);
  await deployment?.close();
  python?.close();
  if (folder) rmSync(folder, { recursive: true });
});

it.each(['plain text', 'TLS'])(
  'a Python client logs in, calls, streams both ways and reads errors over %s',
  async (kind) => {
    const content = randomBytes(2_500_000);
    const input = { username: shop.manager.username, password: PASSWORD, content: content.toString('base64') };
    const args = kind === 'TLS' ? [secure.address, authority] : [plain.address];
    const seen: unknown = JSON.parse(await python.run('test/rpc/interop/client.py', args, JSON.stringify(input)));
    const sha256 = createHash('sha256').update(content).digest('hex');
    const refusal = { domain: 'authservice', sameCode: true };
    expect(seen).toMatchObject({
      expiresIn: 900,
      refreshToken: true,
      username: shop.manager.username,
      products: [['Tulip', 250]],
      download: { length: content.length, sha256, told: sha256 },
      wrongPassword: { ...refusal, code: 'UNAUTHENTICATED', reason: 'BAD_CREDENTIALS' },
      noToken: { ...refusal, code: 'UNAUTHENTICATED', reason: 'TOKEN_MISSING' },
      badRequest: {
        ...refusal,
        code: 'INVALID_ARGUMENT',
        reason: 'VALIDATION_ERROR',
        requestId: 'from-python',
        violations: [
          ['file_name', 'LENGTH'],
          ['size', 'RANGE'],
        ],
      },
      tooLarge: { ...refusal, code: 'RESOURCE_EXHAUSTED', reason: 'MESSAGE_TOO_LARGE' },
    });
  },
);
