// The core alone, over gRPC: `npm run core`.
import { runProcess } from './platform/process/lifecycle.ts';
import { createMetrics } from './platform/process/metrics.ts';
import { createConnectionLimits } from './platform/process/create-connection-limits.ts';
import { STARTING } from './platform/process/report-state.ts';
import { openCore, type Core } from './composition/server.ts';
import { serveRpc } from './platform/process/serve-rpc.ts';

await runProcess(
  'core',
  async ({ settings, log, logOutput, tracing, signal, closing, openManagement, reportReady }) => {
    const metrics = createMetrics();
    metrics.watchLog(logOutput);
    if (tracing) metrics.watchTracing(tracing);
    const limits = createConnectionLimits({ settings, metrics, log, servers: { http: false, rpc: true } });
    // Set once gRPC listens.
    let serving: Core | undefined;
    const problem = async () => (serving ? serving.problem() : STARTING);
    const management = await openManagement({ metrics, problem, connections: limits.management });
    closing(management.close);
    const core = await openCore({ settings, log, signal, observe: metrics.observeRpc, tracer: tracing?.tracer });
    closing(core.close);
    metrics.watchCleanup(core.cleanup);
    metrics.watch(core.metrics);
    const rpc = await serveRpc(core.host, settings, log, limits.rpc, metrics);
    closing(rpc.close);
    serving = core;
    reportReady({ rpc: rpc.address, management: management.url });
  },
);
