// POST requests to URLs that tenants chose.
import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createReachableAddresses } from './reachable-addresses.ts';
import { createResolveHost, type HostAddress, type ResolveHost } from './resolve-host.ts';

/** A request. The URL has passed {@link outsideUrlProblem}. */
export interface OutsideRequest {
  readonly url: string;
  /** The tenant that chose the URL. Many slow names of one do not delay those of others. */
  readonly owner: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Ends the request early: for a process that stops. */
  readonly signal?: AbortSignal;
  /** Limit of this request. Default: that of all. */
  readonly timeLimitMs?: number | undefined;
}

/**
 * The outcome of a request. `body` is the beginning of the response's, which the owner of the URL can see: an address that is not global
 * is only connected to if the operator allows it.
 */
export type OutsideResponse =
  | { readonly kind: 'answered'; readonly status: number; readonly body: Buffer }
  /** `error` is for the owner of the URL. */
  | { readonly kind: 'failed'; readonly error: string };

export interface PostOutside {
  post(request: OutsideRequest): Promise<OutsideResponse>;
  /** Closes idle connections. */
  close(): void;
}

interface PostOutsideOptions {
  /** Addresses and CIDR ranges that are not global, and may be connected to nevertheless. */
  readonly allowedNetworks: readonly string[];
  /** Limit of the whole request, in ms: name servers, connection, TLS, request and response. */
  readonly timeLimitMs: number;
  /** Default: with few look-ups at the same time. */
  readonly resolveHost?: ResolveHost;
  /** Certificates of authorities that are trusted, PEM. Default: those of Node. */
  readonly ca?: string;
}

/** Idle connections are kept this long for the next request to the same host. */
const IDLE_MS = 4_000;
const MAX_IDLE_CONNECTIONS = 256;
/** The body of a response is read as far as this, so that the connection can be used again. */
const MAX_RESPONSE_BYTES = 4_096;
/** The body is not waited for longer. A receiver could otherwise collect open connections, one for each request. */
const BODY_LIMIT_MS = 1_000;
const MAX_HEADER_BYTES = 8_192;

const NOT_ALLOWED = 'no address of the host is global, and app.webhooks.allowed-networks does not contain one';

/** Creates a function that sends requests, and follows no redirect. The addresses of the host are judged at each connection. */
export function createPostOutside(options: PostOutsideOptions): PostOutside {
  const { allowedNetworks, timeLimitMs, resolveHost = createResolveHost(), ca } = options;
  const isReachable = createReachableAddresses(allowedNetworks);
  const agentOptions = {
    keepAlive: true,
    timeout: IDLE_MS,
    maxFreeSockets: MAX_IDLE_CONNECTIONS,
    maxSockets: Infinity,
  };
  const agents = {
    'http:': new HttpAgent(agentOptions),
    'https:': new HttpsAgent({ ...agentOptions, ...(ca && { ca }) }),
  };

  const addressesOf = async (host: string, owner: string): Promise<readonly HostAddress[]> => {
    const reachable = (await resolveHost(host, owner)).filter(({ address }) => isReachable(address));
    if (reachable.length === 0) throw new Error(NOT_ALLOWED);
    return reachable;
  };
  // Node connects to what this returns and to nothing else, so the name cannot resolve differently afterwards.
  const createLookup =
    (owner: string): LookupFunction =>
    (host, { all }, callback) => {
      addressesOf(host, owner).then(
        (addresses) =>
          all ? callback(null, [...addresses]) : callback(null, addresses[0]!.address, addresses[0]!.family),
        (error: NodeJS.ErrnoException) => callback(error, ''),
      );
    };

  async function send(request: OutsideRequest, signal: AbortSignal): Promise<OutsideResponse> {
    const url = new URL(request.url);
    // Node looks no IP address up.
    const literal = /^\[.*\]$|^[\d.]+$/.test(url.hostname) ? url.hostname.replace(/^\[|\]$/g, '') : undefined;
    if (literal !== undefined && !isReachable(literal)) throw new Error(NOT_ALLOWED);
    const isTls = url.protocol === 'https:';
    const { promise, resolve, reject } = Promise.withResolvers<OutsideResponse>();
    const outgoing: ClientRequest = (isTls ? requestHttps : requestHttp)(url, {
      method: 'POST',
      agent: agents[isTls ? 'https:' : 'http:'],
      lookup: createLookup(request.owner),
      headers: { ...request.headers, 'content-length': request.body.length },
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    });
    let isAnswered = false;
    outgoing.on('error', (error) => {
      if (!isAnswered) reject(Object.assign(error, { canRepeat: outgoing.reusedSocket }));
    });
    // Without a listener, Node closes the connection and reports nothing.
    outgoing.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ kind: 'answered', status: response.statusCode!, body: Buffer.alloc(0) });
    });
    outgoing.on('close', () => {
      if (!isAnswered) reject(new Error('the connection was closed'));
    });
    outgoing.on('response', (response) => {
      isAnswered = true;
      finish(response, (body) => resolve({ kind: 'answered', status: response.statusCode!, body }));
    });
    outgoing.end(request.body);
    return promise;
  }

  return {
    async post(request) {
      const limitMs = request.timeLimitMs ?? timeLimitMs;
      const limit = AbortSignal.timeout(limitMs);
      const signal = request.signal ? AbortSignal.any([limit, request.signal]) : limit;
      try {
        return await send(request, signal).catch((error: unknown) => {
          // The receiver has closed an idle connection meanwhile.
          if (hasClosedIdle(error)) return send(request, signal);
          throw error;
        });
      } catch (error) {
        return {
          kind: 'failed',
          error: limit.aborted ? `no response within ${limitMs / 1000} s` : messageOf(error),
        };
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/**
 * Reads a short body to its end, so that the connection can be used again. Closes the connection of a longer or slow one. Then calls `done`
 * with what was read.
 */
function finish(response: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const limit = setTimeout(() => response.destroy(), BODY_LIMIT_MS);
  response.on('close', () => {
    clearTimeout(limit);
    done(Buffer.concat(chunks));
  });
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > MAX_RESPONSE_BYTES) response.destroy();
  });
  response.on('error', () => {});
}

const hasClosedIdle = (error: unknown): boolean => {
  const { code, canRepeat } = error as { code?: string; canRepeat?: boolean };
  return canRepeat === true && (code === 'ECONNRESET' || code === 'EPIPE');
};

/** The code of a system's error says enough; its message can name an address of the deployment's network. */
function messageOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? code : String(message);
}
