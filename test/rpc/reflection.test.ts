// Reflection for tools without protos: the real `buf curl`.
import { execFile, execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { Client, credentials } from '@grpc/grpc-js';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BadRequest, ErrorInfo } from '../../proto/gen/google/rpc/error_details.ts';
import { serveGrpc, type GrpcServer } from '../../src/platform/rpc/grpc/server.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { mailFolder } from '../support/mails.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { seedSession } from '../support/sessions.ts';
import { IS_SHOP_SERVED, SHOP_PACKAGE } from '../support/shop-served.ts';

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What `buf curl` prints of a failed call: details by type, the bytes of each in base64. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details: readonly { readonly type: string; readonly value: string }[];
}

const LISTEN = { host: '127.0.0.1', port: 0, trustedGateways: [], log: pino({ level: 'silent' }) };

let deployment: Deployment;
let server: GrpcServer;

beforeAll(async () => {
  deployment = await deploy({ engine: 'sqlite', transport: 'local', settings: mailFolder().settings });
  server = await serveGrpc(deployment.core.host, { ...LISTEN, reflection: true });
});
afterAll(async () => {
  await server?.close(0);
  await deployment?.close();
});

const curl = (path: string, ...args: readonly string[]): Promise<Run> => run(`http://${server.address}${path}`, args);

function run(url: string, args: readonly string[]): Promise<Run> {
  const all = ['curl', '--protocol', 'grpc', '--http2-prior-knowledge', ...args, url];
  return new Promise((resolve) => {
    execFile('node_modules/.bin/buf', all, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : 1, stdout, stderr }),
    );
  });
}

async function respond(path: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await curl(path, ...args);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return stdout;
}

const linesOf = (text: string): string[] => text.trim().split('\n');

/** Every service that proto/ declares and this run serves, and the methods of it. */
const declared = globSync('proto/**/*.proto').flatMap((path) => {
  const text = readFileSync(path, 'utf8');
  const [, name] = /^package (\S+);/m.exec(text)!;
  if (name === SHOP_PACKAGE && !IS_SHOP_SERVED) return [];
  return [...text.matchAll(/^service (\w+) \{(.*?)^\}/gms)].map(([, service, body]) => ({
    name: `${name}.${service}`,
    methods: [...body!.matchAll(/^ {2}rpc (\w+)\(/gm)].map(([, method]) => method!),
  }));
});

describe.each(['grpc-v1', 'grpc-v1alpha'])('by %s', (version) => {
  const by = ['--reflect-protocol', version];

  it('lists every service and every method', async () => {
    const [services, methods] = await Promise.all([
      respond('', ...by, '--list-services'),
      respond('', ...by, '--list-methods'),
    ]);
    expect(linesOf(services).toSorted()).toEqual(
      [...declared.map(({ name }) => name), 'envoy.service.auth.v3.Authorization', 'grpc.health.v1.Health'].toSorted(),
    );
    const expected = declared.flatMap(({ name, methods: of }) => of.map((method) => `${name}/${method}`));
    expect(linesOf(methods)).toEqual(expect.arrayContaining(expected));
    expect(linesOf(methods)).toContain('grpc.health.v1.Health/Watch');
  });

  it('returns descriptors that suffice for a call', async () => {
    expect(JSON.parse(await respond('/grpc.health.v1.Health/Check', ...by, '-d', '{}'))).toEqual({ status: 'SERVING' });
  });
});

/** Asks one thing by the bytes of a ServerReflectionRequest; resolves with the status and what was answered. */
async function ask(request: Buffer): Promise<{ code: number; answered: Buffer }> {
  const client = new Client(server.address, credentials.createInsecure());
  const same = (bytes: Buffer) => bytes;
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const stream = client.makeBidiStreamRequest(path, same, same);
  const responses: Buffer[] = [];
  stream.on('data', (bytes: Buffer) => responses.push(bytes)).on('error', () => {});
  stream.end(request);
  const { code } = await new Promise<{ code: number }>((resolve) => stream.once('status', resolve));
  client.close();
  return { code, answered: Buffer.concat(responses) };
}

it.each([
  ['bytes that are no message', Buffer.from([0x1a, 0xff]), 3],
  ['a message that asks nothing', Buffer.alloc(0), 0],
])('returns an error for %s', async (_what, request, code) => {
  expect((await ask(request)).code).toBe(code);
});

describe.each(['__proto__', 'constructor', 'toString', '../../../etc/passwd', ''])(
  'returns NOT_FOUND for "%s"',
  (name) => {
    const text = (field: number) => Buffer.concat([Buffer.from([(field << 3) | 2, name.length]), Buffer.from(name)]);
    const extension = Buffer.concat([text(1), Buffer.from([0x10, 1])]);
    it.each([
      ['file_by_filename', text(3)],
      ['file_containing_symbol', text(4)],
      ['file_containing_extension', Buffer.concat([Buffer.from([0x2a, extension.length]), extension])],
      ['all_extension_numbers_of_type', text(6)],
    ])('by %s', async (_question, request) => {
      const { code, answered } = await ask(request);
      // error_response: an error_code of 5, and an error_message after it.
      expect([code, answered.includes(Buffer.from([0x08, 5, 0x12]))]).toEqual([0, true]);
    });
  },
);

it('returns the access rules as declared in the protos', async () => {
  const client = new Client(server.address, credentials.createInsecure());
  const same = (bytes: Buffer) => bytes;
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const stream = client.makeBidiStreamRequest(path, same, same);
  // ServerReflectionRequest.file_by_filename
  const name = Buffer.from('authservice/identity/v1/identity_service.proto');
  stream.write(Buffer.concat([Buffer.from([0x1a, name.length]), name]));
  const answered = await new Promise<Buffer>((resolve, reject) => stream.once('data', resolve).once('error', reject));
  stream.on('error', () => {}).cancel();
  client.close();
  const built = execFileSync('node_modules/.bin/buf', [
    'build',
    '--as-file-descriptor-set',
    '--exclude-source-info',
    '--exclude-imports',
    '--path=proto/authservice/identity/v1/identity_service.proto',
    '--output=-',
  ]);
  // The set holds the one file: a tag and a length of two bytes, or three.
  expect([3, 4].some((head) => answered.includes(built.subarray(head)))).toBe(true);
});

describe('buf curl', () => {
  it('logs in, and calls with the bearer', async () => {
    const { username } = await seedAccount(deployment.database);
    const credentials = { username, password: PASSWORD, refreshTokenTransport: 'REFRESH_TOKEN_TRANSPORT_BODY' };
    const login = await respond('/authservice.session.v1.SessionService/Login', '-d', JSON.stringify(credentials));
    const { accessToken, expiresIn } = JSON.parse(login) as { accessToken: string; expiresIn: number };
    expect(expiresIn).toBe(900);
    const me = await respond(
      '/authservice.identity.v1.IdentityService/GetMe',
      '-H',
      `authorization: Bearer ${accessToken}`,
      '-d',
      '{}',
    );
    expect(JSON.parse(me)).toMatchObject({ account: { username, tenantId: 'acme' } });
  });

  it('prints the details of a refusal', async () => {
    const { accessToken } = await seedSession(deployment, await seedAccount(deployment.database, { roles: ['ADMIN'] }));
    const refused = await curl(
      '/authservice.identity.v1.IdentityService/CreateUser',
      '-H',
      `authorization: Bearer ${accessToken}`,
      '-H',
      'x-request-id: by-hand-1',
      '-d',
      '{}',
    );
    expect(refused.code).toBe(1);
    const { code, details } = JSON.parse(refused.stderr) as Failure;
    expect(code).toBe('invalid_argument');
    const value = (type: string) =>
      Buffer.from(details.find((one) => one.type === `google.rpc.${type}`)!.value, 'base64');
    expect(ErrorInfo.decode(value('ErrorInfo'))).toMatchObject({
      domain: 'authservice',
      reason: 'VALIDATION_ERROR',
      metadata: { requestId: 'by-hand-1' },
    });
    const { fieldViolations } = BadRequest.decode(value('BadRequest'));
    expect(fieldViolations).toContainEqual(expect.objectContaining({ field: 'username' }));
  });

  it('documents the required fields of a call', async () => {
    const refused = await curl('/authservice.identity.v1.IdentityService/GetMe', '-d', '{}');
    const { code, message } = JSON.parse(refused.stderr) as Failure;
    expect({ code, message }).toEqual({ code: 'unauthenticated', message: 'Unauthorized - Missing or invalid token' });
  });
});

it('reflection returns UNIMPLEMENTED if disabled', async () => {
  const silent = await serveGrpc(deployment.core.host, LISTEN);
  const { code, stderr } = await run(`http://${silent.address}`, ['--list-services']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/reflection/);
  await silent.close(0);
});
