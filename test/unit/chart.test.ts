// The values of the Helm chart against its schema, without Helm. test/deploy/helm.test.ts renders them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Schema from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chartFiles, withImage } from '../../scripts/release/chart.ts';

const CHART = join(import.meta.dirname, '../../deploy/helm/authservice');
const read = (file: string): string => readFileSync(join(CHART, file), 'utf8');

type Values = { readonly [name: string]: unknown };
interface Properties {
  readonly properties?: Readonly<Record<string, Properties>>;
}

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges values as Helm does: null removes a default. */
function merge(defaults: Values, values: Values): Values {
  const merged = new Map(Object.entries(defaults));
  for (const [name, value] of Object.entries(values)) {
    const before = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isMap(value) && isMap(before) ? merge(before, value) : value);
  }
  return Object.fromEntries(merged);
}

const defaults = parse(read('values.yaml')) as Values;
const schema = JSON.parse(read('values.schema.json')) as Properties;
const compiled = Schema.Compile(schema);
const isValid = (values: Values): boolean => compiled.Check(merge(defaults, values));
const sets = globSync('ci/*.yaml', { cwd: CHART }).toSorted();

it('the schema accepts the defaults and ten sets of values', () => {
  expect(sets).toHaveLength(10);
  expect(compiled.Errors(defaults)[1]).toEqual([]);
  for (const file of sets)
    expect([file, compiled.Errors(merge(defaults, parse(read(file)) as Values))[1]]).toEqual([file, []]);
});

it.each<[problem: string, values: Values]>([
  ['an unknown value', { ingres: { enabled: true } }],
  ['an unknown value in a group', { gateway: { replica: 2 } }],
  ['a value of another type', { core: { replicas: 'two' } }],
  ['an unknown mode', { mode: 'both' }],
  ['a public URL with a slash at its end', { publicUrl: 'https://auth.example.com/' }],
  ['an unknown setting', { settings: { 'app.log.levle': 'debug' } }],
  ['a setting of the core at the gateway', { gateway: { settings: { 'app.files.store': 's3://files' } } }],
  ['a setting that the chart sets', { core: { settings: { 'app.rpc.port': 50052 } } }],
  ['a secret in the settings', { core: { settings: { 'app.database.url': 'mysql://u:p@db/a' } } }],
  ['the URL of Redis in the settings', { core: { settings: { 'app.security.m2m.rate-limit.store': 'redis://r' } } }],
  ['a file for a setting without secret', { core: { secretFiles: { 'app.log.level': 'level' } } }],
  ['a path as the name of a file', { core: { bootstrapFile: '/etc/accounts.yaml' } }],
  ['no Secret', { gateway: { secretNames: [] } }],
  ['a route without a Gateway', { httpRoute: { enabled: true } }],
  ['two kinds of monitors', { monitoring: { kind: 'PodMonitor,ServiceMonitor' } }],
  ['a volume for cores and gateways apart', { persistence: { enabled: true } }],
  ['a volume for pods that scale', { mode: 'single', persistence: { enabled: true } }],
])('the schema refuses %s', (_, values) => {
  expect(isValid({})).toBe(true);
  expect(isValid(values)).toBe(false);
});

describe('values.yaml', () => {
  /** The names of values with defaults or in the schema, without settings and what Kubernetes defines. */
  const namesOf = (value: unknown, { properties }: Properties, path = ''): string[] =>
    properties === undefined || !isMap(value)
      ? []
      : Object.entries(value).flatMap(([name, inner]) => [
          `${path}${name}`,
          ...namesOf(inner, properties[name] ?? {}, `${path}${name}.`),
        ]);
  const declared = ({ properties = {} }: Properties, path = ''): string[] =>
    Object.entries(properties).flatMap(([name, inner]) => [`${path}${name}`, ...declared(inner, `${path}${name}.`)]);

  it('has each value of the schema', () => {
    const optional = ['global', 'core.resources.claims', 'gateway.resources.claims'];
    const names = namesOf(defaults, schema);
    expect(names.length).toBeGreaterThan(100);
    expect(declared(schema).filter((name) => !names.includes(name))).toEqual(optional);
  });

  it('explains each value', () => {
    const lines = read('values.yaml').split('\n');
    const gateway = lines.indexOf('gateway:');
    const afterGateway = lines.findIndex((line, index) => index > gateway && /^\w/.test(line));
    // The values of the gateway are those of the core.
    const isOfGateway = (index: number): boolean => index > gateway && index < afterGateway;
    const values = lines.flatMap((line, index) =>
      /^(?: {2})?[A-Za-z]+:/.test(line) && !isOfGateway(index) ? [index] : [],
    );
    expect(values.length).toBeGreaterThan(70);
    expect(values.filter((index) => !/^ *# /.test(lines[index - 1]!)).map((index) => lines[index])).toEqual([]);
  });
});

describe('the packed chart', () => {
  it('has all files but those of the tests', () => {
    const files = chartFiles(CHART);
    expect(files).toEqual(expect.arrayContaining(['Chart.yaml', 'templates/NOTES.txt', 'values.schema.json']));
    expect(files.filter((file) => file.startsWith('ci/'))).toEqual([]);
  });

  it('names the image of the repository', () => {
    const values = withImage(read('values.yaml'), 'ghcr.io/owner/authservice');
    expect(parse(values)).toMatchObject({ image: { repository: 'ghcr.io/owner/authservice', tag: '' } });
    expect(() => withImage(values, 'ghcr.io/other/authservice')).toThrow(/no line repository/);
  });
});
