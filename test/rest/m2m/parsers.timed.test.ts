// How long the form parser of the token endpoint takes.
import { expect, it } from 'vitest';
import { parseForm } from '../../../gateway/auth/m2m/form-parser.ts';

it('parses 30,000 parameters within a second', () => {
  const body = Buffer.from(Array.from({ length: 30_000 }, (_, i) => `p${i}`).join('&'));
  const started = performance.now();
  expect(parseForm(body).size).toBe(30_000);
  expect(performance.now() - started).toBeLessThan(1_000);
});
