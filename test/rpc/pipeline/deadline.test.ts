// A deadline counts from the start of the caller's wait, also if the core reads the call late or the clocks differ.
import { Metadata } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCoreClock, createCoreClocks } from '../../../src/platform/rpc/grpc/absolute-deadline.ts';
import { grpcChannel } from '../../../src/platform/rpc/grpc/client.ts';
import { serveGrpc } from '../../../src/platform/rpc/grpc/server.ts';
import type { CallOptions } from '../../../src/platform/rpc/types.ts';
import { Echo, echoHost } from './echo-host.ts';
import { relayTo } from './relay.ts';
import { freezeTime, passTime, until } from '../../support/frozen-time.ts';
import { refusal } from '../../support/rpc-outcomes.ts';

const HOUR_MS = 3_600_000;
const PATIENT = { timeoutMs: 5_000 };
const HASTY = { timeoutMs: 1_000 };
const HELD_MS = 1_100;
// Still waiting then, but not for long enough to be reached by a response for certain.
const BARELY = { timeoutMs: 1_200 };
const SKEWS = [
  { skew: 'equal', ms: 0 },
  { skew: 'an hour ahead', ms: HOUR_MS },
  { skew: 'an hour behind', ms: -HOUR_MS },
];

const closers: (() => unknown)[] = [];
/** The frozen time. */
const now = () => vi.getMockedSystemTime()!.getTime();

/** Cores that can be held up, and a client of all of them with a clock of its own. */
async function serve(cores = 1) {
  const served = await Promise.all(
    Array.from({ length: cores }, async () => {
      const { host, log, calls } = echoHost();
      const server = await serveGrpc(host, { host: '127.0.0.1', port: 0, trustedGateways: [], log });
      const relay = await relayTo(server.address);
      closers.push(() => server.close(0), relay.close);
      return { calls, relay };
    }),
  );
  const clock = { skew: 0 };
  const channel = grpcChannel({
    target: `ipv4:${served.map(({ relay }) => relay.address).join(',')}`,
    clock: () => now() + clock.skew,
  });
  closers.push(channel.close);
  const client = channel.client(Echo);
  const open = (options = PATIENT) => client.open({ text: '' }, options);
  const count = () => served.reduce((sum, { calls }) => sum + calls.length, 0);
  return {
    client,
    clock,
    open,
    /** Calls until every core has answered: the client knows its clock. */
    meet: async () => {
      const before = served.map(({ calls }) => calls.length);
      while (served.some(({ calls }, core) => calls.length === before[core])) await open();
    },
    /** Begins calls that arrive only after HELD_MS. Returns how many reached a handler. */
    async held<T>(begin: () => Promise<T>[]): Promise<{ outcomes: T[]; handled: number }> {
      const before = count();
      for (const { relay } of served) relay.hold();
      const calls = begin();
      const begun = Promise.all(calls);
      await until(() => served.reduce((sum, { relay }) => sum + relay.heldRequests(), 0) === calls.length);
      await passTime(HELD_MS);
      for (const { relay } of served) relay.release();
      const outcomes = await begun;
      // These go the same ways, and so arrive later.
      const after = await Promise.all(Array.from({ length: 2 * cores }, () => open()));
      return { outcomes, handled: count() - before - after.length };
    },
  };
}

describe('a deadline', () => {
  beforeEach(freezeTime);
  afterEach(async () => {
    vi.useRealTimers();
    for (const close of closers.splice(0).toReversed()) await close();
  });

  it.each(SKEWS)(
    "starts no call after its deadline, and all others, with a caller's clock that is $skew",
    async ({ ms }) => {
      const { clock, meet, open, held } = await serve();
      clock.skew = ms;
      await meet();
      const late = await held(() => Array.from({ length: 10 }, () => refusal(open(HASTY))));
      expect(late.outcomes.map(({ reason }) => reason)).toEqual(Array(10).fill('DEADLINE_EXCEEDED'));
      expect(late.handled).toBe(0);
      expect((await held(() => Array.from({ length: 10 }, () => open()))).handled).toBe(10);
    },
  );

  it('starts no call whose response could be too late', async () => {
    const { meet, open, held } = await serve();
    await meet();
    expect((await held(() => [refusal(open(BARELY))])).handled).toBe(0);
  });

  it('is checked by every core of a target', async () => {
    const { meet, open, held } = await serve(3);
    await meet();
    expect((await held(() => Array.from({ length: 12 }, () => refusal(open(HASTY))))).handled).toBe(0);
  });

  it('is checked for calls with a response stream', async () => {
    const { client, meet, held } = await serve();
    await meet();
    const read = async (options: CallOptions) => {
      for await (const message of client.serverStream({ count: 1, size: 1, text: '' }, options)) return message;
    };
    expect((await held(() => [refusal(read(HASTY))])).handled).toBe(0);
    expect((await held(() => [read(PATIENT)])).handled).toBe(1);
  });

  it.each(SKEWS.slice(1))(
    'fails at most one call after either clock has stopped for an hour: $skew',
    async ({ ms }) => {
      const { clock, meet, open, held } = await serve();
      await meet();
      clock.skew = ms;
      await open().catch(() => {});
      for (let i = 0; i < 5; i += 1) await open();
      await meet();
      expect((await held(() => [refusal(open(HASTY))])).handled).toBe(0);
    },
  );
});

describe("the estimate of a core's clock", () => {
  // Deadlines are Unix times: both sides read the same.
  beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterAll(() => void vi.useRealTimers());

  const times = { core: 5_000, client: 1_000_000 };
  const known = () => {
    Object.assign(times, { core: 5_000, client: 1_000_000 });
    const core = createCoreClock(() => times.core);
    const clocks = createCoreClocks(() => times.client);
    const pass = (ms: number) => {
      times.core += ms;
      times.client += ms;
    };
    return {
      pass,
      /** A call with its way there, its work and its way back. */
      exchange(there: number, work = 0, back = there) {
        const sentAt = clocks.now();
        pass(there + work);
        const trailers = new Metadata();
        trailers.set('x-clock', core.stamp());
        pass(back);
        clocks.learn(trailers, sentAt);
      },
      /** How much of its time a call of 4 s has by the core's clock; undefined where that is not told. */
      remaining(timeoutMs = 4_000): number | undefined {
        const metadata = new Metadata();
        clocks.announce(metadata, timeoutMs);
        const at = core.deadlineAt(metadata);
        return at === Infinity ? undefined : Math.round(at - now());
      },
      tell: (xClock: string) => {
        const trailers = new Metadata();
        trailers.set('x-clock', xClock);
        clocks.learn(trailers, clocks.now());
      },
      announced: () => {
        const metadata = new Metadata();
        clocks.announce(metadata, 4_000);
        return String(metadata.get('x-deadline')[0] ?? '');
      },
    };
  };
  const between = (least: number, most: number) => (value: number | undefined) =>
    value !== undefined && value >= least && value <= most;

  it('is missing before the first response', () => {
    expect(known().remaining()).toBeUndefined();
  });

  it('ends a call early by the time of the response, never late', () => {
    const { exchange, remaining } = known();
    exchange(3, 0, 20);
    expect(remaining()).toSatisfy(between(3_978, 3_981));
    exchange(20, 0, 1);
    expect(remaining()).toSatisfy(between(3_997, 4_000));
  });

  it('is used only if its uncertainty is small compared with the timeout of the call', () => {
    const { exchange, remaining } = known();
    exchange(700, 0, 400);
    expect(remaining(4_000)).toBeUndefined();
    expect(remaining(5_000)).toSatisfy(between(4_598, 4_601));
    // Short work brings the two ends together, and long work takes nothing away.
    exchange(5, 0, 5);
    exchange(5, 3_000, 5);
    expect(remaining(4_000)).toSatisfy(between(3_985, 4_000));
  });

  it('becomes less certain with time, and is dropped after 50 minutes without a response', () => {
    const { exchange, pass, remaining } = known();
    exchange(1);
    pass(10 * 60_000);
    expect(remaining()).toSatisfy(between(3_876, 3_880));
    pass(40 * 60_000);
    expect(remaining()).toBeUndefined();
    exchange(1);
    expect(remaining()).toSatisfy(between(3_996, 4_000));
  });

  it.each([10_000, -10_000, 100, -100])('is dropped at the first response that contradicts it: %d ms', (jump) => {
    const { exchange, remaining } = known();
    exchange(1);
    times.client += jump;
    exchange(1);
    expect(remaining()).toSatisfy(between(3_996, 4_000));
  });

  it('follows clocks that drift apart', () => {
    const { exchange, pass, remaining } = known();
    for (let minute = 0; minute < 600; minute += 1) {
      exchange(2);
      pass(60_000);
      times.core += 30;
    }
    exchange(2);
    expect(remaining()).toSatisfy(between(3_900, 4_000));
  });

  it('is kept for the cores that responded last', () => {
    const { tell, announced } = known();
    for (let i = 0; i < 100; i += 1) tell(`core--${String(i).padStart(2, '0')} 1000`);
    expect(announced().split(' ')).toHaveLength(32);
    expect(announced()).toMatch(/^core--68=.*core--99=\d+$/);
  });

  it.each(['', 'x', 'core-001', 'core-001 ', 'core-001 -5', 'core-001 1e9', 'core-001 12 ', 'core=001 12', '12'])(
    'ignores the invalid header %j',
    (xClock) => {
      const { tell, announced } = known();
      tell(xClock);
      expect(announced()).toBe('');
    },
  );

  it.each(['', 'x', '1', 'core-001=1', 'core-001=1 '.repeat(32), '=1', 'NaN'])(
    'sets no deadline for the invalid header %j',
    (xDeadline) => {
      const metadata = new Metadata();
      metadata.set('x-deadline', xDeadline);
      expect(createCoreClock().deadlineAt(metadata)).toBe(Infinity);
    },
  );
});
