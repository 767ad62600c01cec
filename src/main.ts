// The core alone, over gRPC: `npm run core`.
import { runProcess } from './lifecycle.ts';
import { serveManagement } from './management.ts';
import { createMetrics } from './metrics.ts';
import { openCore, type Core } from './server.ts';
import { serveRpc } from './serve-rpc.ts';

await runProcess('core', async ({ settings, log, signal, closing }) => {
  const metrics = createMetrics();
  let core: Core | undefined;
  const ready = async () => (await core?.ready()) ?? false;
  const management = await serveManagement({ settings, metrics, ready, stopping: signal });
  closing(management.close);
  core = await openCore({ settings, log, signal, observe: metrics.observeRpc });
  closing(core.close);
  metrics.watchCleanUp(core.cleanUp);
  const rpc = await serveRpc(core.host, settings, log);
  closing(rpc.close);
  log.info({ rpc: rpc.address, management: management.url }, 'the core is ready');
});
