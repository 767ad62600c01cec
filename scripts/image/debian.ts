// The base of the image: the files of a few Debian packages that Node needs, at the versions of deploy/image/debian.json.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { canDownloadPackages, openDebianArchive, runProgram, unpackArchive, type Apt } from '../debian-archive.ts';

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

interface LockFile {
  readonly release: string;
  /** By Debian's name of the architecture. */
  readonly packages: Readonly<Record<string, readonly DebianPackage[]>>;
}

const LOCK_FILE = join(import.meta.dirname, '../../deploy/image/debian.json');
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'authservice', 'debian');
const REMEDY = 'npm run image -- --update-packages writes the versions of today';

/** What of the packages is in the image: libraries, the description of the system, and licences. */
const KEPT = [
  /^(usr\/)?lib(64)?\/([^/]+\/)?[^/]+\.so(\.[\d.]+)?$/,
  /^etc\/(debian_version|os-release)$/,
  /^usr\/lib\/os-release$/,
  /^usr\/share\/doc\/[^/]+\/copyright$/,
  /^usr\/share\/common-licenses\//,
  // A link to the documents of another package.
  /^usr\/share\/doc\/[^/]+$/,
];

/** Links of the merged /usr of Debian. */
const LINK = /^(lib|lib64)$/;

/** The code name of the Debian release. */
export const debianRelease = (): string => readLock().release;

/** Unpacks the locked packages of an architecture into a folder, and returns them. */
export function unpackDebianPackages(architecture: string, root: string): readonly DebianPackage[] {
  const { release, packages } = readLock();
  const locked = packages[architecture];
  if (!locked) throw new Error(`deploy/image/debian.json has no packages for ${architecture}`);
  withArchives(release, architecture, locked, (archives) => {
    for (const [index, one] of locked.entries()) addPackage(archives[index]!, one.name, root);
  });
  return locked;
}

/** Writes the versions of today to the lock file, for all of its packages and architectures. */
export function updateDebianPackages(): void {
  const { release, packages } = readLock();
  const entries = Object.entries(packages).map(([architecture, locked]) => {
    const names = locked.map(({ name }) => name);
    const current = withApt(release, architecture, (apt) => {
      const lines = apt
        .get('download', '--print-uris', ...names)
        .matchAll(/^'\S+' ([^_\s]+)_(\S+)_\w+\.deb \d+ SHA256:(\w+)$/gm);
      return [...lines].map(([, name, version, sha256]) => ({
        name: name!,
        version: decodeURIComponent(version!),
        sha256: sha256!,
      }));
    });
    if (current.length !== names.length) throw new Error(`Debian ${release} lacks packages for ${architecture}`);
    return [architecture, current.toSorted((a, b) => (a.name < b.name ? -1 : 1))];
  });
  const lock = { release, packages: Object.fromEntries(entries) as LockFile['packages'] };
  writeFileSync(LOCK_FILE, `${JSON.stringify(lock, null, 2)}\n`);
}

const readLock = (): LockFile => JSON.parse(readFileSync(LOCK_FILE, 'utf8')) as LockFile;

/** Calls with the archives of the packages, in their order. Downloads those that the cache of the user lacks. */
function withArchives(
  release: string,
  architecture: string,
  packages: readonly DebianPackage[],
  use: (archives: readonly string[]) => void,
): void {
  const cached = ({ sha256 }: DebianPackage) => join(CACHE, `${sha256}.deb`);
  const missing = packages.filter((one) => !existsSync(cached(one)));
  if (missing.length > 0) withApt(release, architecture, (apt) => download(apt, missing, cached));
  for (const one of packages)
    if (sha256Of(cached(one)) !== one.sha256) throw new Error(`${cached(one)} was changed: delete it`);
  use(packages.map(cached));
}

function download(apt: Apt, packages: readonly DebianPackage[], pathOf: (one: DebianPackage) => string): void {
  mkdirSync(CACHE, { recursive: true });
  try {
    apt.get('-qq', 'download', ...packages.map(({ name, version }) => `${name}=${version}`));
  } catch (cause) {
    throw new Error(`Debian no longer has a version of deploy/image/debian.json. ${REMEDY}`, { cause });
  }
  for (const one of packages) {
    const file = globSync(`${one.name}_*.deb`, { cwd: apt.archives }).map((name) => join(apt.archives, name));
    if (file.length !== 1 || sha256Of(file[0]!) !== one.sha256)
      throw new Error(`The checksum of ${one.name} ${one.version} differs from deploy/image/debian.json. ${REMEDY}`);
    // Beside the cache and then renamed: builds at the same time never see half a file.
    const partial = mkdtempSync(join(CACHE, 'partial-'));
    cpSync(file[0]!, join(partial, 'deb'));
    renameSync(join(partial, 'deb'), pathOf(one));
    rmSync(partial, { recursive: true });
  }
}

function withApt<T>(release: string, architecture: string, use: (apt: Apt) => T): T {
  if (!canDownloadPackages()) throw new Error('The image can be built on Debian and Ubuntu only: apt-get is missing');
  const folder = mkdtempSync(join(tmpdir(), 'image-apt-'));
  try {
    const suites = [release, `${release}-updates`];
    return use(openDebianArchive(folder, { suites, securitySuite: `${release}-security`, architecture }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies the kept files of an archive, and its entry for scanners of vulnerabilities. */
function addPackage(archive: string, name: string, root: string): void {
  const unpacked = mkdtempSync(join(tmpdir(), 'image-deb-'));
  try {
    unpackArchive(archive, unpacked);
    const paths = readdirSync(unpacked, { recursive: true, encoding: 'utf8' });
    for (const path of paths) {
      const stats = lstatSync(join(unpacked, path));
      const isKept = LINK.test(path)
        ? stats.isSymbolicLink()
        : !stats.isDirectory() && KEPT.some((kept) => kept.test(path));
      if (isKept) copy(unpacked, root, path);
    }
    if (name === 'ca-certificates') addCertificates(unpacked, root);
    const status = join(root, 'var/lib/dpkg/status.d', name);
    mkdirSync(dirname(status), { recursive: true });
    writeFileSync(status, runProgram('dpkg-deb', ['--field', archive]));
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

function copy(from: string, to: string, path: string): void {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  const source = join(from, path);
  // cpSync refuses links whose target is in another package.
  if (lstatSync(source).isSymbolicLink()) symlinkSync(readlinkSync(source), join(to, path));
  else cpSync(source, join(to, path));
}

/** Joins the authorities to one file, as update-ca-certificates does at the installation. */
function addCertificates(unpacked: string, root: string): void {
  const files = globSync('usr/share/ca-certificates/mozilla/*.crt', { cwd: unpacked }).toSorted();
  const text = files.map((file) => `${readFileSync(join(unpacked, file), 'utf8').trimEnd()}\n`).join('');
  mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true });
  writeFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), text);
}

const sha256Of = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
