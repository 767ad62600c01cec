// Metrics of several workers that become one text.
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createLatencyHistogram } from '../../src/platform/process/latency-histogram.ts';
import { createCombinedMetrics } from '../../src/platform/process/workers/combined-metrics.ts';
import { watchMetrics } from '../../src/platform/process/metrics.ts';

/** A worker with a counter, two gauges and a histogram. */
function createMember(values: { count: number; gauge: number; latest: number; calls: number }) {
  const registry = new Registry();
  watchMetrics(registry, [
    { name: 'events_total', help: 'h', type: 'counter', read: () => [{ value: values.count }] },
    { name: 'connections', help: 'h', type: 'gauge', read: () => [{ value: values.gauge }] },
    { name: 'last_run', help: 'h', type: 'gauge', aggregator: 'max', read: () => [{ value: values.latest }] },
  ]);
  const observe = createLatencyHistogram(registry, 'took_seconds', 'h', ['path']).series({ path: 'a' });
  for (let call = 0; call < values.calls; call += 1) observe(3);
  // The channel between processes carries JSON.
  return { values, read: async () => JSON.parse(JSON.stringify(await registry.getMetricsAsJSON())) as never };
}

const MEMBERS = [
  { count: 3, gauge: 2, latest: 100, calls: 1 },
  { count: 4, gauge: 5, latest: 50, calls: 2 },
];

const linesIn = (text: string) =>
  text.split('\n').filter((line) => /^(?:events|connections|last_run|took_seconds_count)/.test(line));

it('adds counts and gauges, and returns the maximum if a metric declares it', async () => {
  const combined = createCombinedMetrics();
  const members = new Map(
    await Promise.all(MEMBERS.map(async (values) => [values, await createMember(values).read()] as const)),
  );
  expect(linesIn(await combined.combine(members))).toEqual([
    'events_total 7',
    'connections 7',
    'last_run 100',
    'took_seconds_count{path="a"} 3',
  ]);
});

it('keeps the counts of members that have ended, one after the other, but not their gauges', async () => {
  const combined = createCombinedMetrics();
  const [first, second] = MEMBERS.map(createMember);
  await combined.combine(new Map([[first!, await first!.read()]]));
  combined.retain(first!);
  await combined.combine(new Map([[second!, await second!.read()]]));
  combined.retain(second!);
  const third = createMember({ count: 1, gauge: 1, latest: 1, calls: 0 });
  expect(linesIn(await combined.combine(new Map([[third, await third.read()]])))).toEqual([
    'events_total 8',
    'connections 1',
    'last_run 1',
    'took_seconds_count{path="a"} 3',
  ]);
});

it('returns the last values of a member that does not respond', async () => {
  const combined = createCombinedMetrics();
  const member = createMember(MEMBERS[0]!);
  await combined.combine(new Map([[member, await member.read()]]));
  expect(linesIn(await combined.combine(new Map([[member, undefined]])))[0]).toBe('events_total 3');
});

it('counts a member once if it ends after its response', async () => {
  const combined = createCombinedMetrics();
  const member = createMember(MEMBERS[0]!);
  const members = new Map([[member, await member.read()]]);
  await combined.combine(members);
  combined.retain(member);
  expect(linesIn(await combined.combine(members))[0]).toBe('events_total 3');
});
