import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { EXIT_OF_SETTINGS, SettingError } from '../../setting-error.ts';
import { type Answers, MANAGEMENT_URL, type Question, type Ready, type ToPrimary, type ToWorker } from './worker.ts';

/** How the process of a worker ended. `error` is set if the process could not be created. */
interface WorkerEnd {
  readonly code?: number | null;
  readonly signal?: string | null;
  readonly error?: Error;
}

/** A worker, as the primary sees it. */
interface WorkerHandle {
  readonly worker: Worker;
  /** Resolves when the worker serves. Never, if it ends before. */
  readonly ready: Promise<Ready>;
  /** Resolves when the process of the worker has ended, or could not be created. */
  readonly ended: Promise<WorkerEnd>;
  /** Resolves with the value; undefined if the worker ends or does not answer in time. */
  ask<Name extends Question>(question: Name): Promise<Answers[Name] | undefined>;
}

const ANSWER_LIMIT_MS = 3_000;

/** Adds questions and answers to a forked worker. */
function createWorkerHandle(worker: Worker): WorkerHandle {
  const open = new Map<number, (value: unknown) => void>();
  const ready = Promise.withResolvers<Ready>();
  const ended = Promise.withResolvers<WorkerEnd>();
  let lastId = 0;

  worker.on('message', (message: ToPrimary) => {
    if (message.kind === 'ready') ready.resolve(message);
    else open.get(message.id)?.(message.value);
  });
  worker.on('exit', (code, signal) => ended.resolve({ code, signal }));
  // A failed message to a dying worker is an error, too. Its exit follows.
  worker.on('error', (error) => {
    if (worker.process.pid === undefined) ended.resolve({ error });
  });
  void ended.promise.then(() => {
    for (const settle of open.values()) settle(undefined);
  });

  return {
    worker,
    ready: ready.promise,
    ended: ended.promise,
    async ask<Name extends Question>(question: Name) {
      if (!worker.isConnected()) return undefined;
      const id = (lastId += 1);
      const answer = Promise.withResolvers<Answers[Name] | undefined>();
      const timer = setTimeout(() => answer.resolve(undefined), ANSWER_LIMIT_MS);
      open.set(id, (value) => answer.resolve(value as Answers[Name] | undefined));
      worker.send({ kind: 'ask', id, question } satisfies ToWorker);
      return answer.promise.finally(() => {
        clearTimeout(timer);
        open.delete(id);
      });
    },
  };
}

export type Supervisor = ReturnType<typeof createSupervisor>;

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A worker that lived this long was not broken from its start. */
const STABLE_MS = 10_000;

/** Runs workers, and replaces those that end. The pause before a restart doubles if workers keep ending early. */
export function createSupervisor(options: {
  readonly count: number;
  readonly managementUrl: string;
  readonly log: Logger;
  /** Returns the arguments of all further workers, from the addresses of the first one. */
  readonly furtherArguments: (addresses: Readonly<Record<string, string>>) => readonly string[];
  /** Called after a worker has ended. */
  readonly onExit: (worker: WorkerHandle) => void;
}) {
  const { count, managementUrl, log, onExit, furtherArguments } = options;
  // Unix sockets go through the primary: all workers accept from the same one.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const running = new Set<WorkerHandle>();
  const stopped = Promise.withResolvers<void>();
  let pauseMs = SHORTEST_PAUSE_MS;
  let restarts = 0;
  let isStopping = false;

  function fork(): WorkerHandle {
    const handle = createWorkerHandle(cluster.fork({ [MANAGEMENT_URL]: managementUrl }));
    running.add(handle);
    void handle.ended.then(() => {
      running.delete(handle);
      onExit(handle);
      if (isStopping && running.size === 0) stopped.resolve();
    });
    return handle;
  }

  /** Forks a worker of the start. Resolves when it serves. Rejects if it ends before. */
  async function startWorker(): Promise<Ready> {
    const handle = fork();
    const startedAt = performance.now();
    const failed = handle.ended.then(({ code }) => {
      const message = 'a worker could not start; its last log line gives the reason';
      throw code === EXIT_OF_SETTINGS ? new SettingError(message) : new Error(message);
    });
    const ready = await Promise.race([handle.ready, failed]);
    // A later end is not a failed start.
    failed.catch(() => {});
    void replaceAtEnd(handle, startedAt);
    return ready;
  }

  async function replaceAtEnd(handle: WorkerHandle, startedAt: number): Promise<void> {
    const { error, ...exit } = await handle.ended;
    if (isStopping) return;
    if (performance.now() - startedAt >= STABLE_MS) pauseMs = SHORTEST_PAUSE_MS;
    const fields = { worker: handle.worker.process.pid, ...exit, ...(error && { err: error }), pauseMs };
    log.error(fields, 'a worker ended and is replaced');
    replaceLater();
  }

  function replaceLater(): void {
    setTimeout(() => {
      if (isStopping) return;
      restarts += 1;
      const startedAt = performance.now();
      try {
        void replaceAtEnd(fork(), startedAt);
      } catch (err) {
        log.error({ err, pauseMs }, 'a worker could not be forked and is forked again');
        replaceLater();
      }
    }, pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }

  return {
    /** Workers whose process runs. */
    running: running as ReadonlySet<WorkerHandle>,
    /** The number of restarts since the start. */
    get restarts() {
      return restarts;
    },
    /** Starts all workers. Resolves with what the first one reports. Rejects if one ends before it serves. */
    async start(): Promise<Ready> {
      // The first one migrates the database and creates keys and accounts, for which the others would have to wait.
      const first = await startWorker();
      if (isStopping) return first;
      cluster.setupPrimary({ args: [...process.argv.slice(2), ...furtherArguments(first.addresses)] });
      await Promise.all(Array.from({ length: count - 1 }, startWorker));
      return first;
    },
    /** Sends SIGTERM to all workers, starts no other ones, and resolves when all have ended. Kills them after the limit. */
    async stop(limitMs: number): Promise<void> {
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
