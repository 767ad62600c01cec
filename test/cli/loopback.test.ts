// The redirect of a login by the browser of this machine.
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { openLoopback } from '../../cli/core/loopback.ts';

const LONG_MS = 60_000;
const { signal } = new AbortController();

it('waits for its limit, and no longer', async () => {
  const loopback = await openLoopback(signal, 1);
  await expect(loopback.callback).rejects.toThrow('the login took too long');
  loopback.close();
});

it('takes the redirect of a browser that leaves before it has the page', async () => {
  const loopback = await openLoopback(signal, LONG_MS);
  const { hostname, port } = new URL(loopback.redirectUri);
  const socket = connect(Number(port), hostname, () => {
    socket.write('GET /callback?code=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', () => socket.destroy());
  });
  expect((await loopback.callback).get('code')).toBe('1');
  loopback.close();
});

it('ends its wait when the user interrupts it', async () => {
  const controller = new AbortController();
  const loopback = await openLoopback(controller.signal, LONG_MS);
  controller.abort();
  await expect(loopback.callback).rejects.toThrow('aborted');
  loopback.close();
});
