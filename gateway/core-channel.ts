import type { Logger } from 'pino';
import type { Settings } from '../src/platform/config/settings.ts';
import { ownDescriptors } from '../src/platform/rpc/contract/descriptors.ts';
import { readOnlyMethods } from '../src/platform/rpc/contract/read-only-methods.ts';
import { grpcChannel, type ClientTls, type GrpcChannel } from '../src/platform/rpc/grpc/client.ts';

/** Creates the gRPC channel to a remote core. TLS follows the settings `app.gateway.tls.*`. */
export function createChannel(
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
