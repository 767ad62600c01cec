// The JSON schemas of Kubernetes in the layout that kubeconform reads. They come with the Python package kubernetes-validate.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from '../support/service-process.ts';

/** The version that all manifests are checked against. */
export const KUBERNETES = '1.37';

/** Those of which the chart makes objects: kind, group without dots, version. */
const SCHEMAS = [
  'configmap-v1',
  'deployment-apps-v1',
  'horizontalpodautoscaler-autoscaling-v2',
  'ingress-networking-v1',
  'job-batch-v1',
  'networkpolicy-networking-v1',
  'persistentvolumeclaim-v1',
  'poddisruptionbudget-policy-v1',
  'service-v1',
  'serviceaccount-v1',
];
const DEFINITIONS = '_definitions';

/** Writes the strict schemas, and returns the value of -schema-location. `python` is the folder of the programs of the package. */
export function writeSchemas(python: string): string {
  const pattern = `lib/python3*/site-packages/kubernetes_validate/kubernetes-json-schema/v${KUBERNETES}.0-local-strict`;
  const [source] = globSync(pattern, { cwd: join(python, '..') });
  if (source === undefined) throw new Error(`kubernetes-validate has no schemas of Kubernetes ${KUBERNETES}`);
  const folder = emptyFolder();
  for (const name of [DEFINITIONS, ...SCHEMAS]) {
    // Their names in the package are addresses in the network, which kubeconform would fetch.
    const text = readFileSync(join(python, '..', source, `${name}.json`), 'utf8');
    const schema = JSON.parse(text.replaceAll(`"/api/${DEFINITIONS}.json#`, `"${DEFINITIONS}.json#`)) as object;
    const entries = Object.entries(schema).filter(([key]) => key !== '$id' && key !== '$schema');
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(Object.fromEntries(entries)));
  }
  return join(folder, '{{.ResourceKind}}{{.KindSuffix}}.json');
}
