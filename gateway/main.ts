// Entry point of the gateway. The core runs in the same process (`npm run dev`, `npm start`) or remotely (`npm run gateway`).
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { ConnectionLimit } from '../src/platform/process/connection-limit.ts';
import { type Process, runProcess } from '../src/platform/process/lifecycle.ts';
import { type Metrics, createMetrics } from '../src/platform/process/metrics.ts';
import { localClient } from '../src/platform/rpc/local/client.ts';
import { createConnectionLimits } from '../src/platform/process/create-connection-limits.ts';
import { loadModules } from '../src/composition/load-modules.ts';
import { openCore } from '../src/composition/server.ts';
import { createOutageWatch } from '../src/platform/process/outage-watch.ts';
import { STARTING } from '../src/platform/process/report-state.ts';
import { serveRpc } from '../src/platform/process/serve-rpc.ts';
import { buildApp } from './app.ts';
import { devBanner } from './dev/banner.ts';
import { readBrand } from './pages/brand.ts';
import { consoleUrl } from './pages/pages.ts';
import type { Demo } from './dev/start-page.ts';
import { type Clients, type Connect, connectClients } from './clients.ts';
import { findCoreProblem } from './root/core-problem.ts';
import { createHttpMetrics } from './metrics.ts';
import { traceClients } from './trace-clients.ts';
import type { Settings } from '../src/platform/config/settings.ts';
import { ownDescriptors, readOnlyMethods } from '../src/platform/rpc/contract/descriptors.ts';
import { type ClientTls, type GrpcChannel, grpcChannel } from '../src/platform/rpc/grpc/client.ts';

interface ConnectedCore {
  /** Returns why the core of this process cannot serve now. Undefined for a remote core. */
  readonly problem?: () => Promise<string | undefined>;
  readonly connect: Connect;
  readonly address: string;
  readonly demo: Demo | undefined;
}

await runProcess('all', async (running) => {
  const { settings, log, logOutput, tracing, closing } = running;
  const metrics = createMetrics();
  metrics.watchLog(logOutput);
  if (tracing) metrics.watchTracing(tracing);
  const rpcServed = settings['app.gateway.core'] === 'local' && settings['app.rpc.enabled'];
  const limits = createConnectionLimits({ settings, metrics, log, servers: { http: true, rpc: rpcServed } });
  // Set once REST listens: a balancer sends requests as soon as the process is ready.
  let check: (() => Promise<string | undefined>) | undefined;
  const problem = async () => (check ? check() : STARTING);
  const management = await running.openManagement({ metrics, problem, connections: limits.management });
  closing(management.close);

  await loadModules(settings);
  // A wrong logo ends the start before the core writes anything.
  await readBrand(settings);
  const core = await connectCore(running, metrics, limits.rpc);
  const clients = connectClients(core.connect);
  const app = await buildApp({
    settings,
    clients,
    log,
    metrics: createHttpMetrics(metrics.registry),
    tracer: tracing?.tracer,
    stopping: running.signal,
    guard: limits.http.guard,
    ...(settings['app.env'] === 'DEV' && { dev: { management: management.url, demo: core.demo } }),
  });
  const url = await app.listen({ host: settings['app.http.host'], port: settings['app.http.port'] });
  closing((patienceMs) => closeApp(app, patienceMs));
  check = core.problem ?? watchCore(core.address, clients, running);
  reportConsole(settings, url, log);
  const banner = settings['app.env'] === 'DEV' ? devBanner(settings, { url, rpc: core.address }, core.demo) : undefined;
  running.reportReady({ http: url, rpc: core.address, management: management.url }, banner);
});

/** Logs where administrators find the console. The banner of DEV shows it, too. */
function reportConsole(settings: Settings, url: string, log: Logger): void {
  if (settings['app.env'] === 'DEV') return;
  const address = consoleUrl(settings, url);
  if (address !== undefined) log.info({ console: address }, 'the console is served; app.http.pages=false turns it off');
  else if (!settings['app.http.pages'])
    log.info('the console is not served; app.public-url with https, or app.http.pages=true, turns it on');
}

/** Stops accepting connections and waits for requests in progress. After `patienceMs` it closes their connections. */
async function closeApp(app: FastifyInstance, patienceMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), patienceMs);
  await app.close();
  clearTimeout(timer);
}

async function connectCore(running: Process, metrics: Metrics, connections: ConnectionLimit): Promise<ConnectedCore> {
  const { settings, log, tracing, signal, closing } = running;
  const target = settings['app.gateway.core'];
  if (target !== 'local') {
    const channel = createChannel(target, settings, log, metrics.observeCertificates('gateway'));
    closing(async () => channel.close());
    const connect = tracing ? traceClients(channel.client, tracing.tracer) : channel.client;
    return { connect, address: target, demo: undefined };
  }
  const core = await openCore({ settings, log, signal, observe: metrics.observeRpc, tracer: tracing?.tracer });
  closing(core.close);
  metrics.watchCleanup(core.cleanup);
  metrics.watch(core.metrics);
  const connect: Connect = (definition) => localClient(core.host, definition);
  if (!settings['app.rpc.enabled']) return { connect, address: 'off', demo: core.demo, problem: core.problem };
  const rpc = await serveRpc(core.host, settings, log, connections, metrics);
  closing(rpc.close);
  return { connect, address: rpc.address, demo: core.demo, problem: core.problem };
}

/** Logs outages of a remote core. Returns the check whether it can be used. */
function watchCore(address: string, clients: Clients, { log, closing }: Process): () => Promise<string | undefined> {
  const outages = createOutageWatch({ name: `the core ${address}`, probe: () => findCoreProblem(clients), log });
  closing(async () => outages.close());
  return outages.check;
}

/** Creates the gRPC channel to a remote core. TLS follows the settings `app.gateway.tls.*`. */
function createChannel(
  target: string,
  settings: Settings,
  log: Logger,
  observe: NonNullable<ClientTls['observe']>,
): GrpcChannel {
  const ca = settings['app.gateway.tls.ca'];
  const cert = settings['app.gateway.tls.cert'];
  const key = settings['app.gateway.tls.key'];
  const tls = ca !== undefined || cert !== undefined;
  return grpcChannel({
    target,
    tls: tls ? { ca, cert, key, log, observe } : undefined,
    readOnlyMethods: readOnlyMethods(ownDescriptors()),
  });
}
