// Bodies whose parts are small are joined, so that they do not take hundreds of times their size.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { IncomingRequest } from '../../gateway/http/incoming-request.ts';
import { eventually } from '../support/eventually.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const END = '0\r\n\r\n';

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Starts a server. Returns the parts of each body that it gets, and a connection. */
async function open(listen = true) {
  const bodies: { parts: string[]; isWhole: boolean; kept: Set<ArrayBufferLike> }[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer({ IncomingMessage: IncomingRequest }, (request, response) => {
    const body = { parts: [] as string[], isWhole: false, kept: new Set<ArrayBufferLike>() };
    bodies.push(body);
    requests.push(request);
    request.on('error', () => undefined);
    if (listen)
      request.on('data', (part: Buffer) => {
        body.parts.push(part.toString());
        body.kept.add(part.buffer);
      });
    request.on('end', () => {
      body.isWhole = true;
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  socket.on('error', () => undefined);
  closers.push(
    () => server.close(),
    () => socket.destroy(),
  );
  return { bodies, requests, socket };
}

it('joins small parts, in their order', async () => {
  const { bodies, socket } = await open();
  const text = Array.from({ length: 20_000 }, (_, index) => String(index % 10)).join('');
  socket.write(HEAD + [...text].map(chunk).join('') + END);
  await eventually(() => expect(bodies[0]?.isWhole).toBe(true));
  expect(bodies[0]!.parts.join('')).toBe(text);
  expect(bodies[0]!.parts.length).toBeLessThan(200);
});

it('passes on large parts between small ones, in their order', async () => {
  const { bodies, socket } = await open();
  const parts = ['a', 'b', 'x'.repeat(5_000), 'c', 'y'.repeat(1_025), 'd', 'e'];
  socket.write(HEAD + parts.map(chunk).join('') + END);
  await eventually(() => expect(bodies[0]?.isWhole).toBe(true));
  expect(bodies[0]!.parts.join('')).toBe(parts.join(''));
});

it('does not wait for the end of a body', async () => {
  const { bodies, socket } = await open();
  socket.write(HEAD);
  for (const part of ['a', 'b', 'c']) {
    socket.write(chunk(part));
    await eventually(() => expect(bodies[0]?.parts.at(-1)).toBe(part));
  }
  expect(bodies[0]!.isWhole).toBe(false);
});

it('takes a few times their size for small parts that arrive one after the other', async () => {
  const { bodies, socket } = await open();
  socket.write(HEAD);
  for (let sent = 1; sent <= 100; sent += 1) {
    socket.write(chunk('a'));
    await eventually(() => expect(bodies[0]?.parts).toHaveLength(sent));
  }
  const kept = [...bodies[0]!.kept].reduce((bytes, { byteLength }) => bytes + byteLength, 0);
  expect(kept).toBeLessThan(5_000);
});

it('reads the next request of the connection', async () => {
  const { bodies, socket } = await open();
  const request = HEAD + chunk('a') + chunk('b') + chunk('c') + END;
  socket.write(request + request);
  await eventually(() => expect(bodies.map(({ isWhole }) => isWhole)).toEqual([true, true]));
  expect(bodies.map(({ parts }) => parts.join(''))).toEqual(['abc', 'abc']);
});

it('holds back a client whose body is not read', async () => {
  const { requests, socket } = await open(false);
  socket.write(HEAD + chunk('a').repeat(1_000_000));
  await eventually(() => expect(requests[0]?.readableLength).toBeGreaterThan(16_000));
  expect(requests[0]!.readableLength).toBeLessThan(200_000);
});
