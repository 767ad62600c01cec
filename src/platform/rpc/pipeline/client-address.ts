import { isIP, isIPv6, SocketAddress } from 'node:net';

/** The other end of the connection. */
export interface Peer {
  /** Its IP address, or `unix` if it has none. */
  readonly address: string;
  /** Whether the client address that it sends is trusted. */
  readonly trusted: boolean;
}

/** The client address that a peer sends. */
export interface ClaimedAddress {
  readonly clientAddress: string | undefined;
  /** Whether the peer does not know the client's own address. */
  readonly sharedAddress: boolean;
}

/** The client address of a call. */
interface ClientAddress {
  readonly address: string;
  /** Whether other clients may share the address, because it belongs to a proxy or gateway. */
  readonly shared: boolean;
}

/** Returns the client address sent by a trusted peer, else the peer's own address. */
export function clientAddress(peer: Peer, { clientAddress: claimed, sharedAddress }: ClaimedAddress): ClientAddress {
  if (claimed === undefined && !sharedAddress) return { address: peer.address, shared: false };
  // Check trust last: it may require reading a certificate.
  if (claimed !== undefined && isIP(claimed) !== 0 && peer.trusted)
    return { address: normaliseAddress(claimed), shared: sharedAddress };
  return { address: peer.address, shared: true };
}

/**
 * Returns the canonical text of an address. An IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) becomes IPv4. Zones
 * are removed.
 */
export function normaliseAddress(address: string): string {
  // Only IPv6 addresses contain colons. This check spares calls of IPv4 clients the long pattern of isIPv6.
  if (!address.includes(':') || !isIPv6(address)) return address;
  const canonical = new SocketAddress({ address: address.split('%')[0]!, family: 'ipv6' }).address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1] ?? canonical;
}
