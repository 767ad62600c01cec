// Floods of pipelined requests: what other callers wait, and the open files and the memory of the process.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENGINES } from '../support/databases.ts';
import { restClient } from '../support/rest-client.ts';
import { attackedService, quiet, requestOf, type AttackedService } from './attacked-service.ts';

const STATS = '/api/v1/dashboard/stats';
const READY = '/health/ready';
const REQUESTS = 20_000;
/** What a request of another caller may take, in milliseconds. Without bounds it takes seconds on an idle machine. */
const LONGEST_MS = 2_500;
/** On a busy machine. */
const LONGEST_TIMES_ALONE = 40;

let service: AttackedService;
afterEach(() => service?.close());

describe.each(ENGINES)('on %s', (engine) => {
  beforeEach(async () => {
    service = await attackedService(engine);
    await service.measure(STATS, Promise.resolve());
  });

  it.each([
    [READY, 1],
    [STATS, 1],
    [READY, 200],
    [STATS, 200],
  ])(`answers other callers during ${REQUESTS} requests for %s on %i connections`, async (path, count) => {
    const alone = await service.measure(STATS, quiet([]));
    const flood = requestOf(path, service.attacker).repeat(REQUESTS / count);
    const sockets = await Promise.all(Array.from({ length: count }, () => service.send(flood)));
    const during = await service.measure(STATS, quiet(sockets));
    expect([...during.statuses]).toEqual([200]);
    expect(during.longest).toBeLessThan(Math.max(LONGEST_MS, LONGEST_TIMES_ALONE * alone.median));
  });
});

describe('downloads that are not read', () => {
  const SIZE = 5_000_000;
  const CONNECTIONS = 12;
  const DOWNLOADS = 2_000;
  const MAX_OPEN = 64;

  it('open few files and take little memory', async () => {
    service = await attackedService('sqlite');
    const { attacker, addresses } = service;
    const announced = { fileName: 'a', contentType: 'a/b', size: SIZE };
    const prepared = await restClient(addresses.http).postJson('/api/v1/staging/files/prepare', announced, attacker);
    const path: string = prepared.body.uploadUrl;
    const put = await fetch(addresses.http + path, { method: 'PUT', headers: attacker, body: new Uint8Array(SIZE) });
    expect(put.status).toBe(200);
    await service.measure(STATS, Promise.resolve());
    const before = { files: service.openFiles(), memory: service.memory() };
    const flood = requestOf(path, attacker).repeat(DOWNLOADS);
    await Promise.all(Array.from({ length: CONNECTIONS }, () => service.send(flood, { isRead: false })));
    const during = await service.measure(STATS, quiet([]));
    expect(service.openFiles() - before.files).toBeLessThanOrEqual(MAX_OPEN + CONNECTIONS + 8);
    expect(service.memory() - before.memory).toBeLessThan(200);
    expect([...during.statuses]).toEqual([200]);
    expect(during.longest).toBeLessThan(LONGEST_MS);
  });
});
