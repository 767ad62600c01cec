// Downloads packages of a Debian release without installing them: apt with its own sources, state and cache in one folder. apt checks
// the signatures of the archive.
import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const PROGRAMS = ['/usr/bin/apt-get', '/usr/bin/dpkg-deb'];

export interface DebianSource {
  /** Suites of the archive of this machine's packages, for example `trixie` and `trixie-updates`. */
  readonly suites: readonly string[];
  /** A suite of the archive of security updates. */
  readonly securitySuite?: string;
  /** Debian's name of an architecture. Default: the one of this machine. */
  readonly architecture?: string;
}

/** apt-get and apt-cache with the packages of a source. */
export interface Apt {
  /** The folder of downloaded archives. */
  readonly archives: string;
  get(...args: readonly string[]): string;
}

export const canDownloadPackages = (): boolean => PROGRAMS.every((path) => existsSync(path));

/** Creates apt's folders below an existing folder, and loads the lists of packages. */
export function openDebianArchive(folder: string, { suites, securitySuite, architecture }: DebianSource): Apt {
  const sources = join(folder, 'debian.sources');
  const status = join(folder, 'state', 'status');
  const archives = join(folder, 'cache', 'archives');
  mkdirSync(join(folder, 'state', 'lists', 'partial'), { recursive: true });
  mkdirSync(join(archives, 'partial'), { recursive: true });
  writeFileSync(status, '');
  const archive = debianArchive();
  const paragraphs = [paragraph(archive, suites)];
  if (securitySuite) paragraphs.push(paragraph(`${archive.replace(/\/$/, '')}-security`, [securitySuite]));
  writeFileSync(sources, paragraphs.join('\n'));
  const options = [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State=${join(folder, 'state')}`,
    // apt creates its locks beside this file.
    `Dir::State::status=${status}`,
    `Dir::Cache=${join(folder, 'cache')}`,
    // apt's sandbox user cannot write to the folder.
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    ...(architecture ? [`APT::Architecture=${architecture}`, `APT::Architectures=${architecture}`] : []),
  ].flatMap((option) => ['-o', option]);
  const apt = { archives, get: (...args: readonly string[]) => runProgram('apt-get', [...options, ...args], archives) };
  apt.get('-qq', 'update');
  return apt;
}

/** Unpacks an archive into a folder. */
export function unpackArchive(archive: string, folder: string): void {
  runProgram('dpkg-deb', ['-x', archive, folder]);
}

/** Runs a program, which logs in English, and returns its output. */
export function runProgram(command: string, args: readonly string[], cwd?: string): string {
  const how: ExecFileSyncOptions = {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LC_ALL: 'C' },
    ...(cwd !== undefined && { cwd }),
  };
  return String(execFileSync(command, args, how));
}

function paragraph(uri: string, suites: readonly string[]): string {
  const signedBy = existsSync(KEYRING) ? `Signed-By: ${KEYRING}\n` : '';
  return `Types: deb\nURIs: ${uri}\nSuites: ${suites.join(' ')}\nComponents: main\n${signedBy}`;
}

/** Returns the URL of the Debian archive that this machine uses. */
function debianArchive(): string {
  const [, codename] = /^VERSION_CODENAME=(.+)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
  const releases = [codename, 'stable', 'testing', 'unstable', 'sid'];
  const sources = runProgram('apt-get', ['--print-uris', 'update']).matchAll(/^'(.+)\/dists\/([^/]+)\/InRelease'/gm);
  const archives = [...sources].map(([, uri, release]) => ({ uri: uri!, release: release! }));
  // Third-party archives use Debian's release names too, but have no `-updates` suites.
  const hasUpdates = ({ uri, release }: { uri: string; release: string }) =>
    archives.some((other) => other.uri === uri && other.release === `${release}-updates`);
  const candidates = archives.filter(({ release }) => releases.includes(release));
  const found = candidates.find(hasUpdates) ?? candidates[0];
  if (!found) throw new Error('The sources of apt contain no Debian archive');
  return found.uri;
}
