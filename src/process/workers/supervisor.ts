import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { MANAGEMENT_URL } from './messages.ts';
import { createWorkerHandle, type WorkerHandle } from './worker-handle.ts';

export interface SupervisorOptions {
  readonly count: number;
  readonly managementUrl: string;
  readonly log: Logger;
  /** Returns the arguments of all further workers, from the addresses of the first one. */
  readonly furtherArguments: (addresses: Readonly<Record<string, string>>) => readonly string[];
  /** Called after a worker has ended. */
  readonly onExit: (worker: WorkerHandle) => void;
}

export interface Supervisor {
  /** Workers whose process runs. */
  readonly running: ReadonlySet<WorkerHandle>;
  /** The number of restarts since the start. */
  readonly restarts: number;
  /** Starts all workers. Resolves with their addresses. Rejects if one ends before it serves. */
  start(): Promise<Readonly<Record<string, string>>>;
  /** Sends SIGTERM to all workers, starts no other ones, and resolves when all have ended. Kills them after the limit. */
  stop(limitMs: number): Promise<void>;
}

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A worker that lived this long was not broken from its start. */
const STABLE_MS = 10_000;

/** Runs workers, and replaces those that end. The pause before a restart doubles if workers keep ending early. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { count, managementUrl, log, onExit, furtherArguments } = options;
  // Unix sockets go through the primary: all workers accept from the same one.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const running = new Set<WorkerHandle>();
  const stopped = Promise.withResolvers<void>();
  let pauseMs = SHORTEST_PAUSE_MS;
  let restarts = 0;
  let hasStarted = false;
  let isStopping = false;

  function fork(): WorkerHandle {
    const handle = createWorkerHandle(cluster.fork({ [MANAGEMENT_URL]: managementUrl }));
    const startedAt = performance.now();
    running.add(handle);
    handle.worker.once('exit', (code, signal) => {
      running.delete(handle);
      onExit(handle);
      if (isStopping) {
        if (running.size === 0) stopped.resolve();
        return;
      }
      if (!hasStarted) return;
      if (performance.now() - startedAt >= STABLE_MS) pauseMs = SHORTEST_PAUSE_MS;
      log.error({ worker: handle.worker.process.pid, code, signal, pauseMs }, 'a worker ended and is replaced');
      setTimeout(() => {
        if (isStopping) return;
        restarts += 1;
        fork();
      }, pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    });
    return handle;
  }

  /** Resolves when the worker serves. Rejects if it ends before. */
  function started({ worker, ready }: WorkerHandle): Promise<Readonly<Record<string, string>>> {
    return new Promise((resolve, reject) => {
      void ready.then(resolve);
      worker.once('exit', () => reject(new Error('a worker could not start; its last log line gives the reason')));
    });
  }

  return {
    running,
    get restarts() {
      return restarts;
    },
    async start() {
      // The first one migrates the database and creates keys and accounts, for which the others would have to wait.
      const addresses = await started(fork());
      if (isStopping) return addresses;
      cluster.setupPrimary({ args: [...process.argv.slice(2), ...furtherArguments(addresses)] });
      await Promise.all(Array.from({ length: count - 1 }, () => started(fork())));
      hasStarted = true;
      return addresses;
    },
    async stop(limitMs) {
      isStopping = true;
      if (running.size === 0) return;
      for (const { worker } of running) worker.process.kill('SIGTERM');
      const timer = setTimeout(() => {
        for (const { worker } of running) worker.process.kill('SIGKILL');
      }, limitMs);
      await stopped.promise;
      clearTimeout(timer);
    },
  };
}
