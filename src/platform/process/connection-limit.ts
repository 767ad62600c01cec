// Limits the open connections of a server, by client network and in total.
import { BlockList, isIPv6, type Server, type Socket } from 'node:net';
import { networkOf } from '../formats/network.ts';
import { normaliseAddress } from '../rpc/pipeline/client-address.ts';

/** The limit that a refused connection would have exceeded. */
export type ConnectionBound = 'address' | 'total';

export type ConnectionLimit = ReturnType<typeof createConnectionLimit>;

export function createConnectionLimit(options: {
  /** Maximum number of open connections. */
  readonly total: number;
  /** Maximum number of open connections of one IPv4 address or IPv6 /64. */
  readonly perAddress: number;
  /** Whether `perAddress` does not apply to an address, because many clients share it. */
  readonly isExempt: (address: string) => boolean;
  readonly onRefused: (bound: ConnectionBound, address: string) => void;
}) {
  const byNetwork = new Map<string, number>();
  let open = 0;

  function exceededBound(address: string, network: string): ConnectionBound | undefined {
    if (open >= options.total) return 'total';
    return (byNetwork.get(network) ?? 0) >= options.perAddress && !options.isExempt(address) ? 'address' : undefined;
  }

  function count(network: string, step: 1 | -1): void {
    open += step;
    const left = (byNetwork.get(network) ?? 0) + step;
    if (left === 0) byNetwork.delete(network);
    else byNetwork.set(network, left);
  }

  return {
    /** The number of open connections. */
    get open() {
      return open;
    },
    /**
     * Refuses connections of a server beyond the limits. Call it after adding all listeners for connections.
     *
     * @param refuse Closes a refused connection. Default: at once.
     */
    guard(server: Server, refuse = (socket: Socket): unknown => socket.destroy()): void {
      const listeners = server.listeners('connection');
      server.removeAllListeners('connection');
      server.on('connection', (socket: Socket) => {
        // A Unix socket has no address.
        const address = socket.remoteAddress === undefined ? '' : normaliseAddress(socket.remoteAddress);
        const network = networkOf(address);
        const bound = exceededBound(address, network);
        if (bound !== undefined) {
          options.onRefused(bound, address);
          // An error of a disconnected peer is not a server error.
          refuse(socket.on('error', () => {}));
          return;
        }
        count(network, 1);
        socket.once('close', () => count(network, -1));
        for (const listener of listeners) listener.call(server, socket);
      });
    },
  };
}

/**
 * Returns a function that checks whether many clients share an address: this machine, Unix sockets, and the given IP
 * addresses and CIDR ranges.
 */
export function sharedAddresses(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of ['127.0.0.0/8', '::1', ...networks]) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => address === '' || list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
