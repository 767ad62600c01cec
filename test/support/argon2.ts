// Replaces the package `argon2` in the tests' process (see vitest.config.ts). It behaves the same, and can cache results.
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as Argon2 from 'argon2';
import { afterAll, beforeAll } from 'vitest';

const real = createRequire(import.meta.url)('argon2') as typeof Argon2;
// As long as a few statements: what overlaps with a verification still does.
const REMEMBERING_MS = 5;

let remembered: Map<string, Promise<boolean>> | undefined;
let passBarrier: (() => Promise<void>) | undefined;

export const { argon2id, hash, needsRehash } = real;

/** Verifications that have started and are blocked. */
export interface Barrier {
  /** Number of verifications that have started so far. */
  count(): number;
  /** Resolves when this many verifications have started. */
  reached(count: number): Promise<void>;
  /** Unblocks all verifications, including later ones. */
  lift(): void;
}

/** Blocks all verifications until the barrier is lifted. */
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
  return barrier;
}

export async function verify(passwordHash: string, password: string): Promise<boolean> {
  await passBarrier?.();
  const key = `${passwordHash} ${password}`;
  const known = remembered?.get(key);
  if (known) return sleep(REMEMBERING_MS, known);
  const outcome = real.verify(passwordHash, password);
  remembered?.set(key, outcome);
  return outcome;
}

/**
 * Caches the outcome per password and hash for the tests of a file or a `describe`. For tests with many logins that do not depend
 * on the duration of a verification.
 */
export function rememberPasswords(): void {
  beforeAll(() => {
    remembered = new Map();
  });
  afterAll(() => {
    remembered = undefined;
  });
}
