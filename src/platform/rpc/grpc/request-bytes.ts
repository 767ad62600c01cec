// Bounds the bytes of requests that untrusted connections make the process keep: messages that arrive slowly, and calls that wait for
// their turn. A caller needs no credential for these. Most calls do neither, and are not counted.
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';

export interface RequestBytesLimits {
  readonly perConnection: number;
  readonly perProcess: number;
}

const MIB = 1024 * 1024;

const REQUEST_BYTES_LIMITS: RequestBytesLimits = { perConnection: 8 * MIB, perProcess: 128 * MIB };

/**
 * Counted for each call, beside its bytes: the memory of its stream and its headers as objects takes some 8 kB. A client that sends
 * as many calls at once as a connection can have stays below the limit.
 */
export const CALL_BYTES = 4_096;

/** The bytes that are kept for a call. */
export interface KeptBytes {
  /** Counts further bytes. Ends this call if its connection is over the limit, and calls of the fullest connection if the process is. */
  add(bytes: number): void;
  /** The bytes are not kept any more. */
  release(): void;
}

export type RequestBytes = ReturnType<typeof createRequestBytes>;

interface Connection {
  bytes: number;
  /** Functions that end its calls. */
  readonly ends: Set<() => void>;
}

export function createRequestBytes(limits: RequestBytesLimits = REQUEST_BYTES_LIMITS) {
  const connections = new Map<object, Connection>();
  let total = 0;

  /** A small connection loses nothing because others fill the process. */
  function endFullest(): void {
    let fullest: Connection | undefined;
    for (const connection of connections.values())
      if (fullest === undefined || connection.bytes > fullest.bytes) fullest = connection;
    for (const end of fullest?.ends ?? []) end();
  }

  return {
    /** The bytes that are kept for all calls. */
    get total(): number {
      return total;
    },
    /**
     * Keeps bytes for a call of an untrusted connection until they are released or its stream closes.
     *
     * @param refuse Ends the call, because of a limit.
     */
    keep(stream: ServerHttp2Stream, bytes: number, refuse: () => void): KeptBytes {
      const { session } = stream;
      if (session === undefined || stream.destroyed) return NOTHING_KEPT;
      const connection = connections.get(session) ?? { bytes: 0, ends: new Set() };
      connections.set(session, connection);
      let kept = 0;
      const count = (added: number) => {
        kept += added;
        connection.bytes += added;
        total += added;
      };
      const release = () => {
        if (!connection.ends.delete(end)) return;
        count(-kept);
        if (connection.ends.size === 0) connections.delete(session);
      };
      const end = () => {
        release();
        refuse();
      };
      const add = (added: number) => {
        if (!connection.ends.has(end)) return;
        count(added);
        if (connection.bytes > limits.perConnection) end();
        while (total > limits.perProcess) endFullest();
      };
      connection.ends.add(end);
      stream.once('close', release);
      add(CALL_BYTES + bytes);
      return { add, release };
    },
  };
}

/** Of a buffer, beside its bytes. */
const OBJECT_BYTES = 256;

const keptOf = new WeakMap<ServerHttp2Stream, KeptBytes>();

/** Counts all further bytes of a stream, until it closes or is released. Each part of a message is kept as an object. */
export function keepStream(stream: ServerHttp2Stream, kept: KeptBytes): void {
  keptOf.set(stream, kept);
  stream.on('data', (chunk: Buffer) => kept.add(chunk.length + OBJECT_BYTES));
}

/** Stops counting the bytes of a stream. */
export function releaseStream(stream: ServerHttp2Stream | undefined): void {
  if (stream !== undefined) keptOf.get(stream)?.release();
}

const NOTHING_KEPT: KeptBytes = { add() {}, release() {} };

/** For each header, beside its name and value (RFC 9113 section 6.5.2). */
const HEADER_BYTES = 32;

/** Returns the size of the headers of a call. */
export function sizeOfHeaders(headers: IncomingHttpHeaders): number {
  let bytes = 0;
  for (const name in headers) bytes += HEADER_BYTES + name.length + String(headers[name]).length;
  return bytes;
}
