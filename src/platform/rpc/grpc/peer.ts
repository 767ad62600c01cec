import type { ServerHttp2Stream } from 'node:http2';
import type { PeerCertificate } from 'node:tls';
import type { Metadata } from '@grpc/grpc-js';
import { type Peer, normaliseAddress } from '../pipeline/client-address.ts';

/** The common part of grpc-js's four kinds of server calls. */
export interface ServerCall {
  readonly metadata: Metadata;
  readonly cancelled: boolean;
  getPeer(): string;
  getAuthContext(): { readonly sslPeerCertificate?: PeerCertificate };
  getDeadline(): Date | number;
  once(event: 'cancelled', listener: () => void): unknown;
}

/** Returns the HTTP/2 stream of a call, which grpc-js does not expose. */
export function streamOf(call: ServerCall): ServerHttp2Stream | undefined {
  return (call as { readonly call?: { readonly stream?: ServerHttp2Stream } }).call?.stream;
}

/**
 * Creates a function that reads the peer of a call. All peers on a Unix socket are trusted; on TCP, peers with a listed
 * certificate.
 */
export function peerReader(unixSocket: boolean, trustedGateways: readonly string[]): (call: ServerCall) => Peer {
  // grpc-js calls a peer without an address `unknown`. On TCP this is a peer that has disconnected, never a local one.
  if (unixSocket) return () => ({ address: 'unix', trusted: true });
  const listed = new Set(trustedGateways);
  return (call) => new TcpPeer(call, listed);
}

class TcpPeer implements Peer {
  readonly address: string;
  readonly #call: ServerCall;
  readonly #listed: ReadonlySet<string>;

  constructor(call: ServerCall, listed: ReadonlySet<string>) {
    this.address = addressOf(call.getPeer());
    this.#call = call;
    this.#listed = listed;
  }

  get trusted(): boolean {
    return this.#listed.size > 0 && identitiesOf(this.#call).some((identity) => this.#listed.has(identity));
  }
}

/** Parses `127.0.0.1:50000` or `::1:50000`. */
function addressOf(peer: string): string {
  return normaliseAddress(peer.replace(/:\d+$/, ''));
}

/** Cached by HTTP/2 session, whose certificate never changes. Reading it costs as much as the rest of a call. */
const identities = new WeakMap<object, readonly string[]>();

function identitiesOf(call: ServerCall): readonly string[] {
  // Without a session, nothing is cached.
  const session = streamOf(call)?.session;
  const known = session && identities.get(session);
  if (known !== undefined) return known;
  const read = readIdentities(call);
  if (session !== undefined) identities.set(session, read);
  return read;
}

/** Returns the common name and the DNS and URI alternative names of a verified client certificate. */
function readIdentities(call: ServerCall): readonly string[] {
  const certificate = call.getAuthContext().sslPeerCertificate;
  if (certificate === undefined) return [];
  return [certificate.subject?.CN ?? [], alternativeNames(certificate.subjectaltname ?? '')].flat();
}

/** Node joins the names with `, ` and quotes ambiguous ones as JSON. */
function alternativeNames(joined: string): string[] {
  return [...joined.matchAll(/(?:^|, )(DNS|URI|[^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)/g)]
    .filter(([, type]) => type === 'DNS' || type === 'URI')
    .map(([, , name = '']) => (name.startsWith('"') ? (JSON.parse(name) as string) : name));
}
