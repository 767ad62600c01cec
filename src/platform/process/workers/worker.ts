// A worker of app.workers: serves on the shared ports, and gives its metrics and its health to the primary.
import { Server } from 'node:net';
import type { Management } from '../management.ts';
import type { Metrics } from '../metrics.ts';

// Messages between the primary process and its workers, over Node's channel for child processes.

/** The values that the primary asks a worker for. */
export interface Answers {
  readonly metrics: Awaited<ReturnType<Metrics['registry']['getMetricsAsJSON']>>;
  /** Why the worker cannot serve now. */
  readonly readiness: { readonly problem: string | undefined };
}
export type Question = keyof Answers;

export type ToWorker = { readonly kind: 'ask'; readonly id: number; readonly question: Question };

/** Where a worker serves, and the end of readable output. */
export interface Ready {
  readonly addresses: Readonly<Record<string, string>>;
  readonly banner: string | undefined;
}

export type ToPrimary =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | ({ readonly kind: 'ready' } & Ready);

/** Environment variable of a worker: the URL of the primary's management port. */
export const MANAGEMENT_URL = 'AUTHSERVICE_MANAGEMENT_URL';

/** Answers the primary instead of opening a management port. */
export function answerPrimary(
  metrics: Pick<Metrics, 'registry'>,
  problem: () => Promise<string | undefined>,
  stopping: AbortSignal,
): Management {
  const answers: { readonly [Name in Question]: () => Promise<Answers[Name]> } = {
    metrics: () => metrics.registry.getMetricsAsJSON(),
    readiness: async () => ({ problem: stopping.aborted ? 'The worker stops' : await problem() }),
  };
  const answer = ({ id, question }: ToWorker) => {
    void answers[question]().then(
      (value) => send({ kind: 'answer', id, value }),
      () => send({ kind: 'answer', id, value: undefined }),
    );
  };
  process.on('message', answer);
  return {
    url: process.env[MANAGEMENT_URL] ?? '',
    close: async () => void process.off('message', answer),
  };
}

/** Reports to the primary that this worker serves. */
export function sendReady(ready: Ready): void {
  send({ kind: 'ready', ...ready });
}

function send(message: ToPrimary): void {
  // The primary can end at any time. The channel then reports an error, and Node ends the worker.
  process.send?.(message, undefined, undefined, () => {});
}

/**
 * Lets all workers listen on the same TCP ports. The kernel shares out the connections among them. With Node's cluster,
 * the primary would hand over each connection, and one that is handed to a dying worker would stay open unserved.
 */
export function shareTcpPorts(): void {
  const prototype = Server.prototype as { listen(options: unknown, ...rest: unknown[]): Server };
  const { listen } = prototype;
  // grpc-js offers no other way to set an option of its listeners.
  prototype.listen = function (this: Server, options, ...rest) {
    const isTcp = typeof options === 'object' && options !== null && 'port' in options;
    return listen.call(this, isTcp ? { ...options, reusePort: true } : options, ...rest);
  };
}
