// The process around core and gateway: start, signals, logs, metrics, management port, connection limits.
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { ConfigurationError, loadSettings } from '../config/load.ts';
import { EXIT_OF_SETTINGS, SettingError } from '../setting-error.ts';
import type { Settings } from '../config/settings.ts';
import { isDefect } from '../errors.ts';
import { sleep } from '../timing.ts';
import { openTracing } from '../tracing/open-tracing.ts';
import type { Tracer, Tracing } from '../tracing/tracer.ts';
import { createLogOutput } from './log-output.ts';
import { createLogger } from './log.ts';
import { assertPortsUsable, listenProblem } from './ports.ts';
import { createReport, isWorker, type Closer, type PrimaryProcess, type Report } from './report-state.ts';
import { tuneThreadPool } from './thread-pool.ts';
import { requestedText, type ServingRole } from './usage.ts';

export interface Process extends PrimaryProcess, Report {
  /** Undefined without app.tracing.otlp-endpoint. */
  readonly tracing: Tracing | undefined;
}

/**
 * Runs a process of this role until SIGTERM or SIGINT. Then it still serves for app.process.drain-delay, and finishes within
 * app.shutdown-grace. With --help or --version it only prints the text.
 */
export async function runProcess(role: ServingRole, start: (running: Process) => Promise<void>): Promise<void> {
  const text = requestedText(role, process.argv.slice(2));
  if (text !== undefined) {
    process.stdout.write(text);
    return;
  }
  tuneRuntime();
  const current: { tracer?: Tracer } = {};
  const { settings, log, logOutput } = configure(role, current);
  const isPrimary = settings['app.workers'] > 1 && !isWorker;
  const closers: Closer[] = [];
  const drainDelayMs = settings['app.process.drain-delay'];
  const stop = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      process.on(name, () => {
        if (stop.signal.aborted) return;
        log.info({ signal: name, drainDelayMs }, 'stopping, open work finishes first');
        stop.abort();
        resolve();
      });
    }
  });
  try {
    const closing = (close: Closer) => void closers.push(close);
    // The primary has checked the ports of its workers.
    if (!isWorker) await assertPortsUsable(role, settings);
    const common = { settings, log, logOutput, signal: stop.signal, closing };
    if (isPrimary) {
      // Loaded here because a single process does not need it.
      const { startPrimary } = await import('./workers/primary.ts');
      await startPrimary(common);
    } else {
      const tracing = await openTracing(settings, log);
      if (tracing) {
        current.tracer = tracing.tracer;
        closing(tracing.close);
      }
      await start({ ...common, ...(await createReport(common)), tracing });
    }
    await stopped;
    // The primary signals its workers at once, and they wait.
    if (!isPrimary) await sleep(drainDelayMs);
  } catch (error) {
    if (!stop.signal.aborted) {
      log.fatal(isDefect(error) ? { err: error } : {}, `the start failed: ${startProblem(error, settings)}`);
      process.exitCode = error instanceof SettingError ? EXIT_OF_SETTINGS : 1;
    }
  }
  await closeAll(closers, settings['app.shutdown-grace'] + (isPrimary ? drainDelayMs + WORKERS_GRACE_MS : 0), log);
  // Ends at once with the signals still handled: one that npm passes on late would kill a process that ends by itself. And the
  // channel to the primary would keep a worker running.
  process.exit();
}

/** Sets the threads and the garbage collection of this process. Works only before the first use of the thread pool. */
function tuneRuntime(): void {
  tuneThreadPool();
  // Collects the old generation when it has doubled. V8's default is up to four times: some 80 MB of garbage.
  setFlagsFromString('--heap-growing-percent=100');
  // V8 learns where objects are created that live long, and allocates further objects from there in the old generation.
  // Here most of them belong to one call. They stay in memory, with all that they refer to, until a full collection.
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** How long the primary waits for its workers after their own grace period. */
const WORKERS_GRACE_MS = 1_000;

/** How long a stopping process waits for the reader of its log. */
const FLUSH_LIMIT_MS = 1_000;

/** @param current Contains the tracer once it exists: the settings that it needs come with the logger. */
function configure(role: ServingRole, current: { tracer?: Tracer }): Pick<Process, 'settings' | 'log' | 'logOutput'> {
  try {
    const { settings, warnings } = loadSettings({
      argv: process.argv.slice(2),
      env: process.env,
      cwd: process.cwd(),
      role,
    });
    const logOutput = createLogOutput((droppedLines) =>
      log.warn({ droppedLines }, 'log lines were dropped because standard output was not read'),
    );
    const log = createLogger({
      level: settings['app.log.level'],
      format: settings['app.log.format'],
      name: settings['app.name'],
      destination: logOutput,
      fields: settings['app.tracing.otlp-endpoint'] === undefined ? undefined : () => traceFields(current.tracer),
    });
    process.once('exit', () => logOutput.flush(FLUSH_LIMIT_MS));
    // The primary has printed them.
    if (!isWorker) for (const warning of warnings) log.warn(warning);
    return { settings, log, logOutput };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_OF_SETTINGS);
  }
}

/** The fields by which a log line is found from its trace. */
function traceFields(tracer: Tracer | undefined): object {
  const span = tracer?.current();
  return span === undefined ? {} : { trace_id: span.traceId };
}

/** The share of the grace period after which calls are cancelled. The rest is for jobs and the database. */
const CALLS_SHARE_OF_GRACE = 0.8;

async function closeAll(closers: Closer[], graceMs: number, log: Logger): Promise<void> {
  const limit = setTimeout(() => {
    log.error({ graceMs }, 'stop did not finish within app.shutdown-grace, exiting now');
    process.exit(1);
  }, graceMs);
  const cutOffAt = performance.now() + graceMs * CALLS_SHARE_OF_GRACE;
  for (const close of closers.toReversed())
    await close(Math.max(cutOffAt - performance.now(), 0)).catch((error: unknown) =>
      log.error({ err: error }, 'a part failed to stop'),
    );
  clearTimeout(limit);
  log.info('stopped');
}

/** Returns why the start failed, with the setting that helps. */
function startProblem(error: unknown, settings: Settings): string {
  const message = error instanceof Error ? error.message : String(error);
  return listenProblem(message, settings) ?? message;
}
