// A real MySQL server without installing it: the packages of Debian unstable, unpacked into a cache folder of the user and
// started by their own loader, so that nothing of the machine changes. Prints the path of the program.
import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const PACKAGE = 'mysql-server-core';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const REMEDY = 'give the path of a mysqld in TEST_MYSQLD';

/** The folder of the libraries and the loader's name, by Node's name of the architecture. */
const ARCHITECTURES: Readonly<Record<string, readonly [folder: string, loader: string]>> = {
  x64: ['x86_64-linux-gnu', 'ld-linux-x86-64.so.2'],
  arm64: ['aarch64-linux-gnu', 'ld-linux-aarch64.so.1'],
};

/** The path of a `mysqld`, taken from the cache or downloaded into it. Throws an Error that says what to do instead. */
export function mysqlServerProgram(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'authservice', 'mysql-server');
  const program = join(folder, 'mysqld');
  if (!existsSync(program)) download(folder);
  return program;
}

function download(folder: string): void {
  const architecture = ARCHITECTURES[process.arch];
  if (!architecture || !existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/dpkg-deb'))
    throw new Error(`MySQL can be downloaded on Debian (x64, arm64) only; ${REMEDY}`);
  mkdirSync(join(folder, '..'), { recursive: true });
  // Under another name until it is complete: several processes may download at once, and each may be killed.
  const partial = mkdtempSync(`${folder}-`);
  try {
    console.error(`Downloading MySQL from Debian unstable into ${folder} …`);
    const archives = downloadPackages(partial);
    const root = join(partial, 'root');
    for (const archive of archives) run('dpkg-deb', ['-x', archive, root]);
    rmSync(join(partial, 'apt'), { recursive: true });
    writeFileSync(join(partial, 'mysqld'), launcher(architecture), { mode: 0o755 });
    rename(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** The archives of the server and of everything that it needs. apt keeps its own state, lists and cache in the folder. */
function downloadPackages(folder: string): string[] {
  const apt = join(folder, 'apt');
  const sources = join(apt, 'unstable.sources');
  const status = join(apt, 'state', 'status');
  const archives = join(apt, 'cache', 'archives');
  mkdirSync(join(apt, 'state', 'lists', 'partial'), { recursive: true });
  mkdirSync(join(archives, 'partial'), { recursive: true });
  writeFileSync(status, '');
  const signedBy = existsSync(KEYRING) ? `Signed-By: ${KEYRING}\n` : '';
  writeFileSync(sources, `Types: deb\nURIs: ${debianArchive()}\nSuites: unstable\nComponents: main\n${signedBy}`);
  const options = [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State=${join(apt, 'state')}`,
    // apt puts its locks beside this file.
    `Dir::State::status=${status}`,
    `Dir::Cache=${join(apt, 'cache')}`,
    // apt's own user could not write into the folder.
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  run('apt-get', [...options, '-qq', 'update']);
  run('apt-get', [...options, '-qq', '-y', '--download-only', '--no-install-recommends', 'install', PACKAGE]);
  return readdirSync(archives)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => join(archives, name));
}

/** Where this machine gets its own Debian packages from. */
function debianArchive(): string {
  const [, codename] = /^VERSION_CODENAME=(.+)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
  const releases = [codename, 'stable', 'testing', 'unstable', 'sid'];
  const sources = run('apt-get', ['--print-uris', 'update']).matchAll(/^'(.+)\/dists\/([^/]+)\/InRelease'/gm);
  const archives = [...sources].map(([, uri, release]) => ({ uri: uri!, release: release! }));
  // Archives of others name Debian's releases too, but have no updates of them.
  const hasUpdates = ({ uri, release }: { uri: string; release: string }) =>
    archives.some((other) => other.uri === uri && other.release === `${release}-updates`);
  const candidates = archives.filter(({ release }) => releases.includes(release));
  const found = candidates.find(hasUpdates) ?? candidates[0];
  if (!found) throw new Error(`The sources of apt name no Debian archive; ${REMEDY}`);
  return found.uri;
}

function run(command: string, options: string[]): string {
  const how: ExecFileSyncOptions = { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, LC_ALL: 'C' } };
  try {
    return String(execFileSync(command, options, how));
  } catch (cause) {
    throw new Error(`${command} failed; ${REMEDY}`, { cause });
  }
}

function rename(partial: string, folder: string): void {
  try {
    renameSync(partial, folder);
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(join(folder, 'mysqld'))) throw error;
  }
}

/** Starts the server with its own C library and files in place of those of the machine. */
function launcher([libraries, loader]: readonly [string, string]): string {
  return `#!/bin/sh
# mysqld with the options given, which follow --no-defaults where that comes first.
root=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)/root
[ "$1" = --no-defaults ] && shift
exec "$root/usr/lib/${libraries}/${loader}" --library-path "$root/usr/lib/${libraries}:$root/usr/lib/mysql/private" \\
  "$root/usr/sbin/mysqld" --no-defaults --basedir="$root/usr" --lc-messages-dir="$root/usr/share/mysql" \\
  --plugin-dir="$root/usr/lib/mysql/plugin" --secure-file-priv= "$@"
`;
}

if (import.meta.main) console.log(mysqlServerProgram());
