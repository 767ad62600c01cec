// Containers by bubblewrap: a read-only root of the image and this machine's libraries, another user without capabilities,
// and its own processes. The network is that of the machine.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_FOLDER, type Image } from './dockerfile.ts';

export interface ContainerOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files by their path in the container. */
  readonly files?: Readonly<Record<string, string>>;
  /** Folders that can be written to, by their path in the container. */
  readonly volumes?: Readonly<Record<string, string>>;
}

const NODE = '/opt/node';
// Without /etc: a container has no accounts of this machine.
const LIBRARIES = ['--ro-bind', '/usr', '/usr', '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/bin', '/bin'];

const folderForAll = (path: string): string[] => ['--perms', '0755', '--dir', path];

/** Returns bubblewrap's command line for a container. */
function commandLine(image: Image, { args, env = {}, files = {}, volumes = {} }: ContainerOptions): string[] {
  const [user, group] = image.user.split(':') as [string, string];
  const privileges = ['SETUID', 'SETGID', 'SETPCAP'].flatMap((name) => ['--cap-add', `CAP_${name}`]);
  const environment = Object.entries({ ...image.env, ...env, PATH: `${NODE}:/usr/bin` });
  const lib64 = existsSync('/lib64') ? ['--symlink', 'usr/lib64', '/lib64'] : [];
  return [
    '--unshare-pid --unshare-ipc --unshare-uts --as-pid-1 --die-with-parent --clearenv'.split(' '),
    privileges,
    [...LIBRARIES, ...lib64, '--ro-bind', NODE_FOLDER, NODE, '--proc', '/proc', '--dev', '/dev'],
    ['--perms', '1777', '--tmpfs', '/tmp', ...['/etc', '/run', '/run/secrets'].flatMap(folderForAll)],
    ['--ro-bind', join(image.root, image.folder), image.folder, '--chdir', image.folder],
    Object.entries(files).flatMap(([path, source]) => ['--ro-bind', source, path]),
    Object.entries(volumes).flatMap(([path, source]) => ['--bind', source, path]),
    environment.flatMap(([name, value]) => ['--setenv', name, value]),
    ['--remount-ro', '/', '--'],
    ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups', '--no-new-privs', '--bounding-set=-all'],
    args,
  ].flat();
}

/** Runs a command to its end. Throws if it fails; returns its output. */
export function runInContainer(image: Image, options: ContainerOptions): string {
  return execFileSync('bwrap', commandLine(image, options), { encoding: 'utf8', stdio: 'pipe' });
}

/** Starts a command. Standard output is a pipe. */
export function startContainer(image: Image, options: ContainerOptions): ChildProcess {
  return spawn('bwrap', commandLine(image, options), { stdio: ['ignore', 'pipe', 'inherit'] });
}
