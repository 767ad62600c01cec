// A core that responds as a test says, by the real protos.
import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { handleUnaryCall } from '@grpc/grpc-js';

export interface BusyCore {
  readonly address: string;
  /** When each GetMe arrived, in milliseconds. */
  readonly arrivals: readonly number[];
  close(): void;
}

/** Answers GetMe by UNAVAILABLE with each of these as `grpc-retry-pushback-ms`, then by success. */
export async function startBusyCore(pushbacks: readonly string[]): Promise<BusyCore> {
  const arrivals: number[] = [];
  const issueToken: handleUnaryCall<unknown, unknown> = (_, respond) =>
    respond(null, { accessToken: 'token', expiresIn: 300 });
  const getMe: handleUnaryCall<unknown, unknown> = (_, respond) => {
    const pushback = pushbacks[arrivals.length];
    arrivals.push(performance.now());
    if (pushback === undefined) return respond(null, {});
    const metadata = new Metadata();
    metadata.set('grpc-retry-pushback-ms', pushback);
    respond({ code: status.UNAVAILABLE, details: 'busy', metadata });
  };
  const server = new Server();
  server.addService(ClientCredentialsServiceService, { issueToken });
  server.addService(IdentityServiceService, { getMe });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
  return { address: `dns:///127.0.0.1:${port}`, arrivals, close: () => server.forceShutdown() };
}
