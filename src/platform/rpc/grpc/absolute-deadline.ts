// The caller's deadline as a time on the core's own clock. gRPC sends a duration instead, which a frozen core would
// count from the moment it reads the request. The clocks here are monotonic: they are never set, and their zero has no
// meaning.
import { randomBytes } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import type { CallMetadata } from './server-call.ts';

/** Milliseconds since an arbitrary fixed time. Only increases. */
export type MonotonicClock = () => number;

/** The clock that a core announces to its callers. */
export interface CoreClock {
  /** Returns the value of `x-clock` in the trailers of a response: `<id> <milliseconds>`. */
  stamp(): string;
  /** The caller's deadline in Unix milliseconds; Infinity if the metadata has none for this clock. */
  deadlineAt(metadata: CallMetadata): number;
}

/** A client's estimates of the clocks of all cores that it calls. A call may reach any of them. */
export interface CoreClocks {
  readonly now: MonotonicClock;
  /**
   * Writes `x-deadline: <id>=<milliseconds> …`: the deadline of a call that begins now, on every clock that is known
   * precisely enough.
   */
  announce(metadata: Metadata, timeoutMs: number): void;
  /**
   * Updates the estimate from the trailers of a response. `sentAt` is when its call was sent; the response arrived now.
   */
  learn(trailers: Metadata, sentAt: number): void;
}

/**
 * The difference between a core's clock and the client's lies between `least` and `most`. Measured at `at` on the
 * client's clock.
 */
interface Offset {
  readonly least: number;
  readonly most: number;
  readonly at: number;
}

const monotonic: MonotonicClock = () => performance.now();

/**
 * Maximum relative drift of two clocks. Clocks that drift faster, while they are slewed, contradict earlier
 * measurements.
 */
const DRIFT = 200e-6;
/** A clock must be known within this share of a call's timeout. The call may lose at most this much time. */
const MAX_DOUBT_SHARE = 0.25;
/** Each process of a core has its own id, so this also limits the entries left by restarts. */
const MAX_CORES = 32;
const STAMP = /^([\w-]{8}) (\d{1,15})$/;

/** Creates the clock of this process with its own id. */
export function createCoreClock(now = monotonic): CoreClock {
  const id = randomBytes(6).toString('base64url');
  const own = new RegExp(`(?:^| )${id}=(-?\\d{1,15})(?: |$)`);
  return {
    stamp: () => `${id} ${Math.floor(now())}`,
    deadlineAt(metadata) {
      const [deadlines] = metadata.get('x-deadline');
      const at = deadlines === undefined ? undefined : own.exec(deadlines.toString())?.[1];
      return at === undefined ? Infinity : Date.now() + Number(at) - now();
    },
  };
}

/**
 * Creates a client's estimates, empty at first. Until a core has responded once, only gRPC's deadline limits its calls.
 */
export function createCoreClocks(now = monotonic): CoreClocks {
  const offsets = new Map<string, Offset>();
  return {
    now,
    announce(metadata, timeoutMs) {
      const at = now();
      const deadlines: string[] = [];
      for (const [id, known] of offsets) {
        const { least, most } = widen(known, at);
        // With `least`, the deadline is rather too early than too late.
        if (most - least <= timeoutMs * MAX_DOUBT_SHARE) deadlines.push(`${id}=${Math.floor(at + timeoutMs + least)}`);
      }
      if (deadlines.length > 0) metadata.set('x-deadline', deadlines.join(' '));
    },
    learn(trailers, sentAt) {
      const [, id, time] = STAMP.exec(String(trailers.get('x-clock')[0])) ?? [];
      if (id === undefined) return;
      const at = now();
      // The core read its clock after the call was sent and before the response arrived. It sends whole milliseconds.
      const measured = { least: Number(time) - at, most: Number(time) + 1 - sentAt, at };
      const known = offsets.get(id);
      offsets.delete(id);
      offsets.set(id, known === undefined ? measured : intersect(widen(known, at), measured));
      if (offsets.size > MAX_CORES) offsets.delete(offsets.keys().next().value!);
    },
  };
}

function widen({ least, most, at }: Offset, now: number): Offset {
  const drift = (now - at) * DRIFT;
  return { least: least - drift, most: most + drift, at: now };
}

/**
 * Returns the intersection of both ranges. If it is empty, one of the clocks was stopped, and the earlier range is
 * useless.
 */
function intersect(known: Offset, measured: Offset): Offset {
  const least = Math.max(known.least, measured.least);
  const most = Math.min(known.most, measured.most);
  return least <= most ? { least, most, at: measured.at } : measured;
}
