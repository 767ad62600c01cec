import type { Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { listenersOf } from './patches/connections.ts';

/** Minimum time between log lines, in milliseconds. Scanners cause thousands of failures. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Counts and logs failed TLS handshakes of a bound server: no client certificate, an unknown authority, an old TLS
 * version, or plain text.
 *
 * @param count Called for each failure.
 */
export function reportFailedHandshakes(server: Server, log: Logger, count: () => void): void {
  let silentUntil = 0;
  let unlogged = 0;
  for (const listener of listenersOf(server)) {
    listener.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Pick<Socket, 'remoteAddress'>) => {
      count();
      unlogged += 1;
      const now = performance.now();
      if (now < silentUntil) return;
      silentUntil = now + LOG_INTERVAL_MS;
      log.warn({ address: socket.remoteAddress, code: error.code, failures: unlogged }, 'TLS handshake failed');
      unlogged = 0;
    });
  }
}
