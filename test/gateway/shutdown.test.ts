import { describe, expect, it } from 'vitest';
import { gateway } from './gateway.ts';
import type { GatewayUnderTest } from './gateway.ts';
import { open } from './raw-client.ts';
import type { RawConnection } from './raw-client.ts';

const ME_RPC = 'authservice.identity.v1.IdentityService/GetMe';
const HEADER = 'HTTP/1.1\r\nHost: h\r\n';

interface Busy extends GatewayUnderTest {
  /** A connection whose request the core has not answered yet. */
  readonly busy: RawConnection;
  /** Lets the core answer it. */
  finish(): void;
}

async function busyGateway(): Promise<Busy> {
  const under = await gateway();
  const called = Promise.withResolvers<void>();
  const response = Promise.withResolvers<unknown>();
  under.core.respond(ME_RPC, () => {
    called.resolve();
    return response.promise;
  });
  await under.app.listen({ host: '127.0.0.1', port: 0 });
  const busy = await open(under.app);
  busy.socket.write(`GET /api/v1/auth/me ${HEADER}\r\n`);
  await called.promise;
  return { ...under, busy, finish: () => response.resolve({}) };
}

describe('close', () => {
  it('finishes open requests with Connection: close, and then ends at once', async () => {
    const { app, busy, finish } = await busyGateway();
    const idle = await open(app);
    const closing = app.close();
    await idle.closed();
    finish();
    expect(await busy.closed()).toMatchObject([{ status: 500, headers: { connection: 'close' } }]);
    await closing;
  });

  it('closes idle connections at once, used or not', async () => {
    const { app, finish } = await busyGateway();
    const [unused, used] = [await open(app), await open(app)];
    used.socket.write(`GET /health/live ${HEADER}\r\n`);
    await used.responses(1);
    const closing = app.close();
    expect(await unused.closed()).toEqual([]);
    expect(await used.closed()).toMatchObject([{ status: 200, headers: { connection: 'keep-alive' } }]);
    finish();
    await closing;
  });

  it('serves a request that is still arriving, and accepts no new connections', async () => {
    const { app, busy, finish } = await busyGateway();
    const arriving = await open(app);
    arriving.socket.write(`GET /health/live ${HEADER}`);
    const idle = await open(app);
    const closing = app.close();
    await idle.closed();
    arriving.socket.write('\r\n');
    expect(await arriving.closed()).toMatchObject([{ status: 200, headers: { connection: 'close' } }]);
    await expect(open(app)).rejects.toThrow();
    finish();
    await busy.closed();
    await closing;
  });
});
