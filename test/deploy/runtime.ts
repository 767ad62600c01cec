// Runs an OCI image as a container engine does: umoci unpacks it, runc runs it. The container has its own processes, network and file
// system, and no capabilities. Needs root.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Mount {
  readonly destination: string;
  readonly source: string;
  readonly writable?: boolean;
}

export interface Container {
  readonly process: ChildProcess;
  /** All of its output so far. */
  output(): string;
  /** Runs a command in the container, returns its output, and throws if it fails. */
  exec(...args: readonly string[]): string;
  signal(name: string): void;
}

interface Configuration {
  process: {
    terminal: boolean;
    args: string[];
    env: string[];
    capabilities: object;
    noNewPrivileges: boolean;
  };
  root: { path: string; readonly: boolean };
  mounts: { destination: string; type: string; source: string; options: string[] }[];
}

/** The configuration that umoci made of the image. */
const ORIGINAL = 'original-config.json';

/** Unpacks an image of a layout into a new folder, and returns it. */
export function unpackImage(layout: string, name: string, folder: string): string {
  execFileSync('umoci', ['unpack', '--image', `${layout}:${name}`, folder], { stdio: 'pipe' });
  copyFileSync(join(folder, 'config.json'), join(folder, ORIGINAL));
  return folder;
}

export interface StartOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
}

/** Starts the command of the image, or its entry point with other arguments. */
export function startContainer(bundle: string, { args, env = {}, mounts = [] }: StartOptions): Container {
  const config = JSON.parse(readFileSync(join(bundle, ORIGINAL), 'utf8')) as Configuration;
  const [entrypoint] = config.process.args as [string];
  config.process = {
    ...config.process,
    terminal: false,
    args: args ? [entrypoint, ...args] : config.process.args,
    env: [...config.process.env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
    capabilities: {},
    noNewPrivileges: true,
  };
  config.root.readonly = true;
  const bind = ({ destination, source, writable }: Mount) => ({
    destination,
    source,
    type: 'bind',
    options: ['bind', writable ? 'rw' : 'ro'],
  });
  const temporary = { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'nodev', 'mode=1777'] };
  config.mounts = [...config.mounts.filter(({ type }) => type !== 'cgroup'), temporary, ...mounts.map(bind)];
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(config));
  return run(bundle);
}

function run(bundle: string): Container {
  const id = `authservice-${randomUUID()}`;
  const process = spawn('runc', ['run', '--bundle', bundle, id], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [process.stdout, process.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    process,
    output: () => output,
    exec: (...args) => execFileSync('runc', ['exec', id, ...args], { encoding: 'utf8', stdio: 'pipe' }),
    signal: (name) => execFileSync('runc', ['kill', id, name], { stdio: 'pipe' }),
  };
}
