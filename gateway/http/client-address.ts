// The client's address: the peer of the connection, or the address in X-Forwarded-For if the peer is a trusted proxy.
import { BlockList, isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { CallOptions } from '../../src/platform/rpc/types.ts';

/** Creates a function that returns whether an address is in one of the networks. Each is an IP address or a CIDR range. */
export function proxyCheck(networks: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) trusted.addAddress(address, familyOf(address));
    else trusted.addSubnet(address, Number(bits), familyOf(address));
  }
  return (text) => {
    const address = parseAddress(text);
    return address !== undefined && trusted.check(address, familyOf(address));
  };
}

/**
 * Returns the client's address, if it can be determined. `sharedAddress` means that it is the address of an untrusted peer that sends
 * X-Forwarded-For. If a trusted proxy sends a text that is not an address, its client counts as the proxy: otherwise, a client in a
 * trusted network could send such a text to have no limit.
 */
export function clientAddressOf(request: FastifyRequest): Pick<CallOptions, 'clientAddress' | 'sharedAddress'> {
  // From the peer of the connection to the first hop that is not a trusted proxy.
  const hops = (request.ips ?? [request.ip]).map(parseAddress);
  const clientAddress = hops.findLast((address) => address !== undefined);
  const sharedAddress = hops.length === 1 && Boolean(request.headers['x-forwarded-for']);
  return { ...(clientAddress !== undefined && { clientAddress }), ...(sharedAddress && { sharedAddress }) };
}

const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/;
const IN_BRACKETS = /^\[([^\]]*)\](?::\d{1,5})?$/;

/** Parses `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:443`. Undefined for other texts. */
function parseAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  // Most are an address and nothing else. Only IPv6 has zones.
  if (isIPv4(text)) return text;
  const host = WITH_PORT.exec(text)?.[1] ?? IN_BRACKETS.exec(text)?.[1] ?? text;
  // Without the IPv6 zone, which has a meaning only on the machine that wrote it.
  const [address = ''] = host.split('%');
  return isIP(address) === 0 ? undefined : address;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
