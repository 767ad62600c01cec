// The files of deploy/ against the schemas and checks of their tools. No container, cluster or systemd runs in this file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { parseDuration } from '../../src/platform/config/kinds.ts';
import { SERVICE_SETTINGS } from '../../src/platform/config/schema/service.ts';
import { parseMailUrl } from '../../src/platform/formats/mail-url.ts';
import { run } from '../languages/commands.ts';
import { goTools, requirePrograms } from '../languages/toolchain.ts';
import { pythonPackages } from '../openapi/cache.ts';
import { PROJECT, emptyFolder } from '../support/service-process.ts';
import { buildDecoder } from './chart.ts';
import { KUBERNETES } from './kubernetes-schemas.ts';

const DEPLOY = join(PROJECT, 'deploy');
const HOUR_MS = 3_600_000;
const GRACE_MS = parseDuration(SERVICE_SETTINGS['app.shutdown-grace'].default as string)!;
const DRAIN_RULE = (SERVICE_SETTINGS['app.process.drain-delay'].default as { readonly rule: string }).rule;
const DRAIN_MS = parseDuration(/else `(\d+s)`$/.exec(DRAIN_RULE)![1]!)!;
const STOP_MS = DRAIN_MS + GRACE_MS;

let python: string;
let env: { readonly PATH: string };
let manifests: string;
let decoder: string;

// A first run compiles all tools.
beforeAll(async () => {
  requirePrograms('systemd-analyze');
  python = await pythonPackages('deploy', join(PROJECT, 'test/deploy/requirements.txt'));
  env = { PATH: await goTools('kustomize', 'cmd', 'amtool') };
  decoder = await buildDecoder();
  manifests = await run('kustomize', ['build', join(DEPLOY, 'kubernetes')], { env });
}, HOUR_MS);

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: any; // Manifests of any kind.
}

const portNames = (spec: Manifest['spec']): string[] =>
  spec.template.spec.containers.flatMap(({ ports }: { ports: { name: string }[] }) => ports.map(({ name }) => name));

const validate = (text: string): Promise<string> => {
  const file = join(emptyFolder(), 'manifests.yaml');
  writeFileSync(file, text);
  return run(join(python, 'kubernetes-validate'), ['--strict', '-k', KUBERNETES, file]);
};

it('the Dockerfile passes hadolint', () => run(join(python, 'hadolint'), [join(DEPLOY, 'Dockerfile')]));

it('the build context has what the Dockerfile copies, and nothing else', () => {
  const words = (file: string, pattern: RegExp) =>
    [...readFileSync(join(DEPLOY, file), 'utf8').matchAll(pattern)].flatMap(([, text]) => text!.split(' '));
  const copied = words('Dockerfile', /^COPY (?!--from)(.+) \S+$/gm);
  const rules = words('Dockerfile.dockerignore', /^([^#\s]+)$/gm);
  expect(copied.length).toBeGreaterThan(5);
  expect(rules[0]).toBe('*');
  expect(rules.slice(1).toSorted()).toEqual(copied.map((path) => `!${path}`).toSorted());
});

it('Compose loads compose.yaml, and gives the service time to stop', async () => {
  const loaded = parse(await run('cmd', [join(DEPLOY, 'compose.yaml')], { env })) as {
    services: Record<string, { stop_grace_period?: string; deploy?: { replicas: number } }>;
  };
  for (const name of ['core', 'gateway']) {
    expect(loaded.services[name]!.deploy?.replicas).toBe(2);
    expect(parseDuration(loaded.services[name]!.stop_grace_period!)).toBeGreaterThan(STOP_MS);
  }
});

it('Compose adds the mail relay of compose/mail.yaml', async () => {
  // The loader has no variables, and these have no defaults.
  const relay = readFileSync(join(DEPLOY, 'compose/mail.yaml'), 'utf8').replaceAll(/\$\{\w+:\?.*\}/g, 'given');
  const file = join(emptyFolder(), 'mail.yaml');
  writeFileSync(file, relay);
  const { services } = parse(await run('cmd', [join(DEPLOY, 'compose.yaml'), file], { env })) as {
    services: Record<string, { environment: readonly string[]; networks: object }>;
  };
  const { environment } = services['core']!;
  expect(environment).toEqual(expect.arrayContaining(['APP_MAIL_FROM=given', 'APP_RPC_HOST=0.0.0.0']));
  const url = environment.find((line) => line.startsWith('APP_MAIL_URL='))!.replace('APP_MAIL_URL=', '');
  expect(parseMailUrl(url)).toMatchObject({ host: 'mail', port: 587, isLoopback: false });
  expect(Object.keys(services['mail']!.networks).toSorted()).toEqual(['inner', 'outer']);
});

it('Compose refuses an unknown member, so the check above can fail', async () => {
  const broken = readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8').replace('restart:', 'restarts:');
  const file = join(emptyFolder(), 'compose.yaml');
  writeFileSync(file, broken);
  await expect(run('cmd', [file], { env })).rejects.toThrow(/restarts/);
});

it(`the manifests keep the schemas of Kubernetes ${KUBERNETES}, without unknown members`, async () => {
  const output = await validate(manifests);
  expect(output.match(/passed/g)!.length).toBe(parseAllDocuments(manifests).length);
});

it('a misspelt member fails, so the check above can fail', async () => {
  await expect(validate(manifests.replaceAll('maxUnavailable', 'maxUnavailables'))).rejects.toThrow(/maxUnavailables/);
});

it('pods get the time that the service needs to stop, and every selector finds pods', () => {
  const objects = parseAllDocuments(manifests).map((document) => document.toJS());
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  expect(deployments).toHaveLength(2);
  for (const { spec } of deployments) {
    const pod = spec.template.spec;
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(STOP_MS);
  }
  const labels = deployments.map(({ spec }) => spec.template.metadata.labels['app.kubernetes.io/name']);
  const selectors = objects.flatMap(({ kind, spec }) => {
    if (kind === 'Service') return [spec.selector];
    if (kind === 'NetworkPolicy') return [spec.podSelector.matchLabels];
    return kind === 'PodDisruptionBudget' ? [spec.selector.matchLabels] : [];
  });
  expect(selectors).toHaveLength(6);
  for (const selector of selectors) expect(labels).toContain(selector['app.kubernetes.io/name']);
});

it('cores reach the addresses that give the credentials of S3, by HTTP', () => {
  const policy = parseAllDocuments(manifests)
    .map((document) => document.toJS())
    .find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'core');
  const rule = policy.spec.egress.find(({ ports }: { ports: { port: unknown }[] }) =>
    ports.some(({ port }) => port === 80),
  );
  const addresses = rule.to.map(({ ipBlock }: { ipBlock: { cidr: string } }) => ipBlock.cidr);
  expect(addresses).toEqual(expect.arrayContaining(['169.254.170.23/32', '169.254.169.254/32']));
});

it('the ingress fits the strict schema', async () => {
  await validate(readFileSync(join(DEPLOY, 'kubernetes/ingress.yaml'), 'utf8'));
});

const decode = (file: string): Promise<string> => run(decoder, [file]);

it.each(['http-route.yaml', 'pod-monitor.yaml'])('%s has only members of its custom resource', async (name) => {
  await decode(join(DEPLOY, 'kubernetes', name));
});

it('an unknown member of a custom resource is found, so the check above can fail', async () => {
  const file = join(emptyFolder(), 'pod-monitor.yaml');
  const text = readFileSync(join(DEPLOY, 'kubernetes/pod-monitor.yaml'), 'utf8');
  writeFileSync(file, text.replace('podMetricsEndpoints', 'podMetricEndpoints'));
  await expect(decode(file)).rejects.toThrow(/unknown field "podMetricEndpoints"/);
});

it('the manifests that are added by hand fit together', () => {
  const documents = parseAllDocuments(manifests).map((document) => document.toJS() as Manifest);
  const ports = documents.filter(({ kind }) => kind === 'Deployment').flatMap(({ spec }) => portNames(spec));
  const read = (name: string) => parse(readFileSync(join(DEPLOY, 'kubernetes', name), 'utf8')) as Manifest;
  expect(ports.filter((name) => name === read('pod-monitor.yaml').spec.podMetricsEndpoints[0].port)).toHaveLength(2);
  const service = documents.find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'gateway')!;
  expect(read('http-route.yaml').spec.rules[0].backendRefs).toEqual([
    { name: 'gateway', port: service.spec.ports[0].port },
  ]);
  expect(read('ingress.yaml').spec.rules[0].http.paths[0].backend.service).toEqual({
    name: 'gateway',
    port: { name: service.spec.ports[0].name },
  });
});

it('the ingress accepts files of the maximum size', () => {
  const { annotations = {} } = parse(readFileSync(join(DEPLOY, 'kubernetes/ingress.yaml'), 'utf8')).metadata;
  const [, megabytes] = /^(\d+)m$/.exec(annotations['nginx.ingress.kubernetes.io/proxy-body-size']) ?? [];
  expect(Number(megabytes) * 2 ** 20).toBeGreaterThan(Number(SERVICE_SETTINGS['app.files.max-bytes'].default));
});

it('Alertmanager accepts its configuration', () =>
  run('amtool', ['check-config', join(DEPLOY, 'compose/alertmanager.yaml')], { env }));

it('the Kubernetes steps create every file that the pods read', () => {
  const steps = readFileSync(join(PROJECT, 'docs/containers.md'), 'utf8');
  for (const name of ['core', 'gateway']) {
    const [, command] = new RegExp(`create secret generic ${name}-secrets((?:.*\\\\\n)*.*)`).exec(steps)!;
    const created = [...command!.matchAll(/--from-file=([\w.-]+)/g)].map(([, file]) => file);
    const settings = readFileSync(join(DEPLOY, `kubernetes/${name}.env`), 'utf8');
    const read = [...settings.matchAll(new RegExp(`=/run/secrets/${name}/(.+)$`, 'gm'))].map(([, file]) => file);
    expect(read.length).toBeGreaterThan(2);
    expect(created).toEqual(expect.arrayContaining(read));
  }
});

it('the systemd unit is valid and gives the service time to stop', async () => {
  const unit = readFileSync(join(DEPLOY, 'systemd/authservice.service'), 'utf8');
  const file = join(emptyFolder(), 'authservice.service');
  // systemd-analyze looks for the program, which is not installed here.
  writeFileSync(file, unit.replace('/opt/authservice/node_modules/.bin/node', process.execPath));
  await run('systemd-analyze', ['verify', file]);
  const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit)!;
  expect(Number(seconds) * 1_000).toBeGreaterThan(STOP_MS);
});

it('the systemd unit exposes little of the machine', async () => {
  const unit = join(DEPLOY, 'systemd/authservice.service');
  await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', '--no-pager', unit]);
});
