// The supervisor of app.workers on fake workers: which ends of workers it replaces, and which end its start.
import { EventEmitter } from 'node:events';
import cluster, { type Worker } from 'node:cluster';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSupervisor } from '../../src/platform/process/workers/supervisor.ts';

const LONGEST_PAUSE_MS = 5_000;
const schedulingPolicy = cluster.schedulingPolicy;

/** The workers that the supervisor has forked. */
let workers: FakeWorker[];
let ended: unknown[];

class FakeWorker extends EventEmitter {
  readonly process: { readonly pid: number | undefined; kill: (signal: string) => void };
  constructor(pid: number | null) {
    super();
    this.process = { pid: pid ?? undefined, kill: () => this.emit('exit', 0, null) };
  }
  isConnected = () => false;
  becomeReady = () => this.emit('message', { kind: 'ready', addresses: { http: 'http://127.0.0.1:80' } });
  die = () => this.emit('exit', null, 'SIGKILL');
}

/** `null` is the id of a process that could not be created. */
function forkFake(pid: number | null = 100 + workers.length): Worker {
  const worker = new FakeWorker(pid);
  workers.push(worker);
  return worker as unknown as Worker;
}

beforeEach(() => {
  workers = [];
  ended = [];
  vi.useFakeTimers();
  vi.spyOn(cluster, 'setupPrimary').mockReturnValue();
  vi.spyOn(cluster, 'fork').mockImplementation(() => forkFake());
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  cluster.schedulingPolicy = schedulingPolicy;
});

function supervise(count: number) {
  return createSupervisor({
    count,
    managementUrl: 'http://127.0.0.1:9090',
    log: pino({ enabled: false }),
    furtherArguments: () => [],
    onExit: (worker) => ended.push(worker),
  });
}

/** Lets the promises of the supervisor continue, and its timers fire. */
const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

async function startedWorkers(count: number) {
  const supervisor = supervise(count);
  const started = supervisor.start();
  workers[0]!.becomeReady();
  await pass();
  for (const worker of workers.slice(1)) worker.becomeReady();
  await started;
  return supervisor;
}

it('replaces a ready worker that ends while others still start', async () => {
  const supervisor = supervise(2);
  const started = supervisor.start();
  workers[0]!.becomeReady();
  await pass();
  workers[0]!.die();
  await pass(LONGEST_PAUSE_MS);
  expect(workers).toHaveLength(3);
  workers[1]!.becomeReady();
  expect(await started).toMatchObject({ addresses: { http: 'http://127.0.0.1:80' } });
  expect(supervisor.running.size).toBe(2);
  expect(supervisor.restarts).toBe(1);
});

it('rejects the start if a worker ends before it is ready, and replaces none', async () => {
  const rejection = expect(supervise(2).start()).rejects.toThrow('a worker could not start');
  workers[0]!.becomeReady();
  await pass();
  workers[1]!.die();
  await rejection;
  await pass(LONGEST_PAUSE_MS);
  expect(workers).toHaveLength(2);
});

it('replaces a replacement that ends before it is ready', async () => {
  await startedWorkers(2);
  workers[0]!.die();
  await pass(LONGEST_PAUSE_MS);
  workers[2]!.die();
  await pass(LONGEST_PAUSE_MS);
  expect(workers).toHaveLength(4);
});

it('rejects the start if a worker cannot be forked', async () => {
  vi.mocked(cluster.fork).mockImplementationOnce(() => forkFake(null));
  const supervisor = supervise(2);
  const rejection = expect(supervisor.start()).rejects.toThrow('a worker could not start');
  workers[0]!.emit('error', new Error('spawn EAGAIN'));
  await rejection;
  expect(supervisor.running.size).toBe(0);
});

it('forks again if the fork of a replacement reports an error', async () => {
  const supervisor = await startedWorkers(2);
  vi.mocked(cluster.fork).mockImplementationOnce(() => forkFake(null));
  workers[0]!.die();
  await pass(LONGEST_PAUSE_MS);
  workers[2]!.emit('error', new Error('spawn EAGAIN'));
  await pass();
  expect(supervisor.running.size).toBe(1);
  await pass(LONGEST_PAUSE_MS);
  expect(supervisor.running.size).toBe(2);
  expect(workers).toHaveLength(4);
});

it('forks again if the fork of a replacement throws', async () => {
  const supervisor = await startedWorkers(2);
  vi.mocked(cluster.fork).mockImplementationOnce(() => {
    throw new Error('spawn ENOMEM');
  });
  workers[0]!.die();
  await pass(2 * LONGEST_PAUSE_MS);
  expect(supervisor.running.size).toBe(2);
  expect(workers).toHaveLength(3);
});

it('keeps a running worker whose channel reports an error', async () => {
  const supervisor = await startedWorkers(2);
  workers[0]!.emit('error', new Error('write EPIPE'));
  await pass(LONGEST_PAUSE_MS);
  expect(supervisor.running.size).toBe(2);
  expect(workers).toHaveLength(2);
  workers[0]!.die();
  await pass();
  expect(ended).toHaveLength(1);
});

it('replaces none while it stops', async () => {
  const supervisor = await startedWorkers(2);
  workers[0]!.die();
  await pass();
  await supervisor.stop(1_000);
  await pass(LONGEST_PAUSE_MS);
  expect(workers).toHaveLength(2);
});
