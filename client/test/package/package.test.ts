// The published package: its files, its size, and its use in Node.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endProcesses } from '../../../test/support/service-process.ts';
import { startService, type Service } from '../support/services.ts';
import { installPublished, publishedFiles } from './published.ts';

const KILOBYTE = 1_000;
let folder: string;

beforeAll(() => {
  folder = installPublished();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await endProcesses();
});

/** The bytes, minified and compressed, that an import costs a page. */
async function sizeOf(source: string): Promise<number> {
  const input = join(folder, 'entry.js');
  writeFileSync(input, source);
  const bundle = await rolldown({ input, cwd: folder, external: ['react', 'vue'], logLevel: 'silent' });
  const { output } = await bundle.generate({ minify: true, format: 'esm' });
  return gzipSync(output[0].code).byteLength;
}

describe('the published package', () => {
  it('contains JavaScript and types, no sources and no dependencies', () => {
    const files = publishedFiles(folder);
    expect(files).toEqual(expect.arrayContaining(['index.js', 'index.d.ts', 'README.md', 'LICENSE', 'package.json']));
    expect(files.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))).toEqual([]);
    const manifest = readFileSync(join(folder, 'node_modules/authservice-client/package.json'), 'utf8');
    expect(JSON.parse(manifest)).not.toHaveProperty('dependencies');
    // Nor the frameworks, whose bindings are optional.
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'authservice-client',
    ]);
  });

  it('costs a page at most 5 kB for its session, and only the operations that it uses', async () => {
    const session = await sizeOf(`export { createCookieSession } from 'authservice-client';`);
    const operation = await sizeOf(`export { listProducts } from 'authservice-client/operations';`);
    const factors = await sizeOf(`export * from 'authservice-client/factors';`);
    const react = await sizeOf(`export * from 'authservice-client/react';`);
    const vue = await sizeOf(`export * from 'authservice-client/vue';`);
    const everything = await sizeOf(
      `export * from 'authservice-client'; export * from 'authservice-client/operations';`,
    );
    console.log(
      `gzip, bytes: session ${session}, factors ${factors}, React ${react}, Vue ${vue}, one operation ${operation}, everything ${everything}`,
    );
    expect(session).toBeLessThan(5 * KILOBYTE);
    expect(factors).toBeLessThan(1.2 * KILOBYTE);
    expect(react).toBeLessThan(1.5 * KILOBYTE);
    expect(vue).toBeLessThan(1.5 * KILOBYTE);
    expect(operation).toBeLessThan(1.2 * KILOBYTE);
  });
});

describe('the published package in Node, against the service', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService('sqlite', { 'app.security.api-key.enabled': 'true' });
  });

  const run = (script: string, env: Record<string, string> = {}) => {
    writeFileSync(join(folder, 'script.js'), script);
    const options = { cwd: folder, env: { BASE_URL: service.url, ...env }, encoding: 'utf8', timeout: 20_000 } as const;
    return execFileSync(process.execPath, ['script.js'], options).trim();
  };
  const MACHINE = `{ baseUrl: process.env.BASE_URL, clientId: 'acme-sync', clientSecret: 'demo-secret-acme-sync-0123456789abcdef' }`;
  const IMPORTS = `import * as client from 'authservice-client'; import * as api from 'authservice-client/operations';`;

  it.each(['basic', 'form', 'json'])('a machine client authenticates by %s, and the process ends by itself', (how) => {
    const script = `${IMPORTS}
      const caller = client.createMachineClient({ ...${MACHINE}, authentication: '${how}' });
      console.log((await api.getMe(caller)).data.username);`;
    expect(run(script)).toBe('acme-sync');
  });

  it('an API key calls the service until it is revoked', () => {
    const script = `${IMPORTS}
      const baseUrl = process.env.BASE_URL;
      const cookies = [];
      const keepCookies = async (url, init) => {
        const response = await fetch(url, init);
        cookies.push(...response.headers.getSetCookie());
        return response;
      };
      const admin = client.createCookieSession({ baseUrl, fetch: keepCookies });
      await admin.login({ username: 'alice@acme.test', password: 'demo-password-1' });
      const { id } = (await api.listServiceAccounts(admin)).data[0];
      const key = (await api.issueApiKey(admin, { path: { id }, body: { label: 'test' } })).data;
      const caller = client.createApiKeyCaller({ baseUrl, apiKey: key.apiKey });
      console.log((await api.listProducts(caller)).status);
      await api.revokeApiKey(admin, { path: { id, keyId: key.keyId } });
      await api.listProducts(caller).catch((error) => console.log(error.status, error.code, cookies.length));
      admin.close();`;
    expect(run(script)).toBe('200\n401 unauthorized 1');
  });
});
