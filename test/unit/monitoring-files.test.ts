// The alert rules and the dashboard use metrics that exist, and each alert has a test. What they compute is tested by
// `npm run test:all -- operations`.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}
interface Panels {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

const rules = (parse(read('deploy/prometheus/alert-rules.yaml')) as Rules).groups.flatMap((group) => group.rules);
const panels = (JSON.parse(read('deploy/grafana/authservice.json')) as Panels).panels;
const documented = new Set([...read('docs/reference/metrics.md').matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name!));

/** The names of metrics in a PromQL expression: those with an underscore before a selector or an operator. */
function metricsIn(expression: string): string[] {
  const withoutLabels = expression.replaceAll(/\{[^}]*\}/g, '').replaceAll(/\b(?:by|on|without) \([^)]*\)/g, '');
  return [...withoutLabels.matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b(?!\()/g)]
    .map(([name]) => name)
    .filter((name) => !/^(?:nodejs|process)_/.test(name));
}

it.each([
  ['alert rules', rules.map(({ expr }) => expr)],
  ['dashboard', panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))],
])('the %s use documented metrics', (_, expressions) => {
  const used = new Set(
    expressions.flatMap(metricsIn).map((name) => name.replace(/_seconds_(?:bucket|count|sum)$/, '_seconds')),
  );
  expect(used.size).toBeGreaterThan(8);
  expect([...used].filter((name) => !documented.has(name))).toEqual([]);
});

it('each alert has a test in which it fires', () => {
  const tests = read('deploy/prometheus/alert-tests.yaml');
  const fired = [...tests.matchAll(/labels: '\{alertname="(\w+)"\}', value: 1/g)].map(([, name]) => name!);
  expect(new Set(fired)).toEqual(new Set(rules.map(({ alert }) => alert)));
});
