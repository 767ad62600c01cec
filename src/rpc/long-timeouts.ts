// Deadlines that lie weeks ahead, as callers set them who mean none. grpc-js counts what is left in 32 bits: more than their
// milliseconds, 596 h, wraps round, and may have passed then.
import type { IncomingHttpHeaders } from 'node:http2';
import type { Server } from '@grpc/grpc-js';
import { listenersOf } from './connections.ts';

const MAX_MS = 2 ** 31 - 1;
const LONGEST = `${Math.floor(MAX_MS / 3_600_000)}H`;
/** The units that can reach so far with their 8 digits, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000 };
const LONG = /(\d{1,8})\s*([HMS])/;

/** Cuts the timeouts of calls to what a server that has been bound can count. */
export function shortenTimeouts(server: Server): void {
  for (const listener of listenersOf(server)) {
    // The server itself reads the same headers after this.
    listener.prependListener('stream', (_stream: unknown, headers: IncomingHttpHeaders) => {
      const [, digits, unit] = LONG.exec(String(headers['grpc-timeout'])) ?? [];
      if (unit !== undefined && Number(digits) * UNITS[unit]! > MAX_MS) headers['grpc-timeout'] = LONGEST;
    });
  }
}
