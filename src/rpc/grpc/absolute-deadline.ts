// Until when the caller waits, as a moment on the core's own clock. gRPC sends how long instead, and a core that was frozen
// would count that from when it reads the request. Clocks here are monotonic: nobody sets them, and their zeros mean nothing.
import { randomBytes } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';

/** Milliseconds since any fixed moment; never set, so it only runs. */
export type MonotonicClock = () => number;

/** The clock of a core, for its callers. */
export interface CoreClock {
  /** Writes `x-clock: <id> <milliseconds>` into what ends an answer, and returns it. */
  stamp(trailers: Metadata): Metadata;
  /** Unix milliseconds until which the caller waits; Infinity where it does not say so by this clock. */
  deadlineAt(metadata: Metadata): number;
}

/** What a client knows of the clocks of the cores that it calls, whichever of them a call will reach. */
export interface CoreClocks {
  readonly now: MonotonicClock;
  /** Writes `x-deadline: <id>=<milliseconds> …`, the end of a call that begins now, by every clock that is known well enough. */
  announce(metadata: Metadata, timeoutMs: number): void;
  /** Learns from what ended the answer to a call that was sent at `sentAt`, by `now`. */
  learn(trailers: Metadata, sentAt: number): void;
}

/** A core's clock less the client's lies between the two; true at `at` by the client's. */
interface Offset {
  readonly least: number;
  readonly most: number;
  readonly at: number;
}

const monotonic: MonotonicClock = () => performance.now();

/** How fast two clocks drift apart at most; any that do it faster, while they are slewed, come to contradict what is known. */
const DRIFT = 200e-6;
/** A clock must be known to this share of the time that a call has, which is the most that it may lose. */
const MAX_DOUBT_SHARE = 0.25;
/** Cores are told apart by process, so this also bounds what restarts leave behind. */
const MAX_CORES = 32;
const STAMP = /^([\w-]{8}) (\d{1,15})$/;

/** Makes the clock of this process, under an id of its own. */
export function createCoreClock(now = monotonic): CoreClock {
  const id = randomBytes(6).toString('base64url');
  const own = new RegExp(`(?:^| )${id}=(-?\\d{1,15})(?: |$)`);
  return {
    stamp(trailers) {
      trailers.set('x-clock', `${id} ${Math.floor(now())}`);
      return trailers;
    },
    deadlineAt(metadata) {
      const at = own.exec(String(metadata.get('x-deadline')[0]))?.[1];
      return at === undefined ? Infinity : Date.now() + Number(at) - now();
    },
  };
}

/** Makes a client's knowledge, empty at first: until a core has answered once, only gRPC's deadline bounds its calls. */
export function createCoreClocks(now = monotonic): CoreClocks {
  const offsets = new Map<string, Offset>();
  return {
    now,
    announce(metadata, timeoutMs) {
      const at = now();
      const deadlines: string[] = [];
      for (const [id, known] of offsets) {
        const { least, most } = aged(known, at);
        // By the least it ends too early rather than too late.
        if (most - least <= timeoutMs * MAX_DOUBT_SHARE) deadlines.push(`${id}=${Math.floor(at + timeoutMs + least)}`);
      }
      if (deadlines.length > 0) metadata.set('x-deadline', deadlines.join(' '));
    },
    learn(trailers, sentAt) {
      const [, id, time] = STAMP.exec(String(trailers.get('x-clock')[0])) ?? [];
      if (id === undefined) return;
      const at = now();
      // The core looked at its clock after the call was sent and before the answer was here; its milliseconds are whole.
      const measured = { least: Number(time) - at, most: Number(time) + 1 - sentAt, at };
      const known = offsets.get(id);
      offsets.delete(id);
      offsets.set(id, known === undefined ? measured : narrowed(aged(known, at), measured));
      if (offsets.size > MAX_CORES) offsets.delete(offsets.keys().next().value!);
    },
  };
}

function aged({ least, most, at }: Offset, now: number): Offset {
  const drift = (now - at) * DRIFT;
  return { least: least - drift, most: most + drift, at: now };
}

/** What agrees with both. Where nothing does, one of the clocks stood still, and what was known before is worth nothing. */
function narrowed(known: Offset, measured: Offset): Offset {
  const least = Math.max(known.least, measured.least);
  const most = Math.min(known.most, measured.most);
  return least <= most ? { least, most, at: measured.at } : measured;
}
