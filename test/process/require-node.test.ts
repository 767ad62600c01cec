// A start on a wrong Node or without packages: one line says what to do. `npm ci` installs Node on each supported system.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { emptyFolder, endProcesses, PROJECT } from '../support/service-process.ts';

interface Machine {
  readonly version: string;
  readonly platform: string;
  readonly arch: string;
  readonly isMusl: boolean;
  readonly hasPackages: boolean;
  readonly hasScript: boolean;
}

const GUARD = 'src/platform/process/require-node.cjs';
const { findProblem } = createRequire(import.meta.url)(join(PROJECT, GUARD)) as {
  findProblem: (machine: Machine) => string | undefined;
};
const SUPPORTED = ['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64'];
const { scripts, optionalDependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as Record<
  'scripts' | 'optionalDependencies',
  Record<string, string>
>;

afterEach(endProcesses);

/** Copies what a clone has of the start, without its packages. */
function cloneWithoutPackages(): string {
  const folder = emptyFolder();
  for (const file of ['package.json', '.npmrc', 'scripts/node', 'cli/authservice', 'cli/main.ts', GUARD]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(PROJECT, file), join(folder, file));
  }
  return folder;
}

/** Creates a folder with a program `node`, to be the first in PATH. */
function folderWithNode(script: string): string {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'node'), script);
  chmodSync(join(folder, 'node'), 0o755);
  return folder;
}

/** A `node` of the given version: this one, with a changed number. */
function olderNode(version: string): string {
  const preload = join(emptyFolder(), 'version.cjs');
  const versions = `{ value: { ...process.versions, node: '${version}' } }`;
  writeFileSync(preload, `Object.defineProperty(process, 'versions', ${versions});`);
  return folderWithNode(`#!/bin/sh\nexec '${process.execPath}' --require '${preload}' "$@"\n`);
}

function run(cwd: string, path: string, command: string, ...args: string[]) {
  const { PATH = '' } = process.env;
  const env = { PATH: `${path}:${PATH}`, HOME: emptyFolder() };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('a start', () => {
  const node26 = dirname(process.execPath);

  it.each(['dev', 'test', 'check'])('npm run %s before npm ci says in one line to run npm ci', (script) => {
    const stderr = 'The npm packages are missing. Run npm ci first; it also installs Node 26\n';
    expect(run(cloneWithoutPackages(), node26, 'npm', 'run', '-s', script)).toEqual({
      status: 1,
      stdout: '',
      stderr,
    });
  });

  it.each(['20.20.2', '25.9.0'])('on Node %s without the bundled Node says in one line what to do', (old) => {
    const clone = cloneWithoutPackages();
    mkdirSync(join(clone, 'node_modules/fastify'), { recursive: true });
    const stderr =
      `authservice needs Node 26 or later, and this is Node ${old}. ` +
      'Run npm ci, which installs it, and do not omit optional packages\n';
    const older = olderNode(old);
    expect(run(clone, older, 'npm', 'run', '-s', 'dev')).toEqual({ status: 1, stdout: '', stderr });
    expect(run(clone, older, './cli/authservice', 'login')).toEqual({ status: 1, stdout: '', stderr });
  });

  it('of a test without the development packages says in one line what to do', () => {
    const clone = cloneWithoutPackages();
    mkdirSync(join(clone, 'node_modules/fastify'), { recursive: true });
    const { stderr } = run(clone, node26, 'npm', 'run', '-s', 'test');
    expect(stderr).toBe('The development packages are missing. Run npm ci without --omit=dev\n');
  });

  it('of authservice or scripts/node by its path or a link uses the bundled Node, not the one in PATH', () => {
    const wrong = folderWithNode('#!/bin/sh\necho wrong Node; exit 9\n');
    const link = join(emptyFolder(), 'authservice');
    symlinkSync(join(PROJECT, 'cli/authservice'), link);
    for (const program of [join(PROJECT, 'cli/authservice'), link])
      expect(run('/', wrong, program, '--version')).toEqual({ status: 0, stdout: '0.1.0\n', stderr: '' });
    const print = ['-p', 'process.versions.node.split(".")[0]'];
    expect(run('/', wrong, join(PROJECT, 'scripts/node'), ...print)).toEqual({ status: 0, stdout: '26\n', stderr: '' });
  });

  it('is checked first by every npm script', () => {
    for (const launcher of ['scripts/node', 'cli/authservice'])
      expect(readFileSync(join(PROJECT, launcher), 'utf8')).toMatch(new RegExp(`^exec .*--require \\S*${GUARD}`, 'm'));
    const launches = readFileSync(join(PROJECT, 'scripts/program'), 'utf8').match(/^ *exec .*/gm) ?? [];
    expect(launches.map((line) => /^ *exec scripts\/node /.test(line))).toEqual([true]);
    const unchecked = Object.entries(scripts).filter(([, script]) => {
      const [first = ''] = script.split(' && ');
      return (
        !first.includes(GUARD) &&
        !/^([A-Z_]+=\S+ )*(exec )?(scripts\/(?:node|program)|cli\/authservice)( |$)/.test(first)
      );
    });
    expect(unchecked.map(([name]) => name)).toEqual([]);
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(35);
  });
});

describe('the check of Node', () => {
  const machine: Machine = {
    version: '20.20.2',
    platform: 'linux',
    arch: 'x64',
    isMusl: false,
    hasPackages: false,
    hasScript: true,
  };

  it.each(SUPPORTED)('names npm ci on %s', (system) => {
    const [platform, arch] = system.split(' ') as [string, string];
    expect(findProblem({ ...machine, platform, arch })).toContain('Run npm ci');
    expect(findProblem({ ...machine, platform, arch, hasPackages: true })).toContain('Run npm ci');
    expect(findProblem({ ...machine, platform, arch, version: '26.0.0', hasPackages: true })).toBeUndefined();
  });

  it('names the image and the package of Alpine', () => {
    const message = findProblem({ ...machine, isMusl: true, hasPackages: true });
    expect(message).toBe(
      'authservice needs Node 26 or later, and this is Node 20.20.2. npm ci cannot install it on Linux with musl: ' +
        'install it from apk or the image node:26-alpine, then run npm ci',
    );
    expect(findProblem({ ...machine, isMusl: true, version: '26.1.0', hasPackages: true })).toBeUndefined();
  });

  it.each(['win32 x64', 'linux riscv64', 'freebsd x64'])('names nodejs.org on %s', (system) => {
    const [platform, arch] = system.split(' ') as [string, string];
    expect(findProblem({ ...machine, platform, arch })).toContain('install it from https://nodejs.org');
  });

  it('can be parsed by old versions of Node', () => {
    expect(readFileSync(join(PROJECT, GUARD), 'utf8')).not.toMatch(/\?\.|\?\?|'node:|^import |\.at\(|#\w+\(/m);
  });
});

describe('npm ci', () => {
  it('installs one version of Node on each supported system, and on glibc alone', () => {
    expect(new Set(Object.values(optionalDependencies)).size).toBe(1);
    const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { os?: string; cpu?: string; libc?: string[]; bin?: object }>;
    };
    const installed = Object.keys(optionalDependencies).map((name) => packages[`node_modules/${name}`]!);
    expect(installed.map(({ os, cpu }) => `${os} ${cpu}`).toSorted()).toEqual(SUPPORTED.toSorted());
    for (const { os, libc, bin } of installed) {
      expect(bin).toEqual({ node: 'bin/node' });
      // npm leaves the package out on Alpine, where its program could not start. The package itself does not say it.
      expect(libc).toEqual(os === 'linux' ? ['glibc'] : undefined);
    }
  });

  it('prints no EBADENGINE warnings on an older Node', () => {
    const folder = emptyFolder();
    const manifest = { name: 'old-node', version: '1.0.0', engines: { node: '>=99' } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const lock = { ...manifest, lockfileVersion: 3, packages: { '': manifest } };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const install = () => run(folder, dirname(process.execPath), 'npm', 'ci');
    expect(install()).toMatchObject({ status: 0, stderr: expect.stringContaining('EBADENGINE') });
    copyFileSync(join(PROJECT, '.npmrc'), join(folder, '.npmrc'));
    expect(install()).toMatchObject({ status: 0, stderr: '' });
  });
});
