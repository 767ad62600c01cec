// Callers of the RPCs must learn the unit of an amount from the protos alone: it is not the minor unit of every currency.
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const lines = globSync('proto/authservice/**/*.proto').flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((text) => ({ file, text })),
);

it('each amount of money names its unit', () => {
  const amounts = lines.filter(({ text }) => text.includes('format: FORMAT_MONEY'));
  expect(amounts.length).toBeGreaterThan(0);
  for (const { text } of amounts) expect(text).toMatch(/ \/\/ In hundredths .*: 3990 is 39\.90\.$/);
});

it('no comment calls the unit a minor unit, which JPY does not have', () => {
  expect(lines.filter(({ text }) => /minor unit/i.test(text))).toEqual([]);
});
