// Uploads as bytes on a socket: rejected early, slow, stopped, and never faster than the core reads.
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UploadFileRequest } from '../../proto/gen/authservice/business/v1/file_service.ts';
import { bareError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { RecordedCall } from '../support/fake-core.ts';
import { type GatewayUnderTest, gateway } from './gateway.ts';
import { readChunks } from '../../gateway/http/upload.ts';
import { exchange, open } from './raw-client.ts';

const PATH = '/api/v1/files/staging/2026-02-14/x';
const RPC = 'authservice.business.v1.FileService/UploadFile';
const MB = 1024 * 1024;
/** The least that the core takes of a chunk, but for the last. */
const CHUNK = 65_536;
const STORED = {
  file: { date: 'd', uuid: 'u' },
  content: { contentType: 'a/b', size: 1, sha256: Buffer.alloc(32), fileName: 'a' },
  receivedSize: 1,
  receivedSha256: Buffer.alloc(32),
  tenantId: 'acme',
};

let under: GatewayUnderTest;
beforeEach(async () => {
  under = await gateway();
  await under.app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  vi.useRealTimers();
  under.app.server.closeAllConnections();
  await under.app.close();
});

const put = (...lines: string[]) => `${[`PUT ${PATH} HTTP/1.1`, 'Host: h', ...lines].join('\r\n')}\r\n\r\n`;
const LIVE = 'GET /health/live HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';

/** Reads an upload to its end; how many bytes that were. */
async function sizeOf({ input }: RecordedCall): Promise<number> {
  let size = 0;
  for await (const { part } of input as AsyncIterable<UploadFileRequest>) {
    if (part?.$case === 'chunk') size += part.value.length;
  }
  return size;
}

const refuse = () => Promise.reject(bareError('NOT_FOUND', undefined));

describe('an upload that is rejected early', () => {
  it('gets its response at once, and the connection continues after the rest has arrived', async () => {
    under.core.respond(RPC, refuse);
    const connection = await open(under.app);
    connection.socket.write(put(`Content-Length: ${3 * MB}`) + 'x'.repeat(MB));
    const [response] = await connection.responses(1);
    expect(response).toMatchObject({ status: 404, headers: { 'content-type': 'application/problem+json' } });
    connection.socket.write('x'.repeat(2 * MB) + LIVE);
    expect((await connection.closed()).map(({ status }) => status)).toEqual([404, 200]);
  });

  it('gets its response while the client keeps sending, and is then cut off', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    under.core.respond(RPC, refuse);
    const connection = await open(under.app);
    const cut = connection.closed();
    connection.socket.write(put('Transfer-Encoding: chunked'));
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    let sent = 0;
    const sendOn = () => {
      sent += 1;
      if (connection.socket.writable) connection.socket.write(chunk, () => setImmediate(sendOn));
    };
    sendOn();
    expect(await connection.responses(1)).toMatchObject([{ status: 404 }]);
    // The rest is read and discarded.
    for (const until = sent + 200; sent < until && !connection.socket.destroyed;) await nextTurn();
    expect(connection.socket.destroyed).toBe(false);
    vi.advanceTimersByTime(5_000);
    // With bytes unread, a connection ends by a reset.
    await cut;
    expect(connection.socket.destroyed).toBe(true);
  });

  it('gets 413 by its Content-Length before a byte is read', async () => {
    under.core.respond(RPC, ({ options }: RecordedCall) =>
      Promise.reject(bareError(options.accessCheckOnly ? 'VALIDATION_ERROR' : 'INTERNAL_ERROR', undefined)),
    );
    const connection = await open(under.app);
    connection.socket.write(put(`Content-Length: ${11 * MB}`));
    expect(await connection.responses(1)).toMatchObject([{ status: 413 }]);
    connection.socket.destroy();
  });
});

describe('an upload in small chunks', () => {
  it('reaches the core in chunks of at least 64 kB', async () => {
    // A chunk that waits for 4 s may be smaller.
    vi.useFakeTimers({ toFake: ['performance'] });
    const sizes: number[] = [];
    under.core.respond(RPC, async ({ input }: RecordedCall) => {
      for await (const { part } of input as AsyncIterable<UploadFileRequest>)
        if (part?.$case === 'chunk') sizes.push(part.value.length);
      return STORED;
    });
    const connection = await open(under.app);
    const small = '8\r\nxxxxxxxx\r\n'.repeat((3 * CHUNK) / 8);
    connection.socket.write(`${put('Transfer-Encoding: chunked')}${small}0\r\n\r\n`);
    expect(await connection.responses(1)).toMatchObject([{ status: 200 }]);
    expect(sizes.slice(0, -1).every((size) => size >= CHUNK)).toBe(true);
    expect(sizes.reduce((all, size) => all + size, 0)).toBe(3 * CHUNK);
    connection.socket.destroy();
  });

  it('reaches the core within 4 s if it comes slowly', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    async function* slow() {
      for (let second = 0; second < 10; second += 1) {
        yield Buffer.from(String(second));
        vi.advanceTimersByTime(1_000);
      }
    }
    expect((await Readable.from(readChunks(slow(), (chunk) => chunk)).toArray()).map(String)).toEqual([
      '01234',
      '5678',
      '9',
    ]);
  });
});

describe('a slow upload', () => {
  it('may take longer than other requests', async () => {
    under.app.server.headersTimeout = 50;
    under.app.server.requestTimeout = 100;
    under.core.respond(RPC, async (call: RecordedCall) => {
      await sizeOf(call);
      return STORED;
    });
    const connection = await open(under.app);
    connection.socket.write(`${put('Content-Length: 30')}0123456789`);
    // Another request that began later is late already.
    const late =
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n';
    expect(await exchange(under.app, late)).toMatchObject([{ status: 408 }]);
    connection.socket.write('01234567890123456789');
    expect(await connection.responses(1)).toMatchObject([{ status: 200 }]);
    connection.socket.destroy();
  });

  it('returns 408 if no data arrives', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const reading = Promise.withResolvers<void>();
    under.core.respond(RPC, async (call: RecordedCall) => {
      if (call.options.accessCheckOnly) throw bareError('VALIDATION_ERROR', undefined);
      reading.resolve();
      // As the RPC kit tells it: the source has failed, and why.
      return sizeOf(call).catch((cause: unknown) => Promise.reject(bareError('CANCELLED', undefined, cause)));
    });
    const connection = await open(under.app);
    connection.socket.write(`${put('Content-Length: 30')}0123456789`);
    await reading.promise;
    let isAnswered = false;
    const answered = connection.responses(1).finally(() => (isAnswered = true));
    while (!isAnswered) {
      vi.advanceTimersByTime(25_000);
      await nextTurn();
    }
    const [response] = await answered;
    expect(response).toMatchObject({ status: 408, headers: { 'content-type': 'application/problem+json' } });
    connection.socket.destroy();
  });

  it('is read no faster than the core reads', async () => {
    let taken = 0;
    const go = Promise.withResolvers<void>();
    under.core.respond(RPC, async ({ input }: RecordedCall) => {
      for await (const { part } of input as AsyncIterable<UploadFileRequest>) {
        if (part?.$case !== 'chunk') continue;
        taken += part.value.length;
        await go.promise;
      }
      return STORED;
    });
    const connection = await open(under.app);
    connection.socket.write(put(`Content-Length: ${9 * MB}`));
    let accepted = 0;
    for (let part = 0; part < 9; part += 1) {
      connection.socket.write('x'.repeat(MB), () => {
        accepted += 1;
      });
    }
    // Time enough to read all of it.
    for (let count = 0; count < 50; count += 1) await exchange(under.app, LIVE);
    // The kernel's buffers have some; the process does not ask for more.
    expect([taken < 2 * CHUNK, accepted < 9]).toEqual([true, true]);
    go.resolve();
    expect(await connection.responses(1)).toMatchObject([{ status: 200 }]);
    expect(taken).toBe(9 * MB);
    connection.socket.destroy();
  });
});
