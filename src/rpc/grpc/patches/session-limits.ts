// Limits of a connection that grpc-js 1.14 has no options for: it hands its `commonServerOptions` to Node's HTTP/2 server.
import type { ServerOptions } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/** How many calls of one connection callers may cancel before the server ends the connection (CVE-2023-44487). */
export interface StreamResets {
  /** At once. */
  readonly burst: number;
  /** Per second, over time. */
  readonly rate: number;
}

/** For callers that are known: a busy gateway cancels one call for each client that goes away. */
export const KNOWN_CALLERS: StreamResets = { burst: 100_000, rate: 10_000 };

/** For all others. Node's default, 33 a second, ends the connections of honest callers with short deadlines. */
export const UNKNOWN_CALLERS: StreamResets = { burst: 2_000, rate: 200 };

/**
 * Bytes of a call's metadata with its names and 32 for each pair (RFC 9113 section 6.5.2). Announced, so that clients refuse a
 * call with more themselves; a call with more than 64 kB ends its connection. The largest header of a REST request, 16 kB of
 * bytes beyond ASCII, takes 43 kB here.
 */
export const MAX_METADATA_BYTES = 48 * 1024;

/** Sets the limits of every connection of a server that is not bound yet. */
export function limitSessions(server: Server, { burst, rate }: StreamResets): void {
  const { commonServerOptions } = server as unknown as { readonly commonServerOptions: ServerOptions };
  Object.assign(commonServerOptions, {
    streamResetBurst: burst,
    streamResetRate: rate,
    settings: { ...commonServerOptions.settings, maxHeaderListSize: MAX_METADATA_BYTES },
  });
}
