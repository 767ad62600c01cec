// The primary process of app.workers: forks the workers, replaces those that end, and serves the management port for all.
import type { Settings } from '../../config/settings.ts';
import { createConnectionLimits } from '../create-connection-limits.ts';
import { serveManagement } from '../management.ts';
import { createMetrics } from '../metrics.ts';
import { logReady, type PrimaryProcess } from '../report-state.ts';
import { createCombinedMetrics, workerMetrics } from './combined-metrics.ts';
import { type Supervisor, createSupervisor } from './supervisor.ts';
import type { Answers } from './worker.ts';

/** Returns flags that give all further workers the free ports that the first one has selected. */
function portFlags(settings: Settings, addresses: Readonly<Record<string, string>>): string[] {
  const flag = (name: 'app.http.port' | 'app.rpc.port', address: string | undefined) => {
    const port = /:(\d+)$/.exec(address ?? '')?.[1];
    return settings[name] === 0 && port !== undefined ? [`--${name}=${port}`] : [];
  };
  return [...flag('app.http.port', addresses['http']), ...flag('app.rpc.port', addresses['rpc'])];
}

/** How much longer than a worker's own delay and grace period the primary waits for it. */
const KILL_DELAY_MS = 500;

type Member = readonly [member: object, metrics: Answers['metrics'] | undefined];

/** Starts the workers and the management port. Resolves when all workers serve. */
export async function startPrimary(running: PrimaryProcess): Promise<void> {
  const { settings, log, logOutput, signal, closing } = running;
  const metrics = createMetrics();
  metrics.watchLog(logOutput);
  const limits = createConnectionLimits({ settings, metrics, log, servers: { http: false, rpc: false } });
  const combined = createCombinedMetrics();
  let supervisor: Supervisor | undefined;
  const count = settings['app.workers'];
  metrics.watch(
    workerMetrics(count, () => ({ count: supervisor?.running.size ?? 0, restarts: supervisor?.restarts ?? 0 })),
  );

  /** One worker that can serve is enough. */
  async function problem(): Promise<string | undefined> {
    const asked = [...(supervisor?.running ?? [])].map((worker) => worker.ask('readiness'));
    const answers = (await Promise.all(asked)).filter((answer) => answer !== undefined);
    const unready = answers.filter((answer) => answer.problem !== undefined);
    return answers.length > unready.length ? undefined : (unready[0]?.problem ?? 'No worker responds');
  }

  async function text(): Promise<string> {
    const workers = [...(supervisor?.running ?? [])].map(async (worker): Promise<Member> => [
      worker,
      await worker.ask('metrics'),
    ]);
    const own: Member = [metrics, await metrics.registry.getMetricsAsJSON()];
    return combined.combine(new Map([own, ...(await Promise.all(workers))]));
  }

  const management = await serveManagement({
    settings,
    metrics: { registry: { contentType: metrics.registry.contentType, metrics: text } },
    problem,
    stopping: signal,
    connections: limits.management,
  });
  closing(management.close);
  const started = createSupervisor({
    count,
    managementUrl: management.url,
    furtherArguments: (addresses) => portFlags(settings, addresses),
    log,
    onExit: combined.retain,
  });
  supervisor = started;
  // A worker ends itself after its grace period, so the primary kills only one that cannot.
  const workerMs = settings['app.process.drain-delay'] + settings['app.shutdown-grace'];
  closing(() => started.stop(workerMs + KILL_DELAY_MS));
  const { addresses, banner } = await unlessAborted(started.start(), signal);
  logReady(running, { ...addresses, workers: count }, banner);
}

/** Rejects with the signal's reason if it aborts first. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    work.then(resolve, reject);
  });
}
