import { isIP } from 'node:net';

/** Who is at the other end of the connection. */
export interface Peer {
  /** Its IP address, or `unix` where it has none. */
  readonly address: string;
  /** Whether its word on the client's address is believed. */
  readonly trusted: boolean;
}

/** The client's address: what a trusted peer says, else the peer's own. */
export function clientAddress(peer: Peer, claimed: string | undefined): string {
  // Trust is asked for last: it may cost a look at a certificate.
  return claimed !== undefined && isIP(claimed) !== 0 && peer.trusted ? normaliseAddress(claimed) : peer.address;
}

/** An IPv4 address that travels inside an IPv6 one (RFC 4291 section 2.5.5.2) as itself. */
export function normaliseAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
