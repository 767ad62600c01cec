// The service's processes, started as in production, each in a separate process group.
import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort as freePortNumber } from './free-port.ts';
import { TEST_KEY_ENCRYPTION_KEY } from './key-encryption-key.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The folder of package.json. */
export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** The program and its first arguments. */
export const PROGRAMS = {
  gateway: [process.execPath, join(PROJECT, 'gateway/main.ts')],
  core: [process.execPath, join(PROJECT, 'src/main.ts')],
  'built gateway': [process.execPath, join(PROJECT, 'gateway/main.js')],
  'built core': [process.execPath, join(PROJECT, 'src/main.js')],
  'npm run dev': ['npm', 'run', 'dev', '--'],
  'npm start': ['npm', 'start', '--'],
  'npm run core': ['npm', 'run', 'core', '--'],
  'npm run gateway': ['npm', 'run', 'gateway', '--'],
} as const satisfies Record<string, readonly [string, ...string[]]>;

export type Program = keyof typeof PROGRAMS;
export type SettingFlags = Readonly<Record<string, string>>;

export interface StartOptions {
  readonly settings?: SettingFlags;
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory. Default: an empty folder. npm always changes to the project's folder. */
  readonly cwd?: string;
  /** File descriptor for standard output. Default: a socket that the test reads. */
  readonly stdout?: number;
  /** The folder of package.json whose code runs. Default: this project. Not for npm; required for what is built. */
  readonly project?: string;
  /** Limit of open files and connections. Default: the limit of this process. */
  readonly descriptors?: number;
}

/** A line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

/** The addresses of a process, from its log. */
export interface Addresses {
  readonly http: string;
  readonly rpc: string;
  readonly management: string;
  /** Milliseconds from the start of the process to this log line. */
  readonly afterMs: number;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServiceProcess {
  /** Id of the started process, which is npm's with npm, and of the process group. */
  readonly pid: number;
  /** All of standard output so far, then all of standard error. */
  output(): string;
  logs(): LogLine[];
  /** Resolves with the first log line with this message. Rejects if the process ends without it, or after 30 s. */
  logged(message: string | RegExp): Promise<LogLine>;
  /** Resolves with its addresses when it is ready. */
  ready(): Promise<Addresses>;
  exited: Promise<Exit>;
  /** Leaves standard output unread until readAgain. */
  stopReading(): void;
  readAgain(): void;
  signal(name: NodeJS.Signals): void;
  /** Sends a signal to all processes of the group, like Ctrl-C on a terminal. */
  signalGroup(name: NodeJS.Signals): void;
  /** Sends SIGTERM. Resolves with the exit. */
  stop(): Promise<Exit>;
  /** Sends SIGKILL to the group. Resolves when all processes have ended. */
  kill(): Promise<Exit>;
  /** Whether a process of the group is still running. */
  isAlive(): boolean;
}

/** Ports that are free, and nothing of the machine's. */
export const FREE_PORTS: SettingFlags = { 'app.http.port': '0', 'app.rpc.port': '0', 'app.management.port': '0' };

/** The settings under which seeded sessions are at home. */
export const SHOP_SETTINGS: SettingFlags = {
  ...FREE_PORTS,
  'app.name': 'my-shop',
  'app.env': 'TEST',
  'app.security.key-encryption-key': TEST_KEY_ENCRYPTION_KEY.toString('base64'),
};

const LIMIT_MS = 50_000;
// Halves what a start costs; npm's starts go without, as a user's first does.
const NODE_COMPILE_CACHE = join(PROJECT, 'node_modules/.cache/node-compile-cache');
/** No balancer sends requests to it. A variable, because an older program refuses an unknown flag. */
const WITHOUT_BALANCER = { APP_PROCESS_DRAIN_DELAY: '0s' };
const READY = 'ready';
const running = new Set<ServiceProcess>();
const folders: string[] = [];

process.once('exit', () => {
  for (const service of running) service.signalGroup('SIGKILL');
});

/** Starts a program. endProcesses ends it. */
export function startProgram(program: Program, options: StartOptions = {}): ServiceProcess {
  const { project = PROJECT } = options;
  const words = PROGRAMS[program].map((word) =>
    word === process.execPath ? word : word.replace(PROJECT, join(project, '/')),
  ) as [string, ...string[]];
  return startCommand(words, options);
}

/** Starts a program by its file and its first arguments. endProcesses ends it. */
export function startCommand(
  [file, ...args]: readonly [string, ...string[]],
  { settings = FREE_PORTS, env = {}, cwd, stdout, descriptors }: StartOptions = {},
): ServiceProcess {
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const folder = file === 'npm' ? PROJECT : (cwd ?? emptyFolder());
  const started = performance.now();
  const limited = descriptors === undefined ? [] : ['sh', '-c', `ulimit -n ${descriptors} && exec "$@"`, 'sh'];
  const [command, ...rest] = [...limited, file, ...args, ...flags];
  const child = spawn(command!, rest, {
    cwd: folder,
    env: { ...userEnvironment(), ...WITHOUT_BALANCER, ...(file !== 'npm' && { NODE_COMPILE_CACHE }), ...env },
    detached: true,
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  });
  const service = follow(child, started);
  running.add(service);
  return service;
}

/** Creates a folder that endProcesses removes. */
export function emptyFolder(): string {
  const folder = temporaryFolder('service-process-');
  folders.push(folder);
  return folder;
}

/** Kills all processes that are still running, and removes the folders. For afterEach or afterAll. */
export async function endProcesses(): Promise<void> {
  await Promise.all([...running].map((service) => service.kill()));
  running.clear();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Returns a free port, for settings. */
export const freePort = async (): Promise<string> => String(await freePortNumber());

/** The environment of a plain shell, without the variables of npm and vitest. */
function userEnvironment(): Record<string, string> {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { PATH: path.join(delimiter), HOME: process.env['HOME'] ?? '/', npm_config_update_notifier: 'false' };
}

function follow(child: ChildProcess, started: number): ServiceProcess {
  const pid = child.pid!;
  let text = '';
  let errors = '';
  let changed = Promise.withResolvers<void>();
  const arrivals: number[] = [];
  const wake = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    arrivals.push(...Array<number>(chunk.split('\n').length - 1).fill(performance.now() - started));
    text += chunk;
    wake();
  });
  let ended = false;
  const exited = new Promise<Exit>((resolve) => {
    // After the last output has been read.
    child.once('close', (code, signal) => {
      ended = true;
      resolve({ code, signal });
      wake();
    });
  });

  const lines = () => text.split('\n').map((line) => parsed(line));
  const find = (message: string | RegExp) =>
    lines().findIndex((line) => line && (typeof message === 'string' ? line.msg === message : message.test(line.msg)));

  async function waitFor(message: string | RegExp): Promise<number> {
    const giveUpAt = performance.now() + LIMIT_MS;
    for (;;) {
      const index = find(message);
      if (index >= 0) return index;
      const remaining = giveUpAt - performance.now();
      if (ended || remaining <= 0)
        throw new Error(`${ended ? 'ended without' : 'no'} log line ${String(message)}:\n${text}${errors}`);
      await Promise.race([changed.promise, sleep(remaining, undefined, { ref: false })]);
    }
  }

  const signalGroup = (name: NodeJS.Signals) => {
    if (isAlive(pid)) process.kill(-pid, name);
  };
  return {
    pid,
    exited,
    output: () => text + errors,
    logs: () => lines().filter((line) => line !== undefined),
    async logged(message) {
      const index = await waitFor(message);
      return lines()[index]!;
    },
    async ready() {
      const index = await waitFor(READY);
      return { ...(lines()[index] as unknown as Addresses), afterMs: arrivals[index]! };
    },
    stopReading: () => void child.stdout?.pause(),
    readAgain: () => void child.stdout?.resume(),
    signal: (name) => void child.kill(name),
    signalGroup,
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
    async kill() {
      signalGroup('SIGKILL');
      return exited;
    },
    isAlive: () => isAlive(pid),
  };
}

function isAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

function parsed(line: string): LogLine | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return undefined;
  }
}
