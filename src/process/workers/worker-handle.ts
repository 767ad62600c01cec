import type { Worker } from 'node:cluster';
import type { Question, ToPrimary, ToWorker } from './messages.ts';

/** A worker, as the primary sees it. */
export interface WorkerHandle {
  readonly worker: Worker;
  /** Resolves with the addresses of the worker when it serves. Never, if it ends before. */
  readonly ready: Promise<Readonly<Record<string, string>>>;
  /** Resolves with the value; undefined if the worker ends or does not answer in time. */
  ask(question: Question): Promise<unknown>;
}

const ANSWER_LIMIT_MS = 3_000;

/** Adds questions and answers to a forked worker. */
export function createWorkerHandle(worker: Worker): WorkerHandle {
  const open = new Map<number, (value: unknown) => void>();
  const ready = Promise.withResolvers<Readonly<Record<string, string>>>();
  let lastId = 0;

  worker.on('message', (message: ToPrimary) => {
    if (message.kind === 'ready') ready.resolve(message.addresses);
    else open.get(message.id)?.(message.value);
  });
  worker.on('exit', () => {
    for (const settle of open.values()) settle(undefined);
  });
  // Without a listener, a failed message to a dying worker would end the primary.
  worker.on('error', () => {});

  return {
    worker,
    ready: ready.promise,
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
