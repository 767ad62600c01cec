// An S3-compatible server that checks signatures, behind a proxy that can delay or abort requests.
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';

/** The only bucket. */
const BUCKET = 'shop';

/** Credentials for the SDK. The server accepts no others. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

export interface S3Server {
  /** For app.files.store. */
  readonly url: string;
  /** All requests, such as `PUT a/b/c`. */
  readonly requests: string[];
  /** Called before a request is forwarded. A promise delays it, `false` aborts the connection. */
  entry: (request: string) => Promise<boolean> | boolean;
  /** Called before a response is forwarded. A promise delays it, `false` aborts the connection. */
  gate: (request: string) => Promise<boolean> | boolean;
  /** Returns the keys of all objects, without the prefix. */
  keys(): Promise<string[]>;
  close(): Promise<void>;
}

const PREFIX = 'files/of-shop';

export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 's3-'));
  const behind = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await behind.run();
  const requests: string[] = [];
  const server: S3Server = {
    url: '',
    requests,
    entry: () => true,
    gate: () => true,
    async keys() {
      const response = await fetch(`http://127.0.0.1:${port}/${BUCKET}?list-type=2`);
      const found = [...(await response.text()).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key!);
      return found.map((key) => key.slice(PREFIX.length + 1)).toSorted();
    },
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      await behind.close();
      await rm(directory, { recursive: true, force: true });
    },
  };

  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = '', url = '', headers } = incoming;
    const name = `${method} ${url.split('?')[0]!.slice(`/${BUCKET}/${PREFIX}/`.length)}`;
    requests.push(name);
    if (!(await server.entry(name))) return void incoming.socket.destroy();
    const next = forward(
      { host: '127.0.0.1', port, method, path: url, headers },
      (response) => void respondWith(response),
    );
    const respondWith = async (response: IncomingMessage) => {
      if (!(await server.gate(name))) return incoming.socket.destroy();
      outgoing.writeHead(response.statusCode!, response.rawHeaders);
      return response.pipe(outgoing);
    };
    next.on('error', () => incoming.socket.destroy());
    outgoing.on('close', () => next.destroy());
    incoming.pipe(next);
  };
  const proxy = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const own = (proxy.address() as AddressInfo).port;
  return Object.assign(server, { url: `s3://${BUCKET}/${PREFIX}?endpoint=http://127.0.0.1:${own}` });
}
