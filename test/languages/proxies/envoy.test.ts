// The core as Envoy sees it: asked by go-control-plane, Envoy's own library of its types.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates, writeCertificates } from '../../support/certificates.ts';
import { emptyFolder, endProcesses, SHOP_SETTINGS, startProgram } from '../../support/service-process.ts';
import { startAuthService, type AuthService } from './service.ts';

const CLIENT = fileURLToPath(new URL('envoy', import.meta.url));

interface Header {
  readonly header: { readonly key: string; readonly value: string };
  readonly appendAction: string;
}
interface Response {
  readonly status?: { readonly code?: number };
  readonly okResponse?: { readonly headers: readonly Header[]; readonly headersToRemove?: readonly string[] };
  readonly deniedResponse?: {
    readonly status: { readonly code: string };
    readonly headers: readonly Header[];
    readonly body: string;
  };
  /** Where the call itself failed. */
  readonly grpc?: string;
}

let program: string;
beforeAll(() => {
  program = join(emptyFolder(), 'envoy-check');
  execFileSync('go', ['build', '-o', program, '.'], { cwd: CLIENT, stdio: ['ignore', 'inherit', 'inherit'] });
});
afterAll(endProcesses);

function check(
  args: readonly string[],
  headers: Readonly<Record<string, string>>,
  contextExtensions: Readonly<Record<string, string>> = {},
): Response {
  const http = { method: 'GET', path: '/orders?page=2', host: 'shop.test', headers };
  const request = { attributes: { request: { http }, contextExtensions } };
  return JSON.parse(
    execFileSync(program, args, { input: `${JSON.stringify(request)}\n`, encoding: 'utf8' }),
  ) as Response;
}

const valuesOf = (headers: readonly Header[]) =>
  Object.fromEntries(headers.map(({ header }) => [header.key, header.value]));

describe('on a Unix socket', () => {
  let auth: AuthService;
  let token: string;
  const ask = (headers: Record<string, string>, extensions?: Record<string, string>) =>
    check(['-target', auth.core], headers, extensions);

  beforeAll(async () => {
    auth = await startAuthService();
    token = await auth.login('zoe@acme.test');
  });

  it('allows, and sets the headers of the caller', () => {
    const { okResponse } = ask({ authorization: `Bearer ${token}`, 'remote-user': 'forged', x_auth_tenant: 'forged' });
    expect(valuesOf(okResponse!.headers)).toMatchObject({
      'remote-user': 'zoe@acme.test',
      'remote-name': 'Zo%C3%AB 100%25',
    });
    expect(new Set(okResponse!.headers.map(({ appendAction }) => appendAction))).toEqual(
      new Set(['OVERWRITE_IF_EXISTS_OR_ADD']),
    );
    expect(okResponse!.headersToRemove).toEqual(['x_auth_tenant']);
  });

  it('rejects requests without a credential or a permission', () => {
    const { status, deniedResponse } = ask({});
    expect([status?.code, deniedResponse?.status.code]).toEqual([16, 'Unauthorized']);
    expect(valuesOf(deniedResponse!.headers)).toMatchObject({
      'content-type': 'application/problem+json',
      'www-authenticate': 'Bearer',
    });
    expect(JSON.parse(deniedResponse!.body)).toMatchObject({
      status: 401,
      errorCode: 'unauthorized',
      instance: '/orders',
    });
    const lacking = ask({ authorization: `Bearer ${token}` }, { permission: 'READ_ORDERS,MANAGE_USERS' });
    expect(lacking.deniedResponse?.status.code).toBe('Forbidden');
    expect(ask({ authorization: `Bearer ${token}` }, { permission: 'READ_ORDERS' }).okResponse).toBeDefined();
  });

  it('rejects the first request after a logout', async () => {
    await auth.logout(token);
    expect(ask({ authorization: `Bearer ${token}` }).deniedResponse?.status.code).toBe('Unauthorized');
  });

  it('fails while the core is down, so that Envoy rejects', async () => {
    await auth.stopCore();
    expect(ask({ authorization: `Bearer ${token}` })).toEqual({ grpc: 'Unavailable' });
  });
});

it('over TLS only certificates that the core lists may ask', async () => {
  const folder = emptyFolder();
  const { ca, core, envoy, other } = writeCertificates(
    folder,
    makeCertificates({
      core: { commonName: 'core', alternative: 'DNS:localhost,IP:127.0.0.1' },
      envoy: { commonName: 'envoy', alternative: 'DNS:envoy' },
      other: { commonName: 'other', alternative: 'DNS:other' },
    }),
  );
  const { rpc } = await startProgram('core', {
    settings: {
      ...SHOP_SETTINGS,
      'app.database.url': `sqlite:${join(folder, 'service.db')}`,
      'app.rpc.tls.cert': core.cert,
      'app.rpc.tls.key': core.key,
      'app.rpc.tls.client-ca': ca,
      'app.rpc.trusted-gateways': 'envoy',
    },
  }).ready();
  const ask = ({ cert, key }: typeof envoy) => check(['-target', rpc, '-ca', ca, '-cert', cert, '-key', key], {});
  expect(ask(envoy).deniedResponse?.status.code).toBe('Unauthorized');
  expect(ask(other)).toEqual({ grpc: 'PermissionDenied' });
});
