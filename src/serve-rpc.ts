import type { Logger } from 'pino';
import type { Settings } from './config/settings.ts';
import { serveGrpc } from './rpc/grpc-server.ts';
import type { Host } from './rpc/host.ts';

export interface RpcServer {
  /** What a client takes for its target. */
  readonly address: string;
  /** Takes no more calls, lets those under way end, and cuts them off in time for the rest of app.shutdown-grace. */
  close(): Promise<void>;
}

/** What is left for jobs and the database to end in, when calls have to be cut off. */
const CALLS_SHARE_OF_GRACE = 0.8;

/** Serves a core over gRPC as the settings app.rpc.* say. */
export async function serveRpc(host: Host, settings: Settings, log: Logger): Promise<RpcServer> {
  const cert = settings['app.rpc.tls.cert'];
  const key = settings['app.rpc.tls.key'];
  const clientCa = settings['app.rpc.tls.client-ca'];
  const { address, close } = await serveGrpc(host, {
    host: settings['app.rpc.host'],
    port: settings['app.rpc.port'],
    trustedGateways: settings['app.rpc.trusted-gateways'],
    reflection: settings['app.rpc.reflection'],
    log,
    tls: cert === undefined || key === undefined ? undefined : { cert, key, clientCa },
  });
  return { address, close: () => close(settings['app.shutdown-grace'] * CALLS_SHARE_OF_GRACE) };
}
