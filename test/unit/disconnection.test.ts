// The signal that a client has disconnected, which the requests of a connection share.
import { Socket } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { disconnectionOf } from '../../gateway/http/disconnection.ts';

it('cancels the calls that are still registered when the connection closes, each once', async () => {
  const socket = new Socket();
  const signal = disconnectionOf(socket);
  const cancelled: string[] = [];
  const cancels = ['a', 'b', 'c', 'd'].map((name) => () => void cancelled.push(name));
  for (const cancel of cancels) signal.addEventListener('abort', cancel);
  signal.removeEventListener('abort', cancels[1]!);
  signal.removeEventListener('abort', cancels[1]!);
  signal.removeEventListener('abort', cancels[3]!);
  expect(signal.aborted).toBe(false);

  socket.destroy();
  expect(signal.aborted).toBe(true);
  await once(socket, 'close');
  expect(cancelled).toEqual(['a', 'c']);
});

it('adds one listener to a connection, whatever the number of its requests', () => {
  const socket = new Socket();
  const before = socket.listenerCount('close');
  for (let request = 0; request < 20; request += 1) disconnectionOf(socket).addEventListener('abort', () => {});
  expect(socket.listenerCount('close')).toBe(before + 1);
  expect(disconnectionOf(socket)).toBe(disconnectionOf(socket));
  expect(disconnectionOf(new Socket())).not.toBe(disconnectionOf(socket));
});
