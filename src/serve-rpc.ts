import type { Logger } from 'pino';
import type { Settings } from './config/settings.ts';
import { serveGrpc, type GrpcServer } from './rpc/grpc-server.ts';
import type { Host } from './rpc/host.ts';

/** Serves a core over gRPC as the settings app.rpc.* say. */
export async function serveRpc(host: Host, settings: Settings, log: Logger): Promise<GrpcServer> {
  const cert = settings['app.rpc.tls.cert'];
  const key = settings['app.rpc.tls.key'];
  const clientCa = settings['app.rpc.tls.client-ca'];
  return serveGrpc(host, {
    host: settings['app.rpc.host'],
    port: settings['app.rpc.port'],
    trustedGateways: settings['app.rpc.trusted-gateways'],
    reflection: settings['app.rpc.reflection'],
    log,
    tls: cert === undefined || key === undefined ? undefined : { cert, key, clientCa },
  });
}
