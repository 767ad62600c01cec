// The settings that the Helm chart renders: the service knows and loads them, and runs with them.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings, type Role } from '../../src/platform/config/load.ts';
import { run } from '../languages/commands.ts';
import { goTools } from '../languages/toolchain.ts';
import { PROJECT, emptyFolder, endProcesses, startProgram } from '../support/service-process.ts';
import { find, objectsOf, render, setFile, SETS, type Manifest } from './chart.ts';

const HOUR_MS = 3_600_000;
const KEY = randomBytes(32).toString('base64');

/** The files of the Secrets whose content is a setting. */
const SECRETS: Readonly<Record<string, string>> = {
  'database-url': 'mysql://authservice:password@db.internal:3306/authservice?ssl=true',
  'key-encryption-key': KEY,
  'mail-url': 'smtp://mailer:secret@mail.example.com:587',
  'redis-url': 'rediss://redis:6379',
};

const rendered = new Map<string, Manifest[]>();

beforeAll(async () => {
  const env = { PATH: await goTools('helm') };
  for (const set of SETS) rendered.set(set, objectsOf(await render(env, setFile(set))));
}, HOUR_MS);
afterAll(endProcesses);

function roleOf(configMap: string): Role {
  const [, component] = /-(core|gateway)-settings$/.exec(configMap) ?? [];
  return (component as Role | undefined) ?? 'all';
}

function readFile(path: string): string {
  const content = path.startsWith('/run/secrets/') ? SECRETS[basename(path)] : undefined;
  if (content === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' });
  return content;
}

const load = (env: Readonly<Record<string, string>>, role: Role) =>
  loadSettings({ argv: [], env, cwd: '/app', role, readFile });

describe.each(SETS)('%s', (set) => {
  it('has settings that the service loads without a warning', () => {
    const maps = rendered.get(set)!.filter(({ kind }) => kind === 'ConfigMap');
    expect(maps.length).toBeGreaterThan(0);
    for (const { metadata, data } of maps) {
      const { settings, warnings } = load(data!, roleOf(metadata.name));
      expect(settings['app.env']).toBe('PROD');
      expect([metadata.name, warnings]).toEqual([metadata.name, []]);
    }
  });
});

it('a setting that the service does not know is found, so the check above can fail', () => {
  const { data } = find(rendered.get('01-minimal.yaml')!, 'ConfigMap', 'authservice-core-settings');
  expect(load({ ...data, APP_LOG_LEVLE: 'debug' }, 'core').warnings).toHaveLength(1);
});

it('the Job of migrations has the settings of the core', () => {
  for (const [set, map] of [
    ['01-minimal.yaml', 'authservice-core-settings'],
    ['04-single.yaml', 'authservice-settings'],
  ] as const) {
    const [container] = find(rendered.get(set)!, 'Job', 'authservice-migrations').spec.template.spec.containers;
    const env = (container.env as { name: string; value: string }[]).map(({ name, value }) => [name, value]);
    expect(Object.fromEntries(env)).toEqual(find(rendered.get(set)!, 'ConfigMap', map).data);
  }
});

describe('one pod with SQLite', () => {
  /** What the pod has: the secrets in a folder, and /app/data in another one. */
  function pod(set: string) {
    const cwd = emptyFolder();
    mkdirSync(join(cwd, 'data'));
    for (const [name, content] of Object.entries({ ...SECRETS, 'database-url': 'sqlite:data/service.db' }))
      writeFileSync(join(cwd, name), content, { mode: 0o440 });
    const { data } = find(rendered.get(set)!, 'ConfigMap', 'authservice-settings');
    const env = Object.entries(data!).map(([name, value]) => [name, value.replace('/run/secrets/core', cwd)]);
    return { cwd, env: Object.fromEntries(env) as Record<string, string> };
  }

  it('migrates by the command of the Job', async () => {
    const [container] = find(rendered.get('04-single.yaml')!, 'Job', 'authservice-migrations').spec.template.spec
      .containers;
    const [program, ...args] = container.args as [string, ...string[]];
    const { cwd, env } = pod('04-single.yaml');
    // The image has the build of this source.
    const source = join(PROJECT, program.replace(/\.js$/, '.ts'));
    const migrate = (...words: string[]) => run(process.execPath, [source, ...words], { cwd, env });
    expect(await migrate(...args)).toMatch(/^\d\d+ migrations applied$/m);
    expect(await migrate('migrate', 'status')).toMatch(/^(?:\d{4}\S+ +true\n?|\D.*\n)+$/);
  });

  it('becomes ready, and stops in order', async () => {
    const [container] = find(rendered.get('05-one-pod.yaml')!, 'Deployment', 'authservice').spec.template.spec
      .containers;
    expect(container.args).toEqual(['gateway/main.js']);
    const { cwd, env } = pod('05-one-pod.yaml');
    const settings = { 'app.http.port': '0', 'app.management.port': '0' };
    const service = startProgram('gateway', { cwd, env, settings });
    const { management } = await service.ready();
    const { port } = new URL(management);
    expect((await fetch(`http://127.0.0.1:${port}${container.readinessProbe.httpGet.path}`)).status).toBe(200);
    expect(await service.stop()).toMatchObject({ code: 0 });
  });
});
