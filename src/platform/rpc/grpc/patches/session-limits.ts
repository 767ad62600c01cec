// Connection limits without an option in grpc-js 1.14, which passes its `commonServerOptions` to Node's HTTP/2 server.
import type { ServerOptions } from 'node:http2';
import type { Server } from '@grpc/grpc-js';
import { type PrivateUse, privateMembers } from '../../../private-members.ts';

/** How many calls a connection may cancel before the server closes it (CVE-2023-44487). */
export interface StreamResets {
  /** Number of cancellations allowed at once. */
  readonly burst: number;
  /** Number of cancellations allowed per second over time. */
  readonly rate: number;
}

/** For known callers: a busy gateway cancels one call for each client that disconnects. */
export const KNOWN_CALLERS: StreamResets = { burst: 100_000, rate: 10_000 };

/**
 * For all other callers. Node's default, 33 per second, would close connections of normal callers with short deadlines.
 */
export const UNKNOWN_CALLERS: StreamResets = { burst: 2_000, rate: 200 };

/**
 * Maximum size of a call's metadata in bytes: names, values and 32 for each pair (RFC 9113 section 6.5.2). It is
 * announced, so clients refuse larger calls themselves. A call with more than 64 kB ends its connection. The largest
 * header of a REST request, 16 kB of non-ASCII bytes, takes 43 kB here.
 */
export const MAX_METADATA_BYTES = 48 * 1024;

const OPTIONS: PrivateUse = {
  library: '@grpc/grpc-js',
  without: 'cancelled calls and metadata have the limits of Node',
};

/** Sets the limits for every connection of a server. Call it before binding the server. */
export function limitSessions(server: Server, { burst, rate }: StreamResets): void {
  type Configured = { readonly commonServerOptions: ServerOptions };
  const commonServerOptions = privateMembers<Configured>(server, ['commonServerOptions'], OPTIONS)?.commonServerOptions;
  if (commonServerOptions === undefined) return;
  Object.assign(commonServerOptions, {
    streamResetBurst: burst,
    streamResetRate: rate,
    settings: { ...commonServerOptions.settings, maxHeaderListSize: MAX_METADATA_BYTES },
  });
}
