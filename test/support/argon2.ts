// Stands for the package `argon2` in the tests' own process (see vitest.config.ts): the same, but that it can remember.
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as Argon2 from 'argon2';
import { afterAll, beforeAll } from 'vitest';

const real = createRequire(import.meta.url)('argon2') as typeof Argon2;
// As long as a few statements: what overlaps with a verification still does.
const REMEMBERING_MS = 5;

let remembered: Map<string, Promise<boolean>> | undefined;

export const { argon2id, hash, needsRehash } = real;

export async function verify(passwordHash: string, password: string): Promise<boolean> {
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
