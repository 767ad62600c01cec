// Response streams over gRPC that their client does not read.
import { connect } from 'node:http2';
import { expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { Echo, sent } from './echo-host.ts';
import { closeAfterEach, closers, serve } from './grpc-server.ts';
import { callHeaders, grpcMessage } from './raw-http2.ts';

closeAfterEach();

const CANCEL = 8;

it('buffer one message, and are reset after the call has ended', async () => {
  const { server, outcomes } = await serve({}, { streams: { maxTimeoutMs: 20_000, idleMs: 200, recheckMs: 20_000 } });
  const session = connect(`http://${server.address}`, { settings: { initialWindowSize: 0 } });
  closers.push(() => session.destroy());
  const stream = session.request(callHeaders(Echo.serverStream.path));
  const request = Echo.serverStream.requestSerialize({ count: 500, size: 65_536, text: '' });
  stream.end(grpcMessage(Buffer.from(request)));
  // A reset by this code ends a stream without an error.
  const closed = new Promise((resolve, reject) =>
    stream.on('close', () => resolve(stream.rstCode)).on('error', reject),
  );
  stream.resume();
  await eventually(() => expect(outcomes).toEqual([['ServerStream', 'SERVICE_UNAVAILABLE']]));
  expect(sent.count).toBe(1);
  expect(await closed).toBe(CANCEL);
});
