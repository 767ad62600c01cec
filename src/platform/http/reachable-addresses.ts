// The addresses that the service connects to for others: a URL of a tenant must not reach what only this machine or its network can
// (server-side request forgery).
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** Ranges of IPv6 whose last 32 bits are an IPv4 address: the connection ends there (RFC 4291 section 2.5.5.2, RFC 6052 section 2.1). */
const EMBEDDING = ['::ffff:0:0/96', '64:ff9b::/96'].map((range) => ipaddr.parseCIDR(range));
/** All global unicast addresses that IANA gives out (RFC 4291 section 2.4). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

const isWithin = (address: Address, network: Network): boolean =>
  address.kind() === network[0].kind() && address.match(network);

/** ipaddr.js takes the dotted `::192.0.2.1` for `::ffff:192.0.2.1`. Returns IPv6 addresses in hexadecimal groups only. */
const withoutDots = (text: string): string =>
  isIP(text) === 6 ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;

/** Returns the IPv4 address that an IPv6 address embeds, else the address itself. */
function endOf(address: Address): Address {
  return EMBEDDING.some((range) => isWithin(address, range))
    ? new ipaddr.IPv4(address.toByteArray().slice(-4))
    : address;
}

/** Globally reachable unicast addresses (IANA's registries of special-purpose addresses, RFC 6890). */
function isGlobal(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, GLOBAL_UNICAST));
}

/**
 * Creates a function that returns whether the service may connect to an IP address for a tenant: it is globally reachable, or in one
 * of the allowed networks. An embedded IPv4 address is judged itself.
 *
 * @param allowedNetworks addresses and CIDR ranges
 */
export function createReachableAddresses(allowedNetworks: readonly string[]): (address: string) => boolean {
  const allowed = allowedNetworks.map(parseNetwork);
  return (text) => {
    if (isIP(text) === 0 || text.includes('%')) return false;
    const address = ipaddr.parse(withoutDots(text));
    const end = endOf(address);
    return isGlobal(end) || allowed.some((network) => isWithin(address, network) || isWithin(end, network));
  };
}

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128] as Network;
}
