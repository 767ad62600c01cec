// Services that accept the access tokens of the auth service, each in another framework.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../support/service-process.ts';
import { run } from '../commands.ts';
import { pythonEnvironment } from '../python-environment.ts';
import { requirePrograms } from '../toolchain.ts';
import type { BadToken } from './bad-tokens.ts';
import { startEnvoy } from './envoy.ts';

export interface Shop {
  readonly name: string;
  /** How it checks tokens: by asking the auth service about each, or by the published keys. */
  readonly by: 'introspection' | 'key set';
  /** Its status when the auth service does not answer, for a token that only the auth service can check. */
  readonly onOutage: 401 | 500 | 503;
  /** Paths that demand a role or a permission: a manager has neither, an administrator both. */
  readonly demands: readonly ('/admin' | '/users')[];
  /** How long after a new key has signed it may refuse that key's tokens, in milliseconds; default: not at all. */
  readonly learnsKeysWithinMs?: number;
  /** Its status for tokens of other tenants, if that is not 401. */
  readonly foreign?: 403;
  /** Its status for bad tokens where that is not 401, as its page says. */
  readonly exceptions?: Readonly<Partial<Record<BadToken, number>>>;
}

const ROLE = ['/admin'] as const;
const PERMISSION = ['/users'] as const;
const BOTH = [...ROLE, ...PERMISSION] as const;
const EXCEPTIONS = { 'a token of another type': 200, 'a token for another audience': 403 } as const;

export const SHOPS = [
  { name: 'Spring Boot 4.1, introspection by properties', by: 'introspection', demands: PERMISSION, onOutage: 500 },
  { name: 'Spring Boot 4.1, introspection with roles', by: 'introspection', demands: BOTH, onOutage: 500 },
  { name: 'Spring Boot 4.1, JwtDecoder', by: 'key set', demands: ROLE, onOutage: 500 },
  { name: 'Spring Boot 3.5, introspection by properties', by: 'introspection', demands: PERMISSION, onOutage: 500 },
  { name: 'Spring Boot 3.5, introspection with roles', by: 'introspection', demands: BOTH, onOutage: 500 },
  { name: 'Spring Boot 3.5, JwtDecoder', by: 'key set', demands: ROLE, onOutage: 500 },
  { name: 'Go, introspection', by: 'introspection', demands: BOTH, onOutage: 503 },
  { name: 'Go, go-oidc', by: 'key set', demands: ROLE, onOutage: 503 },
  { name: 'Express, introspection', by: 'introspection', demands: BOTH, onOutage: 503 },
  { name: 'Express, jose', by: 'key set', demands: ROLE, onOutage: 503 },
  { name: 'Fastify, introspection', by: 'introspection', demands: BOTH, onOutage: 503 },
  { name: 'Fastify, jose', by: 'key set', demands: ROLE, onOutage: 503 },
  {
    name: 'Envoy, JWT filter',
    by: 'key set',
    demands: ROLE,
    onOutage: 401,
    learnsKeysWithinMs: 5_000,
    foreign: 403,
    exceptions: EXCEPTIONS,
  },
] as const satisfies readonly Shop[];

export type ShopName = (typeof SHOPS)[number]['name'];
export interface NamedShop extends Shop {
  readonly name: ShopName;
}

/** A version of Spring Boot, and the Maven project with it. */
const SPRING = { '4.1': 'pom.xml', '3.5': 'pom-3.5.xml' } as const;
export const SPRING_VERSIONS = Object.keys(SPRING) as (keyof typeof SPRING)[];
type SpringVersion = keyof typeof SPRING;

/** Services of one version of Spring Boot, by the profiles of their configuration. */
interface SpringShops {
  readonly byProperties: string;
  readonly withRoles: string;
  readonly byDecoder: string;
  /** With the issuer alone, which is not enough to check a token. */
  readonly byIssuer: string;
  /** A machine client, which finds the endpoints by the issuer alone. */
  readonly client: string;
}

export interface Shops {
  readonly urls: Readonly<Record<ShopName, string>>;
  readonly spring: Readonly<Record<SpringVersion, SpringShops>>;
  /** Starts those again that find the endpoints by the issuer alone, for another auth service. */
  startDiscovering(settings: ShopSettings): Promise<DiscoveringShops>;
  stop(): Promise<void>;
}

/** Services that find everything by the issuer alone. */
export interface DiscoveringShops {
  readonly goOidc: string;
  readonly openidClient: string;
  readonly spring: Readonly<Record<SpringVersion, Pick<SpringShops, 'byIssuer' | 'byDecoder' | 'client'>>>;
}

/** What the programs read from their environment. */
export interface ShopSettings {
  readonly AUTH_ISSUER: string;
  readonly AUTH_AUDIENCE: string;
  readonly AUTH_CLIENT_ID: string;
  readonly AUTH_CLIENT_SECRET: string;
  readonly AUTH_TENANT: string;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Starts those that follow the revocations, by their names. */
export async function startFollowing(
  workspace: string,
  settings: ShopSettings,
): Promise<Readonly<Record<string, string>>> {
  const folder = (name: string) => join(workspace, 'examples/frameworks', name);
  const cwd = folder('spring-boot');
  const classpath = [join(cwd, 'target/classes'), readFileSync(join(cwd, 'target/classpath'), 'utf8')].join(':');
  const launcher = join(PROJECT, 'test/languages/frameworks/SpringShops.java');
  const java = ['-XX:TieredStopAtLevel=1', '-cp', classpath, launcher, 'jwks,revocations'];
  const python = await pythonEnvironment(join(folder('python'), 'requirements.txt'));
  const [spring, go, node, py] = await Promise.all([
    startProgram('java', java, settings),
    startProgram(join(folder('go'), 'target/shop'), ['revocations'], settings),
    startProgram(process.execPath, [join(folder('node'), 'src/main.ts'), 'express', 'revocations'], settings),
    startProgram(join(python, 'python3'), [join(folder('python'), 'shop.py')], settings),
  ]);
  return { 'Spring Boot': spring[0]!, Go: go[0]!, Node: node[0]!, Python: py[0]! };
}

/** Compiles and starts all of them. The workspace is that of the examples. */
export async function startShops(workspace: string, settings: ShopSettings): Promise<Shops> {
  const folder = (name: string) => join(workspace, 'examples/frameworks', name);
  requirePrograms('go', 'javac', 'mvn');
  // One compiler after the other: each uses all cores.
  const classpaths = new Map<SpringVersion, string>();
  for (const version of SPRING_VERSIONS) {
    classpaths.set(version, await compileSpring(folder('spring-boot'), version));
  }
  await run('go', ['vet', '.'], { cwd: folder('go') });
  await run('go', ['build', '-o', 'target/shop', '.'], { cwd: folder('go') });
  await installNode(folder('node'));

  const spring = {
    '4.1': await startSpring(classpaths.get('4.1')!, settings),
    '3.5': await startSpring(classpaths.get('3.5')!, settings),
  };
  const go = async (kind: string, own = settings) =>
    (await startProgram(join(folder('go'), 'target/shop'), [kind], own))[0]!;
  const node = async (framework: string, kind: string, own = settings) =>
    (await startProgram(process.execPath, [join(folder('node'), 'src/main.ts'), framework, kind], own))[0]!;
  const envoy = await startEnvoy(settings.AUTH_ISSUER);
  const urls = {
    'Spring Boot 4.1, introspection by properties': spring['4.1'].byProperties,
    'Spring Boot 4.1, introspection with roles': spring['4.1'].withRoles,
    'Spring Boot 4.1, JwtDecoder': spring['4.1'].byDecoder,
    'Spring Boot 3.5, introspection by properties': spring['3.5'].byProperties,
    'Spring Boot 3.5, introspection with roles': spring['3.5'].withRoles,
    'Spring Boot 3.5, JwtDecoder': spring['3.5'].byDecoder,
    'Go, introspection': await go('introspection'),
    'Go, go-oidc': await go('jwks'),
    'Express, introspection': await node('express', 'introspection'),
    'Express, jose': await node('express', 'jwks'),
    'Fastify, introspection': await node('fastify', 'introspection'),
    'Fastify, jose': await node('fastify', 'jwks'),
    'Envoy, JWT filter': envoy.url,
  };
  return {
    urls,
    spring,
    startDiscovering: async (own) => ({
      goOidc: await go('jwks', own),
      openidClient: await node('fastify', 'introspection', own),
      spring: {
        '4.1': await startSpring(classpaths.get('4.1')!, own),
        '3.5': await startSpring(classpaths.get('3.5')!, own),
      },
    }),
    async stop() {
      await envoy.stop();
      await endPrograms();
    },
  };
}

async function endPrograms(): Promise<void> {
  for (const child of running) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  running.clear();
}

export async function compileSpring(cwd: string, version: SpringVersion): Promise<string> {
  const target = join(cwd, version === '4.1' ? 'target' : `target/${version}`);
  const goals = ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${target}/classpath`];
  await run('mvn', ['--batch-mode', '--quiet', '-f', SPRING[version], ...goals], { cwd });
  return [join(target, 'classes'), readFileSync(join(target, 'classpath'), 'utf8')].join(':');
}

/** Starts all services of a version in one process. */
async function startSpring(classpath: string, settings: ShopSettings): Promise<SpringShops> {
  const launcher = join(PROJECT, 'test/languages/frameworks/SpringShops.java');
  const profiles = ['introspection', 'introspection,roles', 'jwks', 'properties-only', 'introspection,client'];
  const args = ['-XX:TieredStopAtLevel=1', '-cp', classpath, launcher, ...profiles];
  const [byProperties, withRoles, byDecoder, byIssuer, client] = await startProgram(
    'java',
    args,
    settings,
    profiles.length,
  );
  return {
    byProperties: byProperties!,
    withRoles: withRoles!,
    byDecoder: byDecoder!,
    byIssuer: byIssuer!,
    client: client!,
  };
}

async function installNode(cwd: string): Promise<void> {
  const install = '[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund';
  await run('bash', ['-euo', 'pipefail', '-c', `${install}; npm run types`], { cwd });
}

/** Starts a program that prints where it listens, that many times. */
function startProgram(command: string, args: readonly string[], settings: ShopSettings, count = 1): Promise<string[]> {
  const env = { ...process.env, PORT: '0', ...settings };
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.stdout.on('data', () => {
      const urls = [...output.matchAll(/^listening on (\S+)\n/gm)].map(([, url]) => url!);
      if (urls.length === count) resolve(urls);
    });
    child.once('exit', () => reject(new Error(`${command} ended:\n${output}`)));
  });
}
