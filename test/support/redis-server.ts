// A private, temporary Redis server.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import { findProgram, requireTool } from '../../scripts/test-tools.ts';
import { freePort } from './free-port.ts';

export interface RedisServer {
  /** `redis://127.0.0.1:port` */
  readonly url: string;
  /** SIGSTOP: connections stay open, but the server does not respond. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
  /** SIGKILL. The data are lost. */
  kill(): Promise<void>;
  /** Starts an empty server on the same port. */
  restart(): Promise<void>;
}

const START_LIMIT_MS = 15_000;

// Ends the server as soon as its standard input ends, so also if this process is killed.
const GUARD = `dir=$1; shift
"$@" </dev/null >>"$dir/server.log" 2>&1 &
server=$!
echo $server
read -r word
kill -KILL $server 2>/dev/null
wait $server 2>/dev/null
rm -rf "$dir"`;

/** A Redis for tests that only count in it: that of TEST_REDIS_URL, else one of our own. */
export async function redisUrl(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const given = process.env['TEST_REDIS_URL'];
  if (given) return { url: given, stop: async () => {} };
  const server = await startRedisServer();
  return { url: server.url, stop: server.kill };
}

/** Starts a private server on a free port. The test may freeze, kill and restart it. */
export async function startRedisServer(): Promise<RedisServer> {
  requireTool('redis');
  const program = findProgram('redis-server')!;
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let running = await startGuarded(program, port, url);
  return {
    url,
    freeze: () => void process.kill(running.pid, 'SIGSTOP'),
    thaw: () => void process.kill(running.pid, 'SIGCONT'),
    kill: () => end(running.guard),
    async restart() {
      await end(running.guard);
      running = await startGuarded(program, port, url);
    },
  };
}

async function end(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null) return;
  const exited = new Promise((resolve) => guard.once('exit', resolve));
  guard.stdin!.end();
  await exited;
}

async function startGuarded(
  program: string,
  port: number,
  url: string,
): Promise<{ readonly guard: ChildProcess; readonly pid: number }> {
  const directory = mkdtempSync(join(tmpdir(), 'redis-test-'));
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, '--save', '', '--appendonly', 'no'];
  // Detached, so that Ctrl-C reaches only the tests. The guard then ends the server.
  const guard = spawn('sh', ['-c', GUARD, 'sh', directory, program, ...options], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const pid = await new Promise<number>((resolve, reject) => {
    guard.once('error', reject);
    guard.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())));
  });
  const giveUpAt = performance.now() + START_LIMIT_MS;
  while (!(await responses(url))) {
    if (performance.now() > giveUpAt) {
      guard.stdin.end();
      rmSync(directory, { recursive: true, force: true });
      throw new Error(`redis-server did not start on port ${port}`);
    }
    await sleep(20);
  }
  return { guard, pid };
}

async function responses(url: string): Promise<boolean> {
  const client = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: 1_000 } });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.ping();
    return true;
  } catch {
    return false;
  } finally {
    if (client.isOpen) client.destroy();
  }
}
