// Requests that a client makes to get around the rules of a proxy, or to remove the headers of the auth service.
import { once } from 'node:events';
import { request, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import { endProcesses } from '../../support/service-process.ts';
import { GOOD_TARGETS, HOSTILE_HEADERS, HOSTILE_TARGETS } from './hostile-requests.ts';
import { readingsOutsideOrders } from './readings.ts';
import { startAuthService, startEcho, type AuthService } from './service.ts';
import { PROXY_NAMES, startProxy, type RunningProxy } from './start-proxy.ts';

const REFUSALS = [400, 401, 403, 404];
const NAME = /^(remote|x.auth|x.original|x.rewrite)/;

/** What reached the service. */
interface Seen {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

let auth: AuthService;
let echo: Server;
let service: number;
/** A user who may read orders, and may not manage users. */
let token: string;

beforeAll(async () => {
  auth = await startAuthService();
  ({ server: echo, port: service } = await startEcho());
  token = await auth.login('zoe@acme.test');
});
afterAll(async () => {
  echo.close();
  await endProcesses();
});

const identityOf = ({ headers }: Seen) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => NAME.test(name)));
const ZOE = {
  'remote-user': 'zoe@acme.test',
  'remote-name': 'Zo%C3%AB 100%25',
  'remote-email': 'zoe@acme.test',
  'remote-groups': 'SALES',
  'x-auth-subject': expect.stringMatching(/^[\da-f-]{36}$/),
  'x-auth-tenant': 'acme',
  'x-auth-time': expect.stringMatching(/^\d{10}$/),
  'x-auth-methods': 'pwd',
};

describe.each(PROXY_NAMES)('%s', (name) => {
  let proxy: RunningProxy;
  beforeAll(async () => {
    proxy = await startProxy(name, auth, service);
  });
  afterAll(() => proxy?.stop());

  const get = (target: string, lines: readonly string[] = ['Connection: close'], credential = token) =>
    sendRaw(proxy.url, rawRequest(`GET ${target} HTTP/1.1`, [`Authorization: Bearer ${credential}`, ...lines]));

  it.each(HOSTILE_TARGETS)('refuses %j to a user without the permission', async (target) => {
    const { status, body } = await get(target);
    if (status === 200) expect(readingsOutsideOrders((body as Seen).url)).toEqual([]);
    else expect(REFUSALS).toContain(status);
  });

  // Traefik encodes semicolons of a query.
  const urlOf = ({ url }: Seen) => url.replaceAll('%3B', ';');

  it.each(GOOD_TARGETS)('forwards %j unchanged', async (target) => {
    const { status, body } = await get(target);
    expect([status, urlOf(body)]).toEqual([200, target]);
    expect(identityOf(body)).toEqual(ZOE);
  });

  it('forwards other paths to a user with the permission', async () => {
    const admin = await auth.login('ann@acme.test');
    for (const target of ['/admin', '/admin/users', '/x?y=/../z;']) {
      const { status, body } = await get(target, undefined, admin);
      expect([status, urlOf(body)]).toEqual([200, target]);
    }
  });

  it.each(HOSTILE_HEADERS.map((lines) => [lines]))('sends its own headers, or refuses: %j', async (lines) => {
    const { status, body } = await get('/orders', lines);
    if (status !== 200) return expect([400, 403]).toContain(status);
    expect(identityOf(body)).toEqual(ZOE);
  });

  it('refuses requests without a credential, whatever their path or headers', async () => {
    const statuses: number[] = [];
    for (const target of HOSTILE_TARGETS) {
      const { status } = await sendRaw(proxy.url, rawRequest(`GET ${target} HTTP/1.1`, ['Connection: close']));
      statuses.push(status);
    }
    for (const lines of HOSTILE_HEADERS) {
      const { status } = await sendRaw(proxy.url, rawRequest('GET /orders HTTP/1.1', lines));
      statuses.push(status);
    }
    expect(statuses.filter((status) => !REFUSALS.includes(status))).toEqual([]);
  });

  describe('WebSocket', () => {
    it('is opened with a valid credential, and gets the identity headers', async () => {
      const { socket, seen } = opened(await upgrade('/orders/events', { authorization: `Bearer ${token}` }));
      expect(seen.url).toBe('/orders/events');
      expect(identityOf(seen)).toEqual(ZOE);
      socket.destroy();
    });

    it('is refused without a credential, without the permission and for a hostile path', async () => {
      const authorization = `Bearer ${token}`;
      expect(statusOf(await upgrade('/orders/events', {}))).toBe(401);
      expect(statusOf(await upgrade('/orders/events', { authorization: 'Bearer garbage' }))).toBe(401);
      expect(statusOf(await upgrade('/admin/events', { authorization }))).toBe(403);
      expect(REFUSALS).toContain(statusOf(await upgrade('/orders/..;/admin/events', { authorization })));
    });

    it('gets the identity headers, or is refused, if Connection names one', async () => {
      const connection = 'Upgrade, X-Auth-Tenant';
      const upgraded = await upgrade('/orders/events', { authorization: `Bearer ${token}`, connection });
      if (upgraded.socket) expect(identityOf(opened(upgraded).seen)).toEqual(ZOE);
      else expect(upgraded.response.statusCode).toBe(400);
      upgraded.socket?.destroy();
    });

    it('stays open after a logout', async () => {
      const own = await auth.login('zoe@acme.test');
      const { socket } = opened(await upgrade('/orders/events', { authorization: `Bearer ${own}` }));
      await auth.logout(own);
      expect(statusOf(await upgrade('/orders/events', { authorization: `Bearer ${own}` }))).toBe(401);
      socket.write('still here');
      expect(String((await once(socket, 'data'))[0])).toBe('still here');
      socket.destroy();
    });

    it.each([{ upgrade: 'h2c' }, { upgrade: 'H2C, websocket' }])('is the only upgrade: %j', async (headers) => {
      const settings = { 'http2-settings': 'AAMAAABkAAQAAP__', connection: 'Upgrade, HTTP2-Settings' };
      const authorization = `Bearer ${token}`;
      const outcome = await upgrade('/orders', { authorization, ...settings, ...headers });
      expect([200, 400, 403]).toContain(statusOf(outcome));
    });
  });

  interface Upgraded {
    readonly response: IncomingMessage;
    /** Undefined if the server did not switch protocols. */
    readonly socket: Socket | undefined;
  }

  function upgrade(path: string, headers: Readonly<Record<string, string>>): Promise<Upgraded> {
    const { hostname, port } = new URL(proxy.url);
    const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' };
    return new Promise((resolve, reject) => {
      request({
        hostname,
        port,
        path,
        agent: false,
        headers: { connection: 'Upgrade', upgrade: 'websocket', ...key, ...headers },
      })
        .on('upgrade', (response, socket: Socket) => resolve({ response, socket: socket.on('error', () => {}) }))
        .on('response', (response) => resolve({ response: response.resume(), socket: undefined }))
        .on('error', reject)
        .end();
    });
  }
  const statusOf = ({ response, socket }: Upgraded) => {
    socket?.destroy();
    return response.statusCode;
  };
  function opened({ response, socket }: Upgraded): { readonly socket: Socket; readonly seen: Seen } {
    expect(response.statusCode).toBe(101);
    const seen = Buffer.from(String(response.headers['x-seen']), 'base64').toString();
    return { socket: socket!, seen: JSON.parse(seen) as Seen };
  }
});
