// Bounds of the open connections of a server, by client network and in all.
import { BlockList, isIPv6 } from 'node:net';
import type { Server, Socket } from 'node:net';
import { networkOf } from '../formats/network.ts';
import { normaliseAddress } from '../rpc/pipeline/client-address.ts';

/** Which bound a refused connection would have exceeded. */
export type ConnectionBound = 'address' | 'total';

export interface ConnectionLimitOptions {
  /** Most open connections. */
  readonly total: number;
  /** Most open connections of one IPv4 address or IPv6 /64. */
  readonly perAddress: number;
  /** Whether an address is not bound by `perAddress`: many clients are behind it. */
  readonly isExempt: (address: string) => boolean;
  readonly onRefused: (bound: ConnectionBound, address: string) => void;
}

export interface ConnectionLimit {
  /** Connections that are open. */
  readonly open: number;
  /**
   * Refuses the connections of a server beyond the bounds. Call it after all listeners for connections are added.
   *
   * @param refuse Ends a refused connection, default at once.
   */
  guard(server: Server, refuse?: (socket: Socket) => void): void;
}

export function createConnectionLimit(options: ConnectionLimitOptions): ConnectionLimit {
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
    get open() {
      return open;
    },
    guard(server, refuse = (socket) => socket.destroy()) {
      const listeners = server.listeners('connection');
      server.removeAllListeners('connection');
      server.on('connection', (socket: Socket) => {
        // A Unix socket has no address.
        const address = socket.remoteAddress === undefined ? '' : normaliseAddress(socket.remoteAddress);
        const network = networkOf(address);
        const bound = exceededBound(address, network);
        if (bound !== undefined) {
          options.onRefused(bound, address);
          // A peer that has hung up is no error of ours.
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

/** Addresses that many clients share: this machine, Unix sockets, and the given IP addresses and CIDR ranges. */
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
