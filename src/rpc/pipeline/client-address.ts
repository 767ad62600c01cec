import { isIP, isIPv6, SocketAddress } from 'node:net';

/** Who is at the other end of the connection. */
export interface Peer {
  /** Its IP address, or `unix` where it has none. */
  readonly address: string;
  /** Whether its word on the client's address is believed. */
  readonly trusted: boolean;
}

/** The client's address as a peer states it. */
export interface ClaimedAddress {
  readonly clientAddress: string | undefined;
  /** Whether the peer could not find out the client's own address. */
  readonly sharedAddress: boolean;
}

/** What a call knows of its client's address. */
export interface ClientAddress {
  readonly address: string;
  /** Whether other clients may have the same address, because it is that of a proxy or gateway. */
  readonly shared: boolean;
}

/** The client's address: what a trusted peer says, else the peer's own. */
export function clientAddress(peer: Peer, { clientAddress: claimed, sharedAddress }: ClaimedAddress): ClientAddress {
  if (claimed === undefined && !sharedAddress) return { address: peer.address, shared: false };
  // Trust is asked for last: it may cost a look at a certificate.
  if (claimed !== undefined && isIP(claimed) !== 0 && peer.trusted)
    return { address: normaliseAddress(claimed), shared: sharedAddress };
  return { address: peer.address, shared: true };
}

/** One spelling per address: an IPv4 address inside an IPv6 one (RFC 4291 section 2.5.5.2) as itself, without a zone. */
export function normaliseAddress(address: string): string {
  // Only an IPv6 address has colons; asking isIPv6 alone would cost every call of an IPv4 client its long pattern.
  if (!address.includes(':') || !isIPv6(address)) return address;
  const canonical = new SocketAddress({ address: address.split('%')[0]!, family: 'ipv6' }).address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1] ?? canonical;
}
