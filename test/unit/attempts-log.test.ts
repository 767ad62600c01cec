// The kept attempts of a delivery: bounded, whatever a receiver responds.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { logAttempt, parseAttempts } from '../../src/auth/delivery/attempts-log.ts';
import type { DecidedAttempt } from '../../src/auth/delivery/decide-attempt.ts';

/** What a TEXT column of MySQL holds. */
const MAX_BYTES = 65_535;
const AT = 1_700_000_000_000;
const failed = (more: Partial<DecidedAttempt> = {}): DecidedAttempt => ({
  verdict: 'failed',
  status: 'PENDING',
  attemptAt: AT,
  nextAt: AT + 5_000,
  responseStatus: 500,
  error: 'the receiver responded 500',
  expiresAt: undefined,
  ...more,
});
const bodyOf = (body: Buffer) => parseAttempts(logAttempt(undefined, failed(), AT, body))[0]!.body;

it('keeps when an attempt began, how long it took, and the response', () => {
  const log = logAttempt(undefined, failed(), AT + 120, Buffer.from('no such hook\n'));
  expect(parseAttempts(log)).toEqual([
    { at: AT, durationMs: 120, status: 500, body: 'no such hook\n', error: 'the receiver responded 500' },
  ]);
  const more = logAttempt(log, failed({ responseStatus: undefined, error: 'ECONNREFUSED' }), AT - 1);
  expect(parseAttempts(more)[1]).toEqual({ at: AT, durationMs: 0, error: 'ECONNREFUSED' });
  expect(parseAttempts(undefined)).toEqual([]);
});

it('keeps the ten newest attempts', () => {
  let log: string | undefined;
  for (let count = 0; count < 12; count += 1) log = logAttempt(log, failed({ attemptAt: AT + count }), AT + count);
  expect(parseAttempts(log).map(({ at }) => at - AT)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

it('keeps the first 2 kB of a body, cuts no character, and shows no control character', () => {
  expect(bodyOf(Buffer.from('a'.repeat(3_000)))).toBe('a'.repeat(2_048));
  expect(bodyOf(Buffer.from(`${'a'.repeat(2_047)}é`))).toBe('a'.repeat(2_047));
  expect(bodyOf(Buffer.from('a\u0000\u001B[31m\tb'))).toBe('a\uFFFD\uFFFD[31m\tb');
  expect(bodyOf(Buffer.from([0x61, 0xff, 0x62]))).toBe('a\uFFFDb');
});

it('fits in its column, whatever receivers respond', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 2_000, maxLength: 2_100 }),
      fc.string({ maxLength: 300 }),
      (bytes, error) => {
        let log: string | undefined;
        for (let count = 0; count < 11; count += 1) log = logAttempt(log, failed({ error }), AT, Buffer.from(bytes));
        expect(Buffer.byteLength(log!)).toBeLessThan(MAX_BYTES);
        expect(parseAttempts(log)).toHaveLength(10);
      },
    ),
    { numRuns: 30 },
  );
  const worst = logAttempt(undefined, failed({ error: '\u0001'.repeat(300) }), AT, Buffer.from('"'.repeat(2_100)));
  expect(10 * Buffer.byteLength(worst)).toBeLessThan(MAX_BYTES);
});
