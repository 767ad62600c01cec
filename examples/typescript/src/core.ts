// The connection to the core.
import { readFileSync } from 'node:fs';
import {
  type CallOptions,
  type ChannelOptions,
  type ChannelCredentials,
  credentials,
  type ServiceError,
} from '@grpc/grpc-js';

const { CORE_CA, CORE_CERT, CORE_KEY, CORE_NAME } = process.env;

/** Plain text without a CA, TLS with a CA, and mTLS with a client certificate. */
export const coreCredentials: ChannelCredentials = CORE_CA
  ? credentials.createSsl(
      readFileSync(CORE_CA),
      CORE_KEY ? readFileSync(CORE_KEY) : null,
      CORE_CERT ? readFileSync(CORE_CERT) : null,
    )
  : credentials.createInsecure();

/** Clients with equal options share their connections. */
export const coreOptions: ChannelOptions = {
  // The service config enables round_robin over all addresses and retries of read-only calls.
  'grpc.service_config': readFileSync('service-config.json', 'utf8'),
  // The largest responses exceed the gRPC default of 4 MiB. docs/reference/rpcs.md lists their sizes.
  'grpc.max_receive_message_length': 32 * 1024 * 1024,
  // The name in the core's certificate. It is necessary with TLS and addresses: ipv4:10.0.0.1:50051,10.0.0.2:50051.
  ...(CORE_NAME && { 'grpc.ssl_target_name_override': CORE_NAME, 'grpc.default_authority': CORE_NAME }),
};

/** The deadline of a call. */
export const within = (milliseconds: number): CallOptions => ({ deadline: Date.now() + milliseconds });

type Callback<Response> = (error: ServiceError | null, response: Response) => void;

/** Turns the callback of a call into a promise. */
export function answer<Response>(call: (callback: Callback<Response>) => unknown): Promise<Response> {
  return new Promise((resolve, reject) => {
    call((error, response) => (error ? reject(error) : resolve(response)));
  });
}
