import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Settings } from './config/settings.ts';
import { serveGrpc, type GrpcServer } from './rpc/grpc-server.ts';
import type { Host } from './rpc/host.ts';

/** Serves a core over gRPC as the settings app.rpc.* say. */
export function serveRpc(host: Host, settings: Settings, log: Logger): Promise<GrpcServer> {
  const certificate = settings['app.rpc.tls.cert'];
  const key = settings['app.rpc.tls.key'];
  const clientCa = settings['app.rpc.tls.client-ca'];
  return serveGrpc(host, {
    host: settings['app.rpc.host'],
    port: settings['app.rpc.port'],
    trustedGateways: settings['app.rpc.trusted-gateways'],
    log,
    ...(certificate !== undefined &&
      key !== undefined && {
        tls: {
          cert: readFileSync(certificate),
          key: readFileSync(key),
          ...(clientCa !== undefined && { clientCa: readFileSync(clientCa) }),
        },
      }),
  });
}
