import { expect, it } from 'vitest';
import { PACE, pauseAfterBatch } from '../../src/platform/jobs/cleanup.ts';

const MINUTE_MS = 60_000;

it('rests four times as long as a batch took', () => {
  expect(pauseAfterBatch(PACE.mysql, 30, MINUTE_MS)).toBe(120);
  expect(pauseAfterBatch(PACE.sqlite, 7, 0)).toBe(28);
});

it('rests at least the shortest pause after short batches', () => {
  expect(pauseAfterBatch(PACE.mysql, 1, 0)).toBe(20);
  expect(pauseAfterBatch(PACE.sqlite, 1, 0)).toBe(8);
});

it.each(['sqlite', 'mysql'] as const)(
  'works half of the time on %s in a run that takes longer than its interval',
  (engine) => {
    expect(pauseAfterBatch(PACE[engine], 30, MINUTE_MS + 1)).toBe(30);
    expect(pauseAfterBatch(PACE[engine], 1, MINUTE_MS + 1)).toBe(1);
  },
);
