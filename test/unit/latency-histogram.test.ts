import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createLatencyHistogram, LATENCY_BUCKETS } from '../../src/platform/process/latency-histogram.ts';

const NAME = 'took_seconds';
const HELP = 'Time that something took.';
const LABELS = ['path', 'status'] as const;

it("returns the same text as prom-client's own histogram, including bounds and values above them", async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const histogram = createLatencyHistogram(ours, NAME, HELP, LABELS);
  const reference = new Histogram({
    name: NAME,
    help: HELP,
    labelNames: ['path', 'status'],
    buckets: LATENCY_BUCKETS,
    registers: [theirs],
  });
  for (const status of [200, 404]) {
    const labels = { path: '/a "quoted"\n path', status };
    const observe = histogram.series(labels);
    for (const milliseconds of [0, 1, 1.5, 2.5, 5000, 5001]) {
      observe(milliseconds);
      reference.observe(labels, milliseconds / 1000);
    }
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

it('contains no values before the first series', async () => {
  const registry = new Registry();
  createLatencyHistogram(registry, NAME, HELP, LABELS);
  expect(await registry.metrics()).toBe(`# HELP ${NAME} ${HELP}\n# TYPE ${NAME} histogram\n`);
});
