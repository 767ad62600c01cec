// Where a request comes from: the peer of its connection, or what trusted proxies say in X-Forwarded-For.
import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { CallOptions } from '../../src/rpc/types.ts';

/** Returns whether an address is in one of the networks, each an IP address or a CIDR range. */
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
 * The address of the client as far as it is known. It is shared if it is that of a proxy: one that is not trusted sends
 * X-Forwarded-For, or one that is trusted sends something other than an address.
 */
export function clientAddressOf(request: FastifyRequest): Pick<CallOptions, 'clientAddress' | 'sharedAddress'> {
  // From the peer of the connection to the first hop that is not trusted.
  const hops = (request.ips ?? [request.ip]).map(parseAddress);
  const clientAddress = hops.findLast((address) => address !== undefined);
  const unread = hops.length === 1 && Boolean(request.headers['x-forwarded-for']);
  const sharedAddress = unread || hops.at(-1) === undefined;
  return { ...(clientAddress !== undefined && { clientAddress }), ...(sharedAddress && { sharedAddress }) };
}

const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/;
const IN_BRACKETS = /^\[([^\]]*)\](?::\d{1,5})?$/;

/** The IP address in `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:443`; else undefined. */
function parseAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const host = WITH_PORT.exec(text)?.[1] ?? IN_BRACKETS.exec(text)?.[1] ?? text;
  // Without the zone, which only the machine that wrote it understands.
  const [address = ''] = host.split('%');
  return isIP(address) === 0 ? undefined : address;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
