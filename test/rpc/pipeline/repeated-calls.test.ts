// Which calls a channel sends again when a connection fails.
import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { grpcChannel } from '../../../src/platform/rpc/grpc/client.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { Echo, GOOD } from './echo-host.ts';
import { closeAfterEach, closers, serve } from './grpc-server.ts';
import { relayTo } from './relay.ts';
import { eventually } from '../../support/eventually.ts';

closeAfterEach();

describe('a connection that fails with a call in progress', () => {
  /** A client of a server behind a relay, whose first call is in progress there, and of another server. */
  async function callThatIsLost(text: string) {
    const [first, second] = [await serve(), await serve()];
    const relay = await relayTo(first.server.address);
    const target = `ipv4:${relay.address},${second.server.address}`;
    const channel = grpcChannel({ target, readOnlyMethods: new Set([Echo.open.path]) });
    closers.push(channel.close, relay.close);
    const client = channel.client(Echo);
    await eventually(async () => {
      await client.open({ text: '' });
      expect(first.calls.length * second.calls.length).toBeGreaterThan(0);
    });
    relay.hold();
    const calls = [1, 2].map(() =>
      text === 'read' ? client.open({ text: '' }) : client.unary({ text, number: 0 }, GOOD),
    );
    const outcomes = Promise.all(calls.map(outcomeOf));
    await Promise.any(calls);
    relay.close();
    return outcomes;
  }

  it('repeats a method without side effects at another server', async () => {
    expect(await callThatIsLost('read')).toEqual(['OK', 'OK']);
  });

  it('repeats such a method also if only the status is lost', async () => {
    const { address, requests } = await serveOnceWithoutStatus();
    const channel = grpcChannel({ target: address, readOnlyMethods: new Set([Echo.open.path]) });
    closers.push(channel.close);
    expect(await outcomeOf(channel.client(Echo).open({ text: '' }))).toBe('OK');
    expect(requests).toHaveLength(2);
  });

  it('fails a call of another method, which may have been processed', async () => {
    expect((await callThatIsLost('write')).toSorted()).toEqual(['OK', 'SERVICE_UNAVAILABLE']);
  });
});

/** A server that ends its first connection between the response and the status of a call. */
async function serveOnceWithoutStatus() {
  const requests: ServerHttp2Stream[] = [];
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream) => {
    requests.push(stream);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    // An empty message, not compressed.
    const message = Buffer.alloc(5);
    if (requests.length > 1) stream.end(message);
    else
      stream.write(message, () => {
        // Its response shows that the client has the message.
        stream.session!.ping(() => stream.session!.destroy());
      });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.push(() => server.close());
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
