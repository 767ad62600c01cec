// Clients that call over gRPC and do not read the responses. The memory of the process does not grow by all responses, and other
// callers get theirs.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProductServiceService } from '../../proto/gen/authservice/business/v1/product_service.ts';
import { callHeaders, FLAG, FRAME, frame, grpcMessage, headerBlock, rawConnection } from '../rpc/pipeline/raw-http2.ts';
import type { RawConnection } from '../rpc/pipeline/raw-http2.ts';
import { attackedService, type AttackedService } from './attacked-service.ts';

const STATS = '/api/v1/dashboard/stats';
const PRODUCTS = 100;
const CONNECTIONS = 4;
const CALLS_PER_CONNECTION = 1_000;
/** The waiting calls themselves take some 20 kB each. A response takes 400 kB, all responses 1,600 MB. */
const MAX_GROWTH_MB = 350;
/** Calls without a deadline end after 10 s. */
const ATTACK_MS = 12_000;
/** What a request of another caller may take, in milliseconds. */
const LONGEST_MS = 2_500;

/** Identifiers of settings (RFC 9113 section 6.5.2). */
const INITIAL_WINDOW_SIZE = 4;
const WINDOW_UPDATE = 8;
const MAX_WINDOW = 2 ** 31 - 1;

let service: AttackedService;
let connections: RawConnection[];

beforeEach(async () => {
  connections = [];
  service = await attackedService('sqlite');
  for (let index = 0; index < PRODUCTS; index += 1) {
    const response = await fetch(`${service.addresses.http}/api/v1/products`, {
      method: 'POST',
      headers: { ...service.attacker, 'content-type': 'application/json' },
      body: JSON.stringify({ sku: `sku-${index}`, name: 'Rose', description: 'x'.repeat(4_000), price: 1, stock: 1 }),
    });
    expect(response.status).toBe(201);
  }
});

afterEach(async () => {
  for (const { socket } of connections) socket.destroy();
  await service?.close();
});

/** Opens a connection with a window size for each stream, and the largest window for all streams together. */
async function openConnection(windowSize: number): Promise<RawConnection> {
  const connection = await rawConnection(service.addresses.rpc);
  connections.push(connection);
  const setting = Buffer.alloc(6);
  setting.writeUInt16BE(INITIAL_WINDOW_SIZE);
  setting.writeUInt32BE(windowSize, 2);
  const update = Buffer.alloc(4);
  update.writeUInt32BE(MAX_WINDOW - 65_535);
  await connection.send(frame(FRAME.settings, 0, 0, setting), frame(WINDOW_UPDATE, 0, 0, update));
  return connection;
}

function listProducts({ send }: RawConnection, count: number): Promise<void> {
  const { path, requestSerialize } = ProductServiceService.listProducts;
  const page = { page: 1, perPage: PRODUCTS };
  const headers = headerBlock({ ...callHeaders(path), ...service.attacker });
  const message = grpcMessage(Buffer.from(requestSerialize({ page, sort: '', status: 0 })));
  const calls = Array.from({ length: count }, (_, index) => [
    frame(FRAME.headers, FLAG.endHeaders, 2 * index + 1, headers),
    frame(FRAME.data, FLAG.endStream, 2 * index + 1, message),
  ]);
  return send(...calls.flat());
}

/** Returns the largest growth of the memory during the attack, in megabytes. Stops early above the limit. */
async function growthDuringAttack(before: number): Promise<number> {
  let growth = 0;
  for (const end = Date.now() + ATTACK_MS; Date.now() < end && growth < MAX_GROWTH_MB; await sleep(100)) {
    growth = Math.max(growth, service.memory() - before);
  }
  return growth;
}

it.each([
  { client: 'has no window', windowSize: 0, isRead: true },
  { client: 'reads nothing', windowSize: MAX_WINDOW, isRead: false },
])('answers other callers during calls of a client that $client, in bounded memory', async ({ windowSize, isRead }) => {
  await service.measure(STATS, Promise.resolve());
  const before = service.memory();
  for (let index = 0; index < CONNECTIONS; index += 1) {
    const connection = await openConnection(windowSize);
    if (!isRead) connection.socket.pause();
    await listProducts(connection, CALLS_PER_CONNECTION);
  }
  const attack = growthDuringAttack(before);
  const during = await service.measure(STATS, attack);
  expect(await attack).toBeLessThan(MAX_GROWTH_MB);
  expect([...during.statuses]).toEqual([200]);
  expect(during.longest).toBeLessThan(LONGEST_MS);
});
