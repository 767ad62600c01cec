// Replaces the part of jose that creates key pairs in the tests' process (see vitest.config.ts): a key of RSA takes a quarter of a second of
// processor time, and each deployment has one.
import { generateKeyPair as generate, type GenerateKeyPairOptions, type GenerateKeyPairResult } from 'jose';

/** So many that no database gets one twice, in the tests that rotate keys. */
const RSA_PAIRS = 32;
const pairs = new Map<number, Promise<GenerateKeyPairResult>>();
let next = 0;

/** As that of jose. A key of RSA is one of 32, in their order. */
export function generateKeyPair(algorithm: string, options?: GenerateKeyPairOptions): Promise<GenerateKeyPairResult> {
  if (!algorithm.startsWith('RS')) return generate(algorithm, options);
  const index = next % RSA_PAIRS;
  next += 1;
  const pair = pairs.get(index) ?? generate(algorithm, options);
  pairs.set(index, pair);
  return pair;
}
