// The settings of deploy/ and of the README: their files load, and production hides the reasons of refusals.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readEnvironment } from '../../src/platform/config/environment.ts';
import { loadSettings } from '../../src/platform/config/load.ts';
import { PROJECT } from '../support/service-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');

it('the systemd unit sets no setting, because that would override application.yaml', () => {
  const unit = read('deploy/systemd/authservice.service');
  expect(unit).not.toMatch(/^(?:Environment|EnvironmentFile|PassEnvironment)=.*APP_/m);
  expect(unit).toMatch(/^ExecStart=.* --config=%d\/application\.yaml$/m);
});

it('the settings for systemd are valid in PROD', () => {
  const cwd = temporaryFolder('systemd-');
  const file = join(cwd, 'application.yaml');
  const key = randomBytes(32).toString('base64');
  writeFileSync(file, read('deploy/systemd/application.yaml').replace(': KEY', `: ${key}`), { mode: 0o600 });
  const { settings, warnings } = loadSettings({ argv: [`--config=${file}`], env: {}, cwd, role: 'all' });
  expect(settings).toMatchObject({ 'app.env': 'PROD', 'app.api.error-disclosure.mode': 'minimal' });
  expect(warnings.filter((warning) => /disclosure/.test(warning))).toEqual([]);
});

/** The environment of each service of a Compose file that has one. */
function environmentsOf(path: string): Record<string, string>[] {
  const { services } = parse(read(path), { merge: true }) as { services: Record<string, Service> };
  return Object.values(services).flatMap(({ environment }) => (environment ? [environment] : []));
}

interface Service {
  readonly environment?: Record<string, string>;
}

/** The variables of a file for Kubernetes. */
const variablesOf = (path: string): Record<string, string> =>
  Object.fromEntries([...read(path).matchAll(/^([A-Z0-9_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));

it.each<[path: string, environments: readonly Record<string, string>[]]>([
  ['deploy/compose.yaml', environmentsOf('deploy/compose.yaml')],
  ['deploy/compose/mail.yaml', environmentsOf('deploy/compose/mail.yaml')],
  ['deploy/kubernetes/core.env', [variablesOf('deploy/kubernetes/core.env')]],
  ['deploy/kubernetes/gateway.env', [variablesOf('deploy/kubernetes/gateway.env')]],
])('%s sets only variables that are settings', (_, environments) => {
  const names = environments.flatMap(Object.keys).filter((name) => name.startsWith('APP_'));
  expect(names.length).toBeGreaterThan(1);
  for (const env of environments) expect(readEnvironment(env, () => '').warnings).toEqual([]);
  expect(readEnvironment({ APP_MAIL_UR: 'x' }, () => '').warnings).toHaveLength(1);
});

it.each([
  ['README.md', 'APP_API_ERROR_DISCLOSURE_MODE=minimal'],
  ['docs/deployment.md', 'APP_API_ERROR_DISCLOSURE_MODE=minimal'],
  ['deploy/compose.yaml', 'APP_API_ERROR_DISCLOSURE_MODE: minimal'],
  ['deploy/kubernetes/core.env', 'APP_API_ERROR_DISCLOSURE_MODE=minimal'],
  ['deploy/kubernetes/gateway.env', 'APP_API_ERROR_DISCLOSURE_MODE=minimal'],
])('%s sets minimal disclosure for production', (path, setting) => {
  expect(read(path)).toContain(setting);
});

/** Every file that starts the service. */
const STARTS = [
  'package.json',
  'scripts/program',
  'cli/npm/authservice.cjs',
  'scripts/image/config.ts',
  'deploy/Dockerfile',
  'deploy/systemd/authservice.service',
  'bench/service.ts',
];

it.each(STARTS)('%s starts the service with the memory of all other starts', (path) => {
  const text = read(path);
  const valuesOf = (setting: RegExp) => [...new Set([...text.matchAll(setting)].map(([, value]) => value))];
  expect(valuesOf(/--max-semi-space-size=(\d+)/g)).toEqual(['16']);
  expect(valuesOf(/MALLOC_ARENA_MAX(?:=|: ')(\d+)/g)).toEqual(
    // The npm scripts set it before they start this one.
    path === 'scripts/program' ? [] : ['1'],
  );
});

it('every npm script that starts the service sets the memory', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const starting = Object.entries(scripts).filter(([, script]) => /(?:gateway|src)\/main/.test(script));
  expect(starting.map(([name]) => name)).toEqual(['dev', 'start', 'core', 'gateway']);
  for (const [, script] of starting)
    expect(script).toMatch(/^MALLOC_ARENA_MAX=1 .*(?:scripts\/program|--max-semi-space-size=16) /);
});
