import { isIPv6 } from 'node:net';

/** Returns the network whose addresses share a limit: an IPv4 address, or the /64 network of an IPv6 client. */
export function networkOf(address: string): string {
  // Only IPv6 addresses have colons; isIPv6 alone runs its long pattern on each IPv4 address.
  if (!address.includes(':') || !isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('%')[0]!.split('::');
  const before = head.split(':').filter(Boolean);
  const after = tail.split(':').filter(Boolean);
  const missing = address.includes('::') ? 8 - before.length - after.length - (address.includes('.') ? 1 : 0) : 0;
  const groups = [...before, ...Array<string>(Math.max(0, missing)).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** Whether a listening address is reachable only from this machine: loopback, or a Unix socket. */
export function staysOnMachine(host: string): boolean {
  return /^(?:unix:.*|localhost|127(?:\.\d+){3}|::1)$/i.test(host);
}
