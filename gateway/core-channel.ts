import { readFileSync } from 'node:fs';
import type { Settings } from '../src/config/settings.ts';
import { grpcChannel, type GrpcChannel } from '../src/rpc/grpc-client.ts';

/** The connection to a core elsewhere, as the settings app.gateway.* say. */
export function openChannel(target: string, settings: Settings): GrpcChannel {
  const ca = settings['app.gateway.tls.ca'];
  const cert = settings['app.gateway.tls.cert'];
  const key = settings['app.gateway.tls.key'];
  const tls = ca !== undefined || cert !== undefined;
  return grpcChannel({
    target,
    ...(tls && {
      tls: {
        ...(ca !== undefined && { ca: readFileSync(ca) }),
        ...(cert !== undefined && { cert: readFileSync(cert) }),
        ...(key !== undefined && { key: readFileSync(key) }),
      },
    }),
  });
}
