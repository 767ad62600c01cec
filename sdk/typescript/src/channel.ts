// The connection to the core.
import { readFileSync } from 'node:fs';
import { Channel, type ChannelOptions, credentials } from '@grpc/grpc-js';
import { type Client, type CompatServiceDefinition, createClientFactory } from 'nice-grpc';
import type { Credential } from './credentials.js';
import { throwCoreErrors } from './errors.js';

/** PEM files. Without `ca`, the authorities of Node are trusted. With `cert` and `key`, the client presents a certificate. */
export interface Tls {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export interface ConnectOptions {
  /** If set, the connection uses TLS. Otherwise it is plain text, for loopback and Unix sockets. */
  readonly tls?: Tls;
  /** The name in the core's certificate, if the target does not contain it. */
  readonly serverName?: string;
  /** What each call sends: `clientCredentials`, `apiKey` or `bearerToken`. Default: nothing. */
  readonly credential?: Credential;
  /** The deadline of calls that are not streams, in milliseconds. Default: 5000. */
  readonly timeoutMs?: number;
  /** Further options of grpc-js. */
  readonly channelOptions?: ChannelOptions;
}

/** A connection pool. A process needs one. */
export interface Core {
  /** Returns the client of a service, for example `client(IdentityServiceDefinition)`. Its errors are of the class CoreError. */
  client<Definition extends CompatServiceDefinition>(definition: Definition): Client<Definition>;
  close(): void;
}

/** The largest responses exceed the gRPC default of 4 MiB. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
const SERVICE_CONFIG = new URL('../../service-config.json', import.meta.url);

interface ServiceConfig {
  readonly methodConfig: { readonly name: object[]; timeout: string }[];
}

/**
 * Connects to cores: `dns:///core.internal:50051`, `ipv4:10.0.0.1:50051,10.0.0.2:50051` or `unix:/run/core.sock`. The calls are
 * distributed over all addresses. Calls that change nothing are repeated if a connection fails.
 */
export function connect(target: string, options: ConnectOptions = {}): Core {
  const { serverName, credential, channelOptions } = options;
  const channel = new Channel(target, channelCredentials(options.tls), {
    'grpc.service_config': serviceConfig(options.timeoutMs),
    'grpc.max_receive_message_length': MAX_RESPONSE_BYTES,
    ...(serverName && { 'grpc.ssl_target_name_override': serverName, 'grpc.default_authority': serverName }),
    ...channelOptions,
  });
  // A middleware that is attached first is the innermost.
  const bare = createClientFactory().use(throwCoreErrors);
  const core: Core = {
    client: (definition) => bare.create(definition, channel),
    close: () => channel.close(),
  };
  if (!credential) return core;
  const factory = bare.use(credential(core));
  return { ...core, client: (definition) => factory.create(definition, channel) };
}

function channelCredentials(tls: Tls | undefined) {
  if (!tls) return credentials.createInsecure();
  const bytes = (pem: string | Buffer | undefined) => (pem === undefined ? null : Buffer.from(pem));
  return credentials.createSsl(bytes(tls.ca), bytes(tls.key), bytes(tls.cert));
}

/** The first entry contains the timeout of all calls but streams, and of the repeated ones the second. */
function serviceConfig(timeoutMs: number | undefined): string {
  const text = readFileSync(SERVICE_CONFIG, 'utf8');
  if (timeoutMs === undefined) return text;
  const config = JSON.parse(text) as ServiceConfig;
  for (const entry of config.methodConfig) if (entry.timeout === '5s') entry.timeout = `${timeoutMs / 1_000}s`;
  return JSON.stringify(config);
}
