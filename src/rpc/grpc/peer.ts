import type { PeerCertificate } from 'node:tls';
import type { Metadata } from '@grpc/grpc-js';
import type { Peer } from '../pipeline/client-address.ts';
import { normaliseAddress } from '../pipeline/client-address.ts';

/** What all four of grpc-js's kinds of server call have in common. */
export interface ServerCall {
  readonly metadata: Metadata;
  readonly cancelled: boolean;
  getPeer(): string;
  getAuthContext(): { readonly sslPeerCertificate?: PeerCertificate };
  getDeadline(): Date | number;
  once(event: 'cancelled', listener: () => void): unknown;
}

/** How a server tells who calls it: everybody on a Unix socket is trusted, on TCP who shows a listed certificate. */
export function peerReader(unixSocket: boolean, trustedGateways: readonly string[]): (call: ServerCall) => Peer {
  // grpc-js calls a peer without an address `unknown`: on TCP that is one who has hung up, never a local one.
  if (unixSocket) return () => ({ address: 'unix', trusted: true });
  const listed = new Set(trustedGateways);
  return (call) => ({
    address: addressOf(call.getPeer()),
    get trusted() {
      return listed.size > 0 && identitiesOf(call).some((identity) => listed.has(identity));
    },
  });
}

/** From `127.0.0.1:50000` or `::1:50000`. */
function addressOf(peer: string): string {
  return normaliseAddress(peer.replace(/:\d+$/, ''));
}

/** By HTTP/2 session: reading a certificate costs as much as the rest of a call, and a session has one for life. */
const identities = new WeakMap<object, readonly string[]>();

function identitiesOf(call: ServerCall): readonly string[] {
  // grpc-js has the session but no way to ask for it; without one, nothing is remembered.
  const session = (call as { readonly call?: { readonly stream?: { readonly session?: object } } }).call?.stream
    ?.session;
  const known = session && identities.get(session);
  if (known !== undefined) return known;
  const read = readIdentities(call);
  if (session !== undefined) identities.set(session, read);
  return read;
}

/** Common name and DNS and URI alternative names of a certificate that the listener's CA has signed. */
function readIdentities(call: ServerCall): readonly string[] {
  const certificate = call.getAuthContext().sslPeerCertificate;
  if (certificate === undefined) return [];
  return [certificate.subject?.CN ?? [], alternativeNames(certificate.subjectaltname ?? '')].flat();
}

/** Node joins the names by `, ` and quotes, as JSON, one that could be mistaken for several. */
function alternativeNames(joined: string): string[] {
  return [...joined.matchAll(/(?:^|, )(DNS|URI|[^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)/g)]
    .filter(([, type]) => type === 'DNS' || type === 'URI')
    .map(([, , name = '']) => (name.startsWith('"') ? (JSON.parse(name) as string) : name));
}
