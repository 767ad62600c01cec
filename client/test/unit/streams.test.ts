// Streams: events, their resumption, and their end.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createAnonymousCaller } from '../../src/index.ts';
import { followAuditRecords, type FollowOptions } from '../../src/operations.ts';
import { fakeFetch, json } from './helpers.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const HEARTBEAT = (id: number) => `: heartbeat\nid: ${id}\n\n`;
const RECORD = (id: number) => `event: record\nid: ${id}\ndata: {"id":"record-${id}"}\n\n`;

/** How a response ends after its texts: with its end, with an error, or never. */
type End = 'closed' | 'lost' | 'open';

interface Streamed {
  readonly texts: readonly string[];
  readonly end: End;
}

/** A service that responds with one stream after the other, with an error, or never. */
function service(...responses: readonly (Streamed | Response | 'never')[]) {
  const cancelled: number[] = [];
  const { fetch, sent } = fakeFetch(({ init }) => {
    const index = sent.length - 1;
    const next = responses[index] ?? { texts: [], end: 'open' };
    if (next instanceof Response) return next;
    if (next === 'never')
      return new Promise((_, reject) => {
        init.signal!.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
      });
    const texts = next.texts.map((text) => new TextEncoder().encode(text));
    return new Response(
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            const text = texts.shift();
            init.signal?.addEventListener('abort', () => controller.error(new DOMException('aborted', 'AbortError')));
            if (text) controller.enqueue(text);
            else if (next.end === 'closed') controller.close();
            else if (next.end === 'lost') controller.error(new TypeError('network error'));
            else return new Promise(() => undefined);
            return undefined;
          },
          cancel: () => void cancelled.push(index),
        },
        { highWaterMark: 0 },
      ),
      { headers: { 'content-type': 'text/event-stream' } },
    );
  });
  const cursors = () => sent.map(({ headers }) => headers.get('last-event-id'));
  return { caller: createAnonymousCaller({ baseUrl: 'https://shop.test', fetch }), sent, cursors, cancelled };
}

/** Follows in the background. */
function follow({ caller }: ReturnType<typeof service>, options: FollowOptions = {}) {
  const abort = new AbortController();
  const ids: string[] = [];
  const states: string[] = [];
  const run = async () => {
    const onConnection = (state: string) => void states.push(state);
    for await (const { record } of followAuditRecords(caller, { onConnection, ...options, signal: abort.signal }))
      ids.push(record.id);
  };
  return {
    ids,
    states,
    abort,
    ended: run().then(
      () => undefined,
      (error: unknown) => error,
    ),
  };
}

it('resumes a lost stream after the last event, also after a comment', async () => {
  const shop = service(
    { texts: [HEARTBEAT(1), RECORD(2).slice(0, 20), RECORD(2).slice(20) + RECORD(3)], end: 'lost' },
    { texts: [HEARTBEAT(3), RECORD(4), HEARTBEAT(9)], end: 'lost' },
  );
  const { ids, states, abort, ended } = follow(shop, { query: { events: ['login.failed'] } });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ids).toEqual(['record-2', 'record-3', 'record-4']);
  expect(shop.cursors()).toEqual([null, '3', '9']);
  expect(shop.sent[2]!.path).toBe('/api/v1/audit-records/stream?events=login.failed');
  expect(states).toEqual(['open', 'lost', 'open', 'lost']);
  abort.abort();
  expect(await ended).toBeUndefined();
});

it('begins after a given cursor, and goes on without a sign of loss when the service ends a stream', async () => {
  const shop = service({ texts: [HEARTBEAT(5)], end: 'open' });
  const { states, abort, ended } = follow(shop, { after: '5' });
  await vi.advanceTimersByTimeAsync(30_000);
  expect([shop.cursors(), states]).toEqual([['5'], ['open']]);
  // No comment for 40 s.
  await vi.advanceTimersByTimeAsync(12_000);
  expect([shop.cursors(), states]).toEqual([['5', '5'], ['open']]);
  expect(shop.cancelled).toEqual([0]);
  abort.abort();
  await ended;
});

it('ends a request without a response after 40 s, and sends it again', async () => {
  const shop = service('never', { texts: [HEARTBEAT(1)], end: 'open' });
  const { states, abort, ended } = follow(shop, { after: '5' });
  await vi.advanceTimersByTimeAsync(39_000);
  expect([shop.cursors(), states]).toEqual([['5'], []]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([shop.cursors(), states]).toEqual([
    ['5', '5'],
    ['lost', 'open'],
  ]);
  expect(shop.sent.map(({ init }) => init.signal!.aborted)).toEqual([true, false]);
  abort.abort();
  expect(await ended).toBeUndefined();
});

it('ends without an error if it is aborted before a response', async () => {
  const shop = service('never');
  const { abort, ended } = follow(shop);
  await vi.advanceTimersByTimeAsync(1_000);
  abort.abort();
  expect(await ended).toBeUndefined();
  expect(shop.sent[0]!.init.signal!.aborted).toBe(true);
});

it('waits longer after each failure, and as long as the service says', async () => {
  const unavailable = () => json({ errorCode: 'service-unavailable' }, 503);
  const limited = json({ errorCode: 'too-many-requests' }, 429, { 'retry-after': '60' });
  const shop = service(unavailable(), unavailable(), limited, { texts: [HEARTBEAT(1)], end: 'open' });
  const { states, abort, ended } = follow(shop);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(shop.sent).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(55_000);
  expect(shop.sent).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(states).toEqual(['lost', 'lost', 'lost', 'open']);
  abort.abort();
  await ended;
});

it.each([
  ['the caller may not read', json({ errorCode: 'permission-denied' }, 403), 'permission-denied'],
  ['the cursor is unknown', json({ errorCode: 'validation-error' }, 400), 'validation-error'],
])('rejects if %s', async (_, response, code) => {
  const shop = service(response);
  expect(await follow(shop).ended).toMatchObject({ code });
  expect(shop.sent).toHaveLength(1);
});

it('ends the request when the consumer stops, and reads no further than it', async () => {
  const shop = service({ texts: [HEARTBEAT(1), RECORD(2), RECORD(3)], end: 'open' });
  for await (const { cursor } of followAuditRecords(shop.caller)) {
    expect(cursor).toBe('2');
    break;
  }
  expect(shop.cancelled).toEqual([0]);
});
