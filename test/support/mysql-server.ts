// A private, temporary MySQL-compatible server.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, type Connection } from 'mysql2/promise';
import { findDatabaseServer, findProgram, requireTool } from '../../scripts/test-tools.ts';
import { freePort } from './free-port.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface MysqlServer {
  /** `mysql://root@127.0.0.1:port/`, without the name of a database. */
  readonly url: string;
  /** Id of the server process. A restart changes it. */
  readonly pid: number;
  /** SIGSTOP: connections stay open, but the server does not respond. */
  freeze(): Promise<void>;
  /** SIGCONT. */
  thaw(): void;
  /** SIGKILL. The data are kept. */
  kill(): Promise<void>;
  /** Kills the server if it is running, and starts it on the same port. */
  restart(): Promise<void>;
  /** SIGKILL. The data are deleted. */
  stop(): Promise<void>;
}

const START_LIMIT_MS = 30_000;
/** The variable with the initialized data folder that servers copy: an initialization takes seconds. */
const INITIAL_DATA = 'TEST_INITIAL_DATA';

// Ends the server as soon as its standard input ends, so also if this process is killed. Then deletes its data, unless the input
// was the word `keep`.
const GUARD = `dir=$1; shift
"$@" </dev/null >>"$dir/server.log" 2>&1 &
server=$!
echo $server
read -r word
kill -KILL $server 2>/dev/null
wait $server 2>/dev/null
[ "$word" = keep ] || rm -rf "$dir"`;

/** Starts a server on a free port with an empty data folder, with further options of its command line. */
export function startMysqlServer(...options: string[]): Promise<MysqlServer> {
  return startMysqlServerWith({}, ...options);
}

/** Starts such a server with further environment variables. */
export async function startMysqlServerWith(
  env: Readonly<Record<string, string>>,
  ...options: string[]
): Promise<MysqlServer> {
  const program = serverProgram();
  const directory = temporaryFolder('mysql-test-');
  const port = await freePort();
  const url = `mysql://root@127.0.0.1:${port}/`;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const command = ['env', ...variables, ...commandLine(program, directory, port), ...options];
  fillData(program, directory);
  let guard = await startGuarded(command, directory, url);

  const end = async (word: string) => {
    if (guard.process.exitCode !== null) return;
    const exited = new Promise((resolve) => guard.process.once('exit', resolve));
    guard.process.stdin!.end(word);
    await exited;
  };
  return {
    url,
    get pid() {
      return guard.pid;
    },
    freeze: () => freeze(guard.pid),
    thaw: () => void process.kill(guard.pid, 'SIGCONT'),
    kill: () => end('keep\n'),
    async restart() {
      await end('keep\n');
      guard = await startGuarded(command, directory, url);
    },
    async stop() {
      await end('');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Calls `work` with a connection that accepts several statements in one query. */
export async function onMysqlServer<T>(serverUrl: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const url = new URL(serverUrl);
  url.pathname = '/information_schema';
  const connection = await createConnection({ uri: url.href, multipleStatements: true });
  try {
    return await work(connection);
  } finally {
    await connection.end();
  }
}

/** Initializes the data of all servers that this process and its children start. The returned function deletes them. */
export function initialiseData(): () => void {
  const directory = temporaryFolder('mysql-data-');
  initialise(serverProgram(), directory);
  process.env[INITIAL_DATA] = join(directory, 'data');
  return () => {
    delete process.env[INITIAL_DATA];
    rmSync(directory, { recursive: true, force: true });
  };
}

function serverProgram(): string {
  requireTool('database server');
  return process.env['TEST_MYSQLD'] || findDatabaseServer()!;
}

function fillData(program: string, directory: string): void {
  const initial = process.env[INITIAL_DATA];
  if (initial === undefined) return initialise(program, directory);
  const data = join(directory, 'data');
  cpSync(initial, data, { recursive: true, preserveTimestamps: true });
  // The identity of a MySQL server.
  rmSync(join(data, 'auto.cnf'), { force: true });
}

const USER = `--user=${userInfo().username}`;

/** Options that keep the data of a server small. */
const smallOptions = (program: string) =>
  isMariaDb(program)
    ? ['--innodb-log-file-size=16M', '--innodb-flush-method=nosync']
    : ['--mysqlx=OFF', '--skip-log-bin'];

const isMariaDb = (program: string) => execFileSync(program, ['--version'], { encoding: 'utf8' }).includes('MariaDB');

/** Initializes the data folder. */
function initialise(program: string, directory: string): void {
  const data = join(directory, 'data');
  if (isMariaDb(program)) {
    const beside = join(dirname(program), 'mariadb-install-db');
    const installer = [beside].find(existsSync) ?? findProgram('mariadb-install-db') ?? findProgram('mysql_install_db');
    if (!installer) throw new Error('mariadb-install-db was not found beside the MariaDB server');
    const options = ['--auth-root-authentication-method=normal', '--skip-test-db'];
    execFileSync(
      installer,
      ['--no-defaults', `--datadir=${data}`, `--tmpdir=${directory}`, USER, ...options, ...smallOptions(program)],
      { stdio: 'pipe' },
    );
  } else {
    const options = ['--initialize-insecure', `--datadir=${data}`, `--tmpdir=${directory}`, USER];
    execFileSync(program, ['--no-defaults', ...options], { stdio: 'pipe' });
  }
}

function commandLine(program: string, directory: string, port: number): string[] {
  return [
    program,
    '--no-defaults',
    `--datadir=${join(directory, 'data')}`,
    `--tmpdir=${directory}`,
    `--socket=${join(directory, 'server.sock')}`,
    `--pid-file=${join(directory, 'server.pid')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    USER,
    '--max-connections=500',
    '--innodb-buffer-pool-size=64M',
    '--innodb-doublewrite=0',
    '--performance-schema=OFF',
    // Commits survive the server's own death, which tests bring about, not the machine's.
    '--innodb-flush-log-at-trx-commit=2',
    ...smallOptions(program),
  ];
}

/** Starts a server whose life ends with this process. Resolves when it accepts connections. */
export async function startGuarded(
  command: readonly string[],
  directory: string,
  url: string,
): Promise<{ process: ChildProcess; pid: number }> {
  // Detached, so that Ctrl-C reaches only the tests. The guard then ends the server.
  const child = spawn('sh', ['-c', GUARD, 'sh', directory, ...command], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())));
  });
  const giveUpAt = performance.now() + START_LIMIT_MS;
  while (!(await responses(url))) {
    if (performance.now() > giveUpAt) {
      child.stdin.end('keep\n');
      throw new Error(
        `The database server did not start:\n${readFileSync(join(directory, 'server.log'), 'utf8').slice(-2_000)}`,
      );
    }
    await sleep(50);
  }
  return { process: child, pid };
}

async function responses(url: string): Promise<boolean> {
  try {
    await (await createConnection({ uri: url, connectTimeout: 1_000 })).end();
    return true;
  } catch {
    return false;
  }
}

/** Sends SIGSTOP and resolves when all threads of the process have stopped. They stop one after the other. */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const folder = `/proc/${pid}/task`;
  if (process.platform !== 'linux') await sleep(100);
  else while (!readdirSync(folder).every((thread) => isStopped(`${folder}/${thread}/stat`))) await sleep(1);
}

// The state follows the program's name, which is in brackets and may hold any character.
function isStopped(stat: string): boolean {
  return /^.*\) T/s.test(readFileSync(stat, 'utf8'));
}
