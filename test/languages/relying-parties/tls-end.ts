// A proxy that ends TLS in front of a service on this machine, with a certificate of a private CA.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeCertificates } from '../../support/certificates.ts';
import { emptyFolder } from '../../support/service-process.ts';

export interface TlsEnd {
  readonly origin: string;
  /** A file with the certificate of the CA. */
  readonly ca: string;
  close(): Promise<void>;
}

/** Starts a proxy to a port. */
export async function endTls(port: string): Promise<TlsEnd> {
  const { ca, proxy } = makeCertificates({
    proxy: { commonName: 'localhost', alternative: 'DNS:localhost,IP:127.0.0.1' },
  });
  const file = join(emptyFolder(), 'ca.pem');
  writeFileSync(file, ca);
  const server = createServer(proxy, (incoming, outgoing) => {
    const { method, url, headers, socket } = incoming;
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-for': socket.remoteAddress };
    const target = { host: '127.0.0.1', port, method, path: url, headers: { ...headers, ...forwarded } };
    const forward = request(target, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    forward.once('error', () => outgoing.destroy());
    incoming.pipe(forward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    ca: file,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
