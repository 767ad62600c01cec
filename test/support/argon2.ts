// Replaces the package `argon2` in the tests' process (see vitest.config.ts). It behaves the same, and can cache results.
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as Argon2 from 'argon2';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

type HashOptions = Argon2.HashOptions & { raw?: false };

const real = createRequire(import.meta.url)('argon2') as typeof Argon2;
/** Duration of a cached result, in milliseconds. As long as a few statements: what overlaps with a hash still does. */
export const REMEMBERED_MS = 5;

let remembered: Map<string, Promise<unknown>> | undefined;
let passBarrier: (() => Promise<void>) | undefined;

export const { argon2id, needsRehash } = real;

/** Verifications that have started and are blocked. */
export interface Barrier {
  /** Number of verifications that have started so far. */
  count(): number;
  /** Resolves when this many verifications have started. */
  reached(count: number): Promise<void>;
  /** Unblocks all verifications, including later ones. */
  lift(): void;
}

/** Blocks all verifications until the barrier is lifted, or the test ends: a failed test must not block later ones. */
export function holdVerifications(): Barrier {
  const lifted = Promise.withResolvers<void>();
  let count = 0;
  const barrier: Barrier = {
    count: () => count,
    async reached(wanted) {
      while (count < wanted) await sleep(2);
    },
    lift() {
      passBarrier = undefined;
      lifted.resolve();
    },
  };
  passBarrier = () => {
    count += 1;
    return lifted.promise;
  };
  onTestFinished(() => barrier.lift());
  return barrier;
}

/** Returns a function that returns how many verifications have started since this call. Ends with the test. */
export function countVerifications(): () => number {
  let count = 0;
  passBarrier = async () => {
    count += 1;
  };
  onTestFinished(() => {
    passBarrier = undefined;
  });
  return () => count;
}

export async function verify(passwordHash: string, password: string): Promise<boolean> {
  await passBarrier?.();
  return remember(`verify ${passwordHash} ${password}`, () => real.verify(passwordHash, password));
}

export async function hash(password: string, options?: HashOptions): Promise<string> {
  return remember(`hash ${password} ${JSON.stringify(options)}`, () => real.hash(password, options));
}

async function remember<T>(key: string, compute: () => Promise<T>): Promise<T> {
  const known = remembered?.get(key) as Promise<T> | undefined;
  if (known) return sleep(REMEMBERED_MS, known);
  const outcome = compute();
  remembered?.set(key, outcome);
  return outcome;
}

/**
 * Caches hashes per password, and verifications per password and hash, for the tests of a file or a `describe`. For tests that
 * depend neither on the duration of a hash nor on its salt.
 */
export function rememberPasswords(): void {
  beforeAll(() => {
    remembered = new Map();
  });
  afterAll(() => {
    remembered = undefined;
  });
}
