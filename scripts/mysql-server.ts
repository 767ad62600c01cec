// Provides a database server without installing it on the machine. It unpacks packages of another Debian release into the user's
// cache folder and starts them with their own loader. Prints the path of the program for TEST_MYSQLD: MySQL 9.7 of Debian
// unstable, or with the argument `mariadb` MariaDB 11.8 of Debian 13.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { canDownloadPackages, openDebianArchive, unpackArchive } from './debian-archive.ts';

const REMEDY = 'give the path of a mysqld in TEST_MYSQLD';

/** Library folder and loader name by Node's name of the architecture. */
const ARCHITECTURES: Readonly<Record<string, readonly [folder: string, loader: string]>> = {
  x64: ['x86_64-linux-gnu', 'ld-linux-x86-64.so.2'],
  arm64: ['aarch64-linux-gnu', 'ld-linux-aarch64.so.1'],
};

interface ServerPackage {
  readonly name: string;
  readonly packageName: string;
  /** Debian's name of the release with the package. */
  readonly release: string;
  /** Returns the launcher scripts by file name. They are stored beside the folder `root` with the unpacked packages. */
  readonly launchers: (architecture: readonly [folder: string, loader: string]) => Readonly<Record<string, string>>;
  /** File name of the server's launcher. */
  readonly program: string;
}

const SERVERS = {
  mysql: {
    name: 'MySQL',
    packageName: 'mysql-server-core',
    release: 'unstable',
    launchers: (architecture) => ({ mysqld: mysqldLauncher(architecture) }),
    program: 'mysqld',
  },
  mariadb: {
    name: 'MariaDB',
    packageName: 'mariadb-server-core',
    release: 'trixie',
    launchers: (architecture) => ({
      mariadbd: mariadbdLauncher(architecture),
      'mariadb-install-db': MARIADB_INSTALLER,
    }),
    program: 'mariadbd',
  },
} satisfies Record<string, ServerPackage>;

/** Returns the path of a server program. Downloads it if the cache does not contain it. Throws an Error with an alternative. */
export function mysqlServerProgram(kind: keyof typeof SERVERS = 'mysql'): string {
  const server: ServerPackage = SERVERS[kind];
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'authservice', `${kind}-server`);
  const program = join(folder, server.program);
  if (!existsSync(program)) download(server, folder);
  return program;
}

function download(server: ServerPackage, folder: string): void {
  const architecture = ARCHITECTURES[process.arch];
  if (!architecture || !canDownloadPackages())
    throw new Error(`${server.name} can only be downloaded on Debian (x64, arm64); ${REMEDY}`);
  mkdirSync(join(folder, '..'), { recursive: true });
  // Uses a temporary name until it is complete: several processes may download at the same time, and each may be killed.
  const partial = mkdtempSync(`${folder}-`);
  try {
    console.error(`Downloading ${server.name} from Debian ${server.release} into ${folder} …`);
    const archives = downloadPackages(partial, server);
    const root = join(partial, 'root');
    for (const archive of archives) unpackArchive(archive, root);
    rmSync(join(partial, 'apt'), { recursive: true });
    for (const [file, text] of Object.entries(server.launchers(architecture)))
      writeFileSync(join(partial, file), text, { mode: 0o755 });
    rename(partial, folder, server.program);
  } catch (cause) {
    throw new Error(`${server.name} cannot be downloaded; ${REMEDY}`, { cause });
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Downloads the archives of the server and its dependencies. apt's state, lists and cache are in the folder too. */
function downloadPackages(folder: string, { packageName, release }: ServerPackage): string[] {
  const place = join(folder, 'apt');
  mkdirSync(place);
  const apt = openDebianArchive(place, { suites: [release] });
  apt.get('-qq', '-y', '--download-only', '--no-install-recommends', 'install', packageName);
  return readdirSync(apt.archives)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => join(apt.archives, name));
}

function rename(partial: string, folder: string, program: string): void {
  try {
    renameSync(partial, folder);
  } catch (error) {
    // Another process finished its download first.
    if (!existsSync(join(folder, program))) throw error;
  }
}

/** Returns a script that starts the server with the C library and files of its packages instead of the machine's. */
function mysqldLauncher([libraries, loader]: readonly [string, string]): string {
  return `#!/bin/sh
# Starts mysqld with the given options. If the first one is --no-defaults, it stays first.
root=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)/root
[ "$1" = --no-defaults ] && shift
exec "$root/usr/lib/${libraries}/${loader}" --library-path "$root/usr/lib/${libraries}:$root/usr/lib/mysql/private" \\
  "$root/usr/sbin/mysqld" --no-defaults --basedir="$root/usr" --lc-messages-dir="$root/usr/share/mysql" \\
  --plugin-dir="$root/usr/lib/mysql/plugin" --secure-file-priv= "$@"
`;
}

function mariadbdLauncher([libraries, loader]: readonly [string, string]): string {
  return `#!/bin/sh
# Starts mariadbd with the given options. If the first one is --no-defaults, it stays first.
root=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)/root
[ "$1" = --no-defaults ] && shift
exec "$root/usr/lib/${libraries}/${loader}" --library-path "$root/usr/lib/${libraries}" \\
  "$root/usr/sbin/mariadbd" --no-defaults --basedir="$root/usr" --lc-messages-dir="$root/usr/share/mariadb" \\
  --character-sets-dir="$root/usr/share/mariadb/charsets" --plugin-dir="$root/usr/lib/mysql/plugin" "$@"
`;
}

/** Replaces MariaDB's script, which would start the server with the machine's C library. */
const MARIADB_INSTALLER = `#!/bin/sh
# Initializes a data folder in the same way as mariadb-install-db with these options.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
for option; do
  shift
  case $option in
    --auth-root-authentication-method=normal | --skip-test-db) continue ;;
    --datadir=*) mkdir -p "\${option#--datadir=}" ;;
  esac
  set -- "$@" "$option"
done
cd "$here/root/usr/share/mariadb"
{
  echo 'CREATE DATABASE mysql;'
  echo 'USE mysql;'
  cat mariadb_system_tables.sql mariadb_performance_tables.sql mariadb_system_tables_data.sql
  cat maria_add_gis_sp_bootstrap.sql mariadb_sys_schema.sql
} | "$here/mariadbd" "$@" --bootstrap
`;

if (import.meta.main) console.log(mysqlServerProgram(process.argv[2] === 'mariadb' ? 'mariadb' : 'mysql'));
