import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import { TLSSocket } from 'node:tls';
import { type Peer, normaliseAddress } from '../pipeline/client-address.ts';

/** Reads the peer of a call from its stream. */
export type PeerOf = (stream: ServerHttp2Stream | undefined) => Peer;

const LOCAL: Peer = { address: 'unix', trusted: true };

/** A peer on TCP that has disconnected. */
const GONE: Peer = { address: 'unknown', trusted: false };

/**
 * Creates a function that reads the peer of a call. All peers on a Unix socket are trusted; on TCP, peers with a listed
 * certificate.
 */
export function peerReader(unixSocket: boolean, trustedGateways: readonly string[]): PeerOf {
  if (unixSocket) return () => LOCAL;
  const listed = new Set(trustedGateways);
  // Neither address nor certificate of a connection change. Reading them costs as much as the rest of a call.
  const known = new WeakMap<Http2Session, Peer>();
  return (stream) => {
    const session = stream?.session;
    if (session === undefined || session.destroyed) return GONE;
    let peer = known.get(session);
    if (peer === undefined) known.set(session, (peer = new TcpPeer(session, listed)));
    return peer;
  };
}

class TcpPeer implements Peer {
  readonly address: string;
  readonly #session: Http2Session;
  readonly #listed: ReadonlySet<string>;
  #trusted: boolean | undefined;

  constructor(session: Http2Session, listed: ReadonlySet<string>) {
    this.address = normaliseAddress(session.socket.remoteAddress ?? GONE.address);
    this.#session = session;
    this.#listed = listed;
  }

  get trusted(): boolean {
    return (this.#trusted ??=
      this.#listed.size > 0 && identitiesOf(this.#session).some((identity) => this.#listed.has(identity)));
  }
}

/** Returns the common name and the DNS and URI alternative names of a verified client certificate. */
function identitiesOf({ socket, destroyed }: Http2Session): readonly string[] {
  if (destroyed || !(socket instanceof TLSSocket) || !socket.authorized) return [];
  // Node returns an empty object if the peer has none.
  const { subject, subjectaltname } = socket.getPeerCertificate();
  return [subject?.CN ?? [], alternativeNames(subjectaltname ?? '')].flat();
}

/** Node joins the names with `, ` and quotes ambiguous ones as JSON. */
function alternativeNames(joined: string): string[] {
  return [...joined.matchAll(/(?:^|, )(DNS|URI|[^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)/g)]
    .filter(([, type]) => type === 'DNS' || type === 'URI')
    .map(([, , name = '']) => (name.startsWith('"') ? (JSON.parse(name) as string) : name));
}
