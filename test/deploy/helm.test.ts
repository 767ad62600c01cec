// The Helm chart: ten sets of values by Helm, the schemas of Kubernetes by kubeconform, and the same content as deploy/kubernetes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { run, runShell } from '../languages/commands.ts';
import { goTools } from '../languages/toolchain.ts';
import { pythonPackages } from '../openapi/cache.ts';
import { PROJECT, emptyFolder } from '../support/service-process.ts';
import {
  buildDecoder,
  CHART,
  find,
  helmPage,
  NAMESPACE,
  objectsOf,
  render,
  setFile,
  SETS,
  valuesFile,
  type Manifest,
} from './chart.ts';
import { KUBERNETES, writeSchemas } from './kubernetes-schemas.ts';

const HOUR_MS = 3_600_000;
const CUSTOM = ['HTTPRoute', 'PodMonitor', 'ServiceMonitor'];

let env: Record<string, string>;
let schemas: string;
let decoder: string;
const rendered = new Map<string, string>();
const objects = (set: string): Manifest[] => objectsOf(rendered.get(set)!);

beforeAll(async () => {
  env = { PATH: await goTools('helm', 'kubeconform') };
  schemas = writeSchemas(await pythonPackages('deploy', join(PROJECT, 'test/deploy/requirements.txt')));
  decoder = await buildDecoder();
  for (const set of SETS) rendered.set(set, await render(env, setFile(set)));
}, HOUR_MS);

async function conform(manifests: string): Promise<string> {
  const file = valuesFile(manifests);
  const flags = ['-strict', '-summary', '-skip', CUSTOM.join(','), '-schema-location', schemas];
  return run('kubeconform', [...flags, file], { env });
}

async function decode(manifest: Manifest): Promise<void> {
  const file = valuesFile(JSON.stringify(manifest));
  await run(decoder, [file]);
}

describe.each(SETS)('%s', (set) => {
  it('passes helm lint', () => run('helm', ['lint', '--strict', CHART, '--values', setFile(set)], { env }));

  it(`has the schemas of Kubernetes ${KUBERNETES}, without unknown members`, async () => {
    const all = objects(set);
    const custom = all.filter(({ kind }) => CUSTOM.includes(kind));
    const summary = await conform(rendered.get(set)!);
    expect(summary).toContain(`Valid: ${all.length - custom.length}, Invalid: 0, Errors: 0, Skipped: ${custom.length}`);
    for (const manifest of custom) await decode(manifest);
  });

  it('renders other objects than each other set', () => {
    const others = SETS.filter((other) => other !== set).map((other) => rendered.get(other));
    expect(others).toHaveLength(9);
    expect(others).not.toContain(rendered.get(set));
  });
});

it('the checks of the schemas find a misspelt member', async () => {
  const wrong = rendered.get(SETS[0]!)!.replaceAll('maxUnavailable', 'maxUnavailables');
  await expect(conform(wrong)).rejects.toThrow(/maxUnavailables/);
  const monitor = objects('07-service-monitor.yaml').find(({ kind }) => kind === 'ServiceMonitor')!;
  const text = JSON.stringify(monitor).replace('endpoints', 'endpoint');
  await expect(decode(JSON.parse(text) as Manifest)).rejects.toThrow(/unknown field "endpoint"/);
});

it('the sets contain each kind of object', () => {
  const kinds = new Set(SETS.flatMap((set) => objects(set).map(({ kind }) => kind)));
  const known = ['ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'Job', 'NetworkPolicy'];
  const more = ['PersistentVolumeClaim', 'PodDisruptionBudget', 'Service', 'ServiceAccount'];
  expect([...kinds].toSorted()).toEqual([...known, ...more, ...CUSTOM].toSorted());
});

it.each([
  [
    '{ publicUrl: https://a.example, core: { settings: { app.files.store: s3://files } } }',
    /image\.repository is missing/,
  ],
  ['image: { repository: r }', /publicUrl is missing: set it to the URL/],
  ['{ image: { repository: r }, publicUrl: https://a.example }', /core\.settings needs app\.files\.store/],
  ['{ ingres: {} }', /additional properties 'ingres' not allowed/],
  ['{ core: { replicas: many } }', /\/core\/replicas.*got string, want integer/],
  ['{ settings: { app.log.levle: debug } }', /\/settings.*additional properties 'app\.log\.levle' not allowed/],
  ['{ core: { settings: { app.database.url: x } } }', /\/core\/settings.*'app\.database\.url' not allowed/],
  ['{ mode: both }', /\/mode.*must be one of 'separate', 'single'/],
])('Helm refuses %s and names the reason', async (values, reason) => {
  await expect(render(env, valuesFile(values))).rejects.toThrow(reason);
});

describe('what differs between the sets', () => {
  const args = (set: string) =>
    objects(set).flatMap(({ kind, spec }) => (kind === 'Deployment' ? spec.template.spec.containers[0].args : []));
  const images = (set: string) =>
    objects(set).flatMap(({ kind, spec }) => (kind === 'Deployment' ? spec.template.spec.containers[0].image : []));

  it('one process runs in mode single, two kinds otherwise', () => {
    expect(args('01-minimal.yaml')).toEqual(['src/main.js', 'gateway/main.js']);
    expect(args('04-single.yaml')).toEqual(['gateway/main.js']);
  });

  it('old gateways run beside new cores', () => {
    const repository = 'registry.example/authservice';
    expect(images('10-upgrade.yaml')).toEqual([`${repository}:0.2.0`, `${repository}:0.1.0`]);
    expect(images('08-fixed-size.yaml')[0]).toMatch(/@sha256:0{64}$/);
    expect(images('01-minimal.yaml')[0]).toBe(
      `${repository}:${parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')).appVersion}`,
    );
  });

  it('a new version of the chart alone replaces no pods', () => {
    const { labels } = find(objects('01-minimal.yaml'), 'Deployment', 'authservice-gateway').spec.template.metadata;
    expect(Object.keys(labels).filter((name) => /version|chart/.test(name))).toEqual([]);
  });

  it('numbers and lists are written as the service reads them', () => {
    expect(find(objects('04-single.yaml'), 'ConfigMap', 'authservice-settings').data).toMatchObject({
      APP_FILES_MAX_BYTES: '104857600',
      APP_RPC_ENABLED: 'false',
    });
    expect(find(objects('03-http-route.yaml'), 'ConfigMap', 'authservice-gateway-settings').data).toMatchObject({
      APP_HTTP_CORS_ALLOWED_ORIGINS: 'https://www.example.com,https://shop.example.com',
    });
  });

  it('pods have the time that the service needs to stop', () => {
    const all = objects('08-fixed-size.yaml');
    const pod = find(all, 'Deployment', 'authservice-core').spec.template.spec;
    const { data } = find(all, 'ConfigMap', 'authservice-core-settings');
    expect(data).toMatchObject({ APP_PROCESS_DRAIN_DELAY: '15s', APP_SHUTDOWN_GRACE: '60s' });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(15 + 60);
  });

  it('monitors select Services or pods that have the port', () => {
    const all = objects('07-service-monitor.yaml');
    const monitor = find(all, 'ServiceMonitor', 'authservice');
    const selected = all.filter(
      ({ kind, metadata }) =>
        kind === 'Service' && includes((metadata as any).labels, monitor.spec.selector.matchLabels),
    );
    expect(selected.map(({ metadata }) => metadata.name)).toEqual([
      'authservice-core-metrics',
      'authservice-gateway-metrics',
    ]);
    for (const { spec } of selected) expect(spec.ports[0].name).toBe(monitor.spec.endpoints[0].port);
    const jobs = selected.map(({ metadata }) => (metadata as any).labels[monitor.spec.jobLabel]);
    expect(jobs).toEqual(['core', 'gateway']);
  });

  it('routes lead to the Service of the gateway', () => {
    const service = find(objects('02-ingress.yaml'), 'Service', 'authservice-gateway');
    const { rules } = find(objects('02-ingress.yaml'), 'Ingress', 'authservice-gateway').spec;
    expect(rules).toMatchObject([{ host: 'auth.example.com' }]);
    expect(rules[0].http.paths[0].backend.service).toEqual({
      name: service.metadata.name,
      port: { name: service.spec.ports[0].name },
    });
    const route = find(objects('03-http-route.yaml'), 'HTTPRoute', 'authservice-gateway').spec;
    expect(route).toMatchObject({
      hostnames: ['example.com'],
      rules: [{ backendRefs: [{ name: 'authservice-gateway', port: 80 }] }],
    });
  });

  it('every selector finds pods', () => {
    for (const set of SETS) {
      const all = objects(set);
      const labels = all.flatMap(({ kind, spec }) => (kind === 'Deployment' ? [spec.template.metadata.labels] : []));
      const selectors = all.flatMap(({ kind, spec }) => {
        if (kind === 'Service') return [spec.selector];
        if (kind === 'NetworkPolicy') return [spec.podSelector.matchLabels];
        return kind === 'PodDisruptionBudget' ? [spec.selector.matchLabels] : [];
      });
      expect(selectors.length).toBeGreaterThan(1);
      for (const selector of selectors) expect(labels.some((one) => includes(one, selector))).toBe(true);
    }
  });
});

const includes = (labels: Record<string, string>, selector: Record<string, string>): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

describe('the content of deploy/kubernetes', () => {
  const kustomize = (file: string): Manifest[] =>
    parseAllDocuments(readFileSync(join(PROJECT, 'deploy/kubernetes', file), 'utf8')).map(
      (document) => document.toJS() as Manifest,
    );
  const ours = (): Manifest[] => objects('02-ingress.yaml');
  /** Labels and names differ by design. */
  const neutral = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, inner) =>
        key === 'matchLabels' && 'app.kubernetes.io/name' in inner ? 'pods' : inner,
      ),
    );

  it.each(['core', 'gateway'])('the pods of %s are the same', (name) => {
    const { spec: mine } = find(ours(), 'Deployment', `authservice-${name}`);
    const { spec: theirs } = find(kustomize(`${name}.yaml`), 'Deployment', name);
    const { image, envFrom, imagePullPolicy, ...container } = mine.template.spec.containers[0];
    const { image: _, envFrom: __, ...expected } = theirs.template.spec.containers[0];
    expect(imagePullPolicy).toBe('IfNotPresent');
    expect(image).toMatch(/^registry\.example\/authservice:/);
    expect(envFrom).toEqual([{ configMapRef: { name: `authservice-${name}-settings` } }]);
    expect(container).toEqual(expected);
    const { containers, volumes, serviceAccountName, ...pod } = mine.template.spec;
    const { containers: ___, volumes: ____, serviceAccountName: _____, ...expectedPod } = theirs.template.spec;
    expect([containers.length, serviceAccountName]).toEqual([1, `authservice-${name}`]);
    expect(neutral(pod)).toEqual(neutral(expectedPod));
    const { defaultMode } = theirs.template.spec.volumes[0].secret;
    expect(volumes).toEqual([
      { name: 'secrets', projected: { defaultMode, sources: [{ secret: { name: `${name}-secrets` } }] } },
      theirs.template.spec.volumes[1],
    ]);
    expect(mine.strategy).toEqual(theirs.strategy);
  });

  it.each(['core', 'gateway'])('the disruption budget and the autoscaler of %s are the same', (name) => {
    for (const kind of ['PodDisruptionBudget', 'HorizontalPodAutoscaler']) {
      const { scaleTargetRef, ...mine } = find(ours(), kind, `authservice-${name}`).spec;
      const { scaleTargetRef: target, ...theirs } = find(kustomize(`${name}.yaml`), kind, name).spec;
      expect(neutral(mine)).toEqual(neutral(theirs));
      expect(scaleTargetRef?.name).toBe(target && `authservice-${name}`);
    }
  });

  it.each(['core', 'gateway'])('the network policy and the Service of %s are the same', (name) => {
    const mine = find(ours(), 'NetworkPolicy', `authservice-${name}`).spec;
    expect(neutral(mine)).toEqual(neutral(find(kustomize(`${name}-network.yaml`), 'NetworkPolicy', name).spec));
    const { ports } = find(kustomize(`${name}-network.yaml`), 'Service', name).spec;
    expect(find(ours(), 'Service', `authservice-${name}`).spec).toMatchObject({ ports });
  });

  it.each(['core', 'gateway'])('the settings of %s are the same', (name) => {
    const text = readFileSync(join(PROJECT, `deploy/kubernetes/${name}.env`), 'utf8');
    const theirs = Object.fromEntries(
      [...text.matchAll(/^([A-Z0-9_]+)=(.*)$/gm)].map(([, key, value]) => [key!, value!]),
    );
    const { data } = find(ours(), 'ConfigMap', `authservice-${name}-settings`);
    const core = 'dns:///authservice-core.authservice.svc.cluster.local:50051';
    expect(data).toEqual(name === 'core' ? theirs : { ...theirs, APP_GATEWAY_CORE: core });
  });

  it('the ingress is the same', () => {
    const [theirs] = kustomize('ingress.yaml');
    const mine = find(ours(), 'Ingress', 'authservice-gateway');
    expect(mine.metadata.annotations).toEqual(theirs!.metadata.annotations);
    expect(mine.spec.tls).toEqual(theirs!.spec.tls);
    expect(mine.spec.ingressClassName).toBe(theirs!.spec.ingressClassName);
  });
});

describe('docs/helm.md', () => {
  it('renders its values by its commands', async () => {
    const { values, commands } = helmPage();
    const folder = emptyFolder();
    writeFileSync(join(folder, 'my-values.yaml'), values);
    const script = commands.get('render')!.replaceAll('deploy/helm/authservice', CHART);
    const output = await runShell(script, { cwd: folder, env });
    const listed = objectsOf(output.slice(output.indexOf('---\n')));
    expect(listed.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Job', 'Ingress', 'Deployment']));
  });
});

it('the printed steps name the objects and the next step', async () => {
  const notes = async (set: string): Promise<string> => {
    const flags = ['--dry-run=client', '--namespace', NAMESPACE, '--values', setFile(set)];
    const output = await run('helm', ['install', 'authservice', CHART, ...flags], {
      env: { ...env, KUBECONFIG: '/dev/null' },
    });
    return output.slice(output.indexOf('NOTES:'));
  };
  expect(await notes('02-ingress.yaml')).toMatch(
    /rollout status deployment\/authservice-gateway.*first account of accounts\.yaml/s,
  );
  expect(await notes('10-upgrade.yaml')).toMatch(
    /port-forward service\/identity-gateway.*WARNING: networkPolicy\.enabled is false/s,
  );
});

it('the packed chart renders the same objects', async () => {
  const { GITHUB_REPOSITORY: _, ...outside } = process.env;
  await run(
    'env',
    ['-i', ...Object.entries(outside).map(([name, value]) => `${name}=${value}`), 'npm', 'run', '-s', 'chart'],
    { cwd: PROJECT },
  );
  const { version } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { version: string };
  const archive = join(PROJECT, `build/chart/authservice-${version}.tgz`);
  expect(await render(env, setFile('02-ingress.yaml'), archive)).toBe(rendered.get('02-ingress.yaml'));
});
