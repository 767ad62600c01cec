import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { staysOnMachine } from '../formats/network.ts';
import { KNOWN_CALLERS, UNKNOWN_CALLERS } from '../rpc/grpc/patches/session-limits.ts';
import { serveGrpc, type GrpcServer } from '../rpc/grpc/server.ts';
import type { Host } from '../rpc/pipeline/host.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import type { Metrics } from './metrics.ts';

/** Serves a core over gRPC with the settings app.rpc.*. */
export async function serveRpc(
  host: Host,
  settings: Settings,
  log: Logger,
  connections: ConnectionLimit,
  metrics: Pick<Metrics, 'countFailedHandshake' | 'observeCertificates'>,
): Promise<GrpcServer> {
  const cert = settings['app.rpc.tls.cert'];
  const key = settings['app.rpc.tls.key'];
  const clientCa = settings['app.rpc.tls.client-ca'];
  const known = clientCa !== undefined || staysOnMachine(settings['app.rpc.host']);
  const resets = known ? KNOWN_CALLERS : UNKNOWN_CALLERS;
  return serveGrpc(host, {
    host: settings['app.rpc.host'],
    port: settings['app.rpc.port'],
    trustedGateways: settings['app.rpc.trusted-gateways'],
    reflection: settings['app.rpc.reflection'],
    log,
    onFailedHandshake: metrics.countFailedHandshake,
    observeCertificates: metrics.observeCertificates('rpc'),
    guard: (listener) => connections.guard(listener),
    streamResets: {
      burst: settings['app.rpc.stream-reset-burst'] ?? resets.burst,
      rate: settings['app.rpc.stream-reset-rate'] ?? resets.rate,
    },
    tls: cert === undefined || key === undefined ? undefined : { cert, key, clientCa },
  });
}
