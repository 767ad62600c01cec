// The API and the pages behind proxies that compress: they change the ETag of a response, which a client sends back.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, endProcesses, freePort } from '../../support/service-process.ts';
import { programOf, start } from './programs.ts';
import { startAuthService, type AuthService } from './service.ts';
import { caddyProgram } from './start-proxy.ts';

interface CompressingProxy {
  program(): Promise<string>;
  /** Writes the configuration and returns the arguments of the program. */
  configure(folder: string, listen: number, gateway: number): string[];
  /** The tag "7" as the proxy sends it with a compressed response. */
  readonly changed: RegExp;
}

/** Below /prefix/, the proxy removes the prefix. */
const nginx = (folder: string, listen: number, gateway: number): string => `user root;
daemon off;
error_log stderr;
pid ${join(folder, 'nginx.pid')};
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${join(folder, kind)};`).join('\n  ')}
  gzip on;
  gzip_types application/json application/problem+json;
  gzip_min_length 1;
  server {
    listen 127.0.0.1:${listen};
    location / { proxy_pass http://127.0.0.1:${gateway}; }
    location /prefix/ { proxy_pass http://127.0.0.1:${gateway}/; }
  }
}
`;

const caddy = (listen: number, gateway: number): string => `{
  admin off
}
http://127.0.0.1:${listen} {
  encode {
    gzip
    minimum_length 1
    match header Content-Type application/json*
  }
  handle_path /prefix/* {
    reverse_proxy 127.0.0.1:${gateway}
  }
  reverse_proxy 127.0.0.1:${gateway}
}
`;

const configureCaddy: CompressingProxy['configure'] = (folder, listen, gateway) => {
  writeFileSync(join(folder, 'Caddyfile'), caddy(listen, gateway));
  return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
};

const PROXIES: Readonly<Record<string, CompressingProxy>> = {
  nginx: {
    program: async () => programOf('nginx'),
    configure(folder, listen, gateway) {
      writeFileSync(join(folder, 'nginx.conf'), nginx(folder, listen, gateway));
      return ['-p', folder, '-c', join(folder, 'nginx.conf')];
    },
    changed: /^W\/"\d+"$/,
  },
  'Caddy of Debian': { program: async () => programOf('caddy'), configure: configureCaddy, changed: /^"\d+"$/ },
  Caddy: { program: caddyProgram, configure: configureCaddy, changed: /^"\d+-gzip"$/ },
};

describe.each(Object.entries(PROXIES))('%s with compression', (_name, proxy) => {
  let auth: AuthService;
  let url: string;
  let stop: (() => Promise<void>) | undefined;
  let authorization: string;

  beforeAll(async () => {
    auth = await startAuthService({ 'app.http.pages': 'true' });
    const [folder, listen] = [emptyFolder(), Number(await freePort())];
    stop = await start(await proxy.program(), proxy.configure(folder, listen, auth.port), listen, folder);
    url = `http://127.0.0.1:${listen}`;
    authorization = `Bearer ${await auth.login('ann@acme.test')}`;
  });
  afterAll(async () => {
    await stop?.();
    await endProcesses();
  });

  const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization, 'accept-encoding': 'gzip', 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  const createRole = async (name: string) => {
    expect((await send('POST', '/roles', { name, permissions: ['invoices:read'] })).status).toBe(201);
    const { headers, status } = await send('GET', `/roles/${name}`);
    expect([status, headers.get('content-encoding')]).toEqual([200, 'gzip']);
    return { path: `/roles/${name}`, tag: headers.get('etag') ?? '' };
  };

  it('accepts the tag that it has changed in If-Match, once', async () => {
    const { path, tag } = await createRole('CLERK');
    expect(tag).toMatch(proxy.changed);
    expect((await send('PATCH', path, { description: 'first' }, { 'if-match': tag })).status).toBe(200);
    expect((await send('PATCH', path, { description: 'late' }, { 'if-match': tag })).status).toBe(412);
    const changed = await send('GET', path);
    expect(((await changed.json()) as { description: string }).description).toBe('first');
    const newTag = changed.headers.get('etag') ?? '';
    expect((await send('DELETE', path, undefined, { 'if-match': newTag })).status).toBe(204);
  });

  it('accepts the tag in If-None-Match, also among others', async () => {
    const path = '/tenants/acme/policy';
    const tag = (await send('GET', path)).headers.get('etag') ?? '';
    expect(tag).toMatch(proxy.changed);
    for (const tags of [tag, `"9", ${tag}`])
      expect((await send('GET', path, undefined, { 'if-none-match': tags })).status).toBe(304);
    expect((await send('GET', path, undefined, { 'if-none-match': '"9"' })).status).toBe(200);
  });

  it('lets the path of a page have a slash at its end, also where the proxy removes a prefix', async () => {
    for (const path of ['/login', '/console/users', '/prefix/login']) {
      const response = await fetch(`${url}${path}/?x=1`, { redirect: 'manual' });
      const location = new URL(response.headers.get('location') ?? '', `${url}${path}/`);
      expect([response.status, location.href]).toEqual([308, `${url}${path}?x=1`]);
      expect((await fetch(location)).status).toBe(200);
    }
  });
});
