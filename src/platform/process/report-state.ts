import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { isReadable } from './log.ts';
import type { LogOutput } from './log-output.ts';
import { type Management, serveManagement } from './management.ts';
import type { Metrics } from './metrics.ts';
import { MANAGEMENT_URL } from './workers/worker.ts';

/**
 * Stops a started part. Parts stop in the reverse order of their start. Open work may take `patienceMs` milliseconds
 * and is then cancelled, so that the remaining parts can stop in order.
 */
export type Closer = (patienceMs: number) => Promise<unknown>;

/** The part of a process that the primary of several workers has too. */
export interface PrimaryProcess {
  readonly settings: Settings;
  readonly log: Logger;
  readonly logOutput: LogOutput;
  /** Aborts when the process gets SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  /** Registers a function that runs when the process stops. */
  closing(close: Closer): void;
}

/** How a process reports its state: over a management port, or as a worker to the primary process. */
export interface Report {
  openManagement(state: {
    readonly metrics: Metrics;
    /** Returns why the process cannot serve now, without secrets; undefined if it can. */
    readonly problem: () => Promise<string | undefined>;
    readonly connections: ConnectionLimit;
  }): Promise<Management>;
  /** Reports that the process serves at these addresses. The banner is the end of readable output. */
  reportReady(addresses: Readonly<Record<string, string>>, banner?: string): void;
}

/** Logs that all is served. Readable output ends with the banner, and JSON stays JSON. */
export function logReady(
  { settings, log, logOutput }: PrimaryProcess,
  addresses: Readonly<Record<string, unknown>>,
  banner = '',
): void {
  log.info(addresses, 'ready');
  if (isReadable({ format: settings['app.log.format'], destination: logOutput })) logOutput.write(banner);
}

/** The problem of a process that does not listen yet. */
export const STARTING = 'The process starts';

/** Whether this process is one of several workers (app.workers). */
export const isWorker = process.env[MANAGEMENT_URL] !== undefined;

export async function createReport(running: PrimaryProcess): Promise<Report> {
  const { settings, log, signal } = running;
  if (!isWorker) {
    return {
      openManagement: (state) => serveManagement({ settings, ...state, stopping: signal }),
      reportReady: (addresses, banner) => logReady(running, addresses, banner),
    };
  }
  // Loaded here because a single process does not need it.
  const { answerPrimary, sendReady, shareTcpPorts } = await import('./workers/worker.ts');
  shareTcpPorts();
  return {
    openManagement: async ({ metrics, problem }) => answerPrimary(metrics, problem, signal),
    reportReady(addresses, banner) {
      log.info(addresses, 'the worker is ready');
      sendReady({ addresses, banner });
    },
  };
}
