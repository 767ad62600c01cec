// A worker of app.workers: serves on the shared ports, and gives its metrics and its health to the primary.
import type { Management } from '../management.ts';
import type { Metrics } from '../metrics.ts';
import { MANAGEMENT_URL, type Question, type ToPrimary, type ToWorker } from './messages.ts';

/** Answers the primary instead of opening a management port. */
export function answerPrimary(
  metrics: Pick<Metrics, 'registry'>,
  ready: () => Promise<boolean>,
  stopping: AbortSignal,
): Management {
  const answers: Readonly<Record<Question, () => Promise<unknown>>> = {
    metrics: () => metrics.registry.getMetricsAsJSON(),
    ready: async () => !stopping.aborted && (await ready()),
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

/** Tells the primary that this worker serves. */
export function sendReady(addresses: Readonly<Record<string, string>>): void {
  send({ kind: 'ready', addresses });
}

function send(message: ToPrimary): void {
  // The primary can end at any time. The channel then reports an error, and Node ends the worker.
  process.send?.(message, undefined, undefined, () => {});
}
