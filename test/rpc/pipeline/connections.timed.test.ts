// A stream that is older than its connection may be, with keepalive pings of either side. Pings of the client have no seam for time.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { grpcChannel } from '../../../src/platform/rpc/grpc/client.ts';
import { Echo } from './echo-host.ts';
import { closeAfterEach, closers, serve } from './grpc-server.ts';

closeAfterEach();

it('a connection keeps open streams until their end beyond its maximum age', async () => {
  // Without responses to its pings, the stream would end before its last message.
  const keepalive = { keepaliveMs: 60, keepaliveTimeoutMs: 600 };
  const { server } = await serve({ bounds: { maxAgeMs: 100, maxAgeGraceMs: 20_000, ...keepalive } });
  const channel = grpcChannel({ target: server.address, ...keepalive });
  closers.push(channel.close);
  const messages = 25;
  async function* slowly() {
    for (let index = 0; index < messages; index++) {
      yield { text: String(index) };
      await sleep(40);
    }
  }
  const responses: string[] = [];
  for await (const { text } of channel.client(Echo).bidi(slowly())) responses.push(text);
  expect(responses).toHaveLength(messages);
});
