// The starters of Spring Boot, by the files of docs/spring-boot.md, against the real service.
import { spawn } from 'node:child_process';
import { cpSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingMavenArchives } from '../../scripts/release/artifacts.ts';
import {
  ADMIN,
  AUDIENCE,
  MANAGER,
  ROOT,
  startAuthService,
  STRANGER,
  TENANT,
  WATCHER,
  type AuthService,
} from '../languages/frameworks/auth-service.ts';
import { BAD_TOKEN_NAMES, badToken } from '../languages/frameworks/bad-tokens.ts';
import { emptyFolder, endProcesses, PROJECT } from '../support/service-process.ts';
import { classpath, JAVA, maven, pack } from './packages.ts';

const VERSIONS = { '4.1': 'pom.xml', '3.5': 'pom-3.5.xml' } as const;
const TARGETS = { '4.1': 'target', '3.5': 'target/3.5' } as const;
type Version = keyof typeof VERSIONS;
const PROFILES = ['default', 'introspection', 'revocations', 'grpc'] as const;
type Profile = (typeof PROFILES)[number];

const ended: (() => void)[] = [];
let folder: string;
let auth: AuthService;

beforeAll(async () => {
  await pack('maven');
  folder = emptyFolder();
  cpSync(join(PROJECT, 'examples/spring-boot-starter'), folder, { recursive: true });
  auth = await startAuthService('/auth');
});
afterAll(async () => {
  for (const end of ended) end();
  await endProcesses();
});

const settings = () => ({
  AUTHSERVICE_ISSUER: auth.issuer,
  AUTHSERVICE_AUDIENCE: AUDIENCE,
  AUTHSERVICE_TENANTS: TENANT,
  AUTH_CLIENT_ID: WATCHER.id,
  AUTH_CLIENT_SECRET: WATCHER.secret,
  AUTH_CORE: auth.coreTarget,
});

/** Starts the shop once for each profile, in one process; resolves with their URLs. Rejects with the output if one fails. */
async function startShops(path: string, profiles: readonly string[], env: Record<string, string>): Promise<string[]> {
  const launcher = join(PROJECT, 'test/languages/frameworks/SpringShops.java');
  const shop = spawn('java', [...JAVA, '-cp', path, launcher, ...profiles], {
    env: { ...process.env, ...env },
  });
  ended.push(() => shop.kill('SIGKILL'));
  let output = '';
  shop.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    shop.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const urls = [...output.matchAll(/^listening on (\S+)\n/gm)].map(([, url]) => url!);
      if (urls.length === profiles.length) resolve(urls);
    });
    shop.once('close', () => reject(new Error(output)));
  });
}

it('packs sources and Javadoc for each of the four jars, as Maven Central requires', () => {
  expect(missingMavenArchives(PROJECT)).toEqual([]);
  expect(globSync('build/maven/**/*-javadoc.jar', { cwd: PROJECT })).toHaveLength(4);
});

describe.each(Object.keys(VERSIONS) as Version[])('Spring Boot %s', (version) => {
  let path: string;
  let urls: Record<Profile, string>;

  beforeAll(async () => {
    const target = join(folder, TARGETS[version]);
    await maven(folder, VERSIONS[version], [
      'compile',
      'dependency:build-classpath',
      `-Dmdep.outputFile=${target}/classpath`,
    ]);
    path = await classpath(target, join(target, 'classes'));
    const found = await startShops(path, PROFILES, settings());
    urls = Object.fromEntries(PROFILES.map((profile, index) => [profile, found[index]!])) as Record<Profile, string>;
  });

  const get = (profile: Profile, path: string, token?: string) =>
    fetch(urls[profile] + path, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  const statusOf = async (profile: Profile, path: string, token?: string) => (await get(profile, path, token)).status;

  it.each(['default', 'introspection'] as const)(
    '%s: accepts users and machines of the tenant alone',
    async (profile) => {
      const response = await get(profile, '/me', await auth.login(MANAGER));
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ sub: expect.any(String), tenantId: TENANT });
      expect(await statusOf(profile, '/me', await auth.machineToken())).toBe(200);
      expect(await statusOf(profile, '/me', await auth.login(STRANGER))).toBe(401);
      expect(await statusOf(profile, '/me', await auth.login(ROOT))).toBe(401);
      const anonymous = await get(profile, '/me');
      expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(/^Bearer/),
      ]);
      expect(await statusOf(profile, '/me', await auth.apiKey())).toBe(profile === 'introspection' ? 200 : 401);
    },
  );

  it('refuses bad tokens', async () => {
    const good = await auth.forge(await auth.login(MANAGER));
    expect(await statusOf('default', '/me', good.by.signed(good.claims))).toBe(200);
    for (const name of BAD_TOKEN_NAMES) {
      expect([name, await statusOf('default', '/me', badToken(name, good))]).toEqual([name, 401]);
    }
  });

  it('maps roles to authorities, and permissions with introspection', async () => {
    const [manager, admin] = [await auth.login(MANAGER), await auth.login(ADMIN)];
    for (const profile of ['default', 'introspection'] as const) {
      expect(await statusOf(profile, '/admin', manager)).toBe(403);
      expect(await statusOf(profile, '/admin', admin)).toBe(200);
    }
    expect(await statusOf('introspection', '/users', manager)).toBe(403);
    expect(await statusOf('introspection', '/users', admin)).toBe(200);
  });

  it('refuses tokens of ended sessions: at once with introspection, within a second with the revocations', async () => {
    await expect.poll(async () => statusOf('revocations', '/me', await auth.login(MANAGER))).toBe(200);
    const token = await auth.login(MANAGER);
    await auth.logout(token);
    expect(await statusOf('default', '/me', token)).toBe(200);
    expect(await statusOf('introspection', '/me', token)).toBe(401);
    await expect.poll(() => statusOf('revocations', '/me', token), { timeout: 5_000 }).toBe(401);
  });

  it('calls the core as its machine client', async () => {
    const response = await get('grpc', '/own-account', await auth.login(MANAGER));
    expect([response.status, await response.text()]).toEqual([200, WATCHER.id]);
  });

  it.each([
    ['AUTHSERVICE_TENANTS', 'default', 'authservice.tenants is missing'],
    ['AUTHSERVICE_AUDIENCE', 'default', 'authservice.audience is missing'],
    ['AUTH_CLIENT_SECRET', 'introspection', 'authservice.client-secret is missing'],
  ])('does not start without %s', async (name, profile, message) => {
    await expect(startShops(path, [profile], { ...settings(), [name]: '' })).rejects.toThrow(message);
  });

  it('responds 503, never 401, if a token cannot be checked', async () => {
    const token = await auth.login(MANAGER);
    const { claims, by } = await auth.forge(token);
    const unknown = by.signed(claims, by.header({ kid: 'unknown' }));
    await auth.stop();
    expect(await statusOf('default', '/me', token)).toBe(200);
    expect(await statusOf('default', '/me', unknown)).toBe(503);
    expect(await statusOf('introspection', '/me', token)).toBe(503);
    await auth.start();
  });
});
