import { Server } from 'node:net';

/**
 * Lets all workers listen on the same TCP ports. The kernel shares out the connections among them. With Node's cluster,
 * the primary would hand over each connection, and one that is handed to a dying worker would stay open unserved.
 */
export function shareTcpPorts(): void {
  const prototype = Server.prototype as { listen(options: unknown, ...rest: unknown[]): Server };
  const { listen } = prototype;
  // grpc-js offers no other way to set an option of its listeners.
  prototype.listen = function (this: Server, options, ...rest) {
    const isTcp = typeof options === 'object' && options !== null && 'port' in options;
    return listen.call(this, isTcp ? { ...options, reusePort: true } : options, ...rest);
  };
}
