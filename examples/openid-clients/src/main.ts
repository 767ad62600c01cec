// Serves the examples: main.ts web|api. `web` logs in its users and calls `api` for them.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importPKCS8 } from 'jose';
import * as openid from 'openid-client';
import { createCheck } from './api.ts';
import { connect, finishLogin, startLogin, type Login } from './web-app.ts';

const {
  ISSUER = '',
  CLIENT_ID = '',
  CLIENT_SECRET,
  CLIENT_KEY,
  CLIENT_KEY_ID = '',
  API = '',
  PORT = '3000',
} = process.env;
const { AUDIENCE = '', TENANT = '' } = process.env;

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;

function webApp(): Handler {
  const logins = new Map<string, Login>();
  const provider = authentication().then((method) => connect(ISSUER, CLIENT_ID, method));
  return async (request, response, url) => {
    const redirectUri = `${url.origin}/callback`;
    if (url.pathname !== '/callback') {
      const { url: target, login } = await startLogin(await provider, redirectUri, API ? AUDIENCE : undefined);
      const id = randomUUID();
      logins.set(id, login);
      response
        .writeHead(303, { location: target.href, 'set-cookie': `login=${id}; HttpOnly; SameSite=Lax; Path=/` })
        .end();
      return;
    }
    const [, id = ''] = /\blogin=([\w-]+)/.exec(request.headers.cookie ?? '') ?? [];
    const login = logins.get(id);
    logins.delete(id);
    if (!login) throw new Error('no login was started in this browser');
    const tokens = await finishLogin(await provider, url, login);
    const called = API && (await fetch(API, { headers: { authorization: `Bearer ${tokens.access_token}` } }));
    response.end(`Hello ${String(tokens.claims()?.['name'])}${called ? `, ${await called.text()}` : ''}`);
  };
}

async function authentication(): Promise<openid.ClientAuth> {
  if (CLIENT_KEY === undefined) return openid.ClientSecretBasic(CLIENT_SECRET);
  return openid.PrivateKeyJwt({
    key: await importPKCS8(readFileSync(CLIENT_KEY, 'utf8'), 'ES256'),
    kid: CLIENT_KEY_ID,
  });
}

function api(): Handler {
  const check = createCheck(ISSUER, AUDIENCE, TENANT);
  return async ({ headers: { authorization = '' } }, response) => {
    const caller = await check(authorization.replace(/^Bearer /, '')).catch(() => undefined);
    if (caller) response.end(`the API knows ${caller.sub}`);
    else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  };
}

const handlers: Readonly<Record<string, () => Handler>> = { web: webApp, api };
const handler = handlers[process.argv[2] ?? '']?.();
if (!handler) throw new Error('usage: main.ts web|api');
const server = createServer((request, response) => {
  handler(request, response, new URL(request.url ?? '', `http://${request.headers.host}`)).catch((error: unknown) => {
    response.writeHead(500).end(String(error));
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
