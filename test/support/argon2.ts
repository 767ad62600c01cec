// Stands for the package `argon2` in the tests' own process (see vitest.config.ts): the same, but that it can remember.
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

/** Verifications that have begun and cannot end. */
export interface Barrier {
  /** How many have come so far. */
  count(): number;
  /** Resolves once this many have come. */
  reached(count: number): Promise<void>;
  /** Lets all of them end, and later ones too. */
  lift(): void;
}

/** Holds up every verification until the barrier is lifted. */
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
 * Lets the tests of a file or a `describe` verify each password once per hash and remember the outcome: for tests with many
 * logins to which it is all the same how long a verification takes.
 */
export function rememberPasswords(): void {
  beforeAll(() => {
    remembered = new Map();
  });
  afterAll(() => {
    remembered = undefined;
  });
}
