import type { Worker } from 'node:cluster';
import type { Question, ToPrimary, ToWorker } from './messages.ts';

/** How the process of a worker ended. `error` is set if the process could not be created. */
export interface WorkerEnd {
  readonly code?: number | null;
  readonly signal?: string | null;
  readonly error?: Error;
}

/** A worker, as the primary sees it. */
export interface WorkerHandle {
  readonly worker: Worker;
  /** Resolves with the addresses of the worker when it serves. Never, if it ends before. */
  readonly ready: Promise<Readonly<Record<string, string>>>;
  /** Resolves when the process of the worker has ended, or could not be created. */
  readonly ended: Promise<WorkerEnd>;
  /** Resolves with the value; undefined if the worker ends or does not answer in time. */
  ask(question: Question): Promise<unknown>;
}

const ANSWER_LIMIT_MS = 3_000;

/** Adds questions and answers to a forked worker. */
export function createWorkerHandle(worker: Worker): WorkerHandle {
  const open = new Map<number, (value: unknown) => void>();
  const ready = Promise.withResolvers<Readonly<Record<string, string>>>();
  const ended = Promise.withResolvers<WorkerEnd>();
  let lastId = 0;

  worker.on('message', (message: ToPrimary) => {
    if (message.kind === 'ready') ready.resolve(message.addresses);
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
    async ask(question) {
      if (!worker.isConnected()) return undefined;
      const id = (lastId += 1);
      const answer = Promise.withResolvers<unknown>();
      const timer = setTimeout(answer.resolve, ANSWER_LIMIT_MS);
      open.set(id, answer.resolve);
      worker.send({ kind: 'ask', id, question } satisfies ToWorker);
      return answer.promise.finally(() => {
        clearTimeout(timer);
        open.delete(id);
      });
    },
  };
}
