// Renders the Helm chart.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { run } from '../languages/commands.ts';
import { PROJECT, emptyFolder } from '../support/service-process.ts';

export const CHART = join(PROJECT, 'deploy/helm/authservice');
export const NAMESPACE = 'authservice';

/** The names of the sets of values in the chart's folder ci. */
export const SETS: readonly string[] = globSync('*.yaml', { cwd: join(CHART, 'ci') }).toSorted();

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: any; // Manifests of any kind.
}

export const setFile = (name: string): string => join(CHART, 'ci', name);

/** Writes values to a file of their own. */
export function valuesFile(text: string): string {
  const file = join(emptyFolder(), 'values.yaml');
  writeFileSync(file, text);
  return file;
}

/** Returns what Helm would create for a release called authservice. */
export const render = (env: Readonly<Record<string, string>>, values: string, chart = CHART): Promise<string> =>
  run('helm', ['template', 'authservice', chart, '--namespace', NAMESPACE, '--values', values], { env });

/** Compiles the program that reads custom resources, and returns its path. */
export async function buildDecoder(): Promise<string> {
  const decoder = join(emptyFolder(), 'decode');
  await run('go', ['build', '-o', decoder, '.'], { cwd: join(PROJECT, 'test/deploy/decode') });
  return decoder;
}

export const objectsOf = (manifests: string): Manifest[] =>
  parseAllDocuments(manifests).flatMap((document) => (document.contents === null ? [] : [document.toJS() as Manifest]));

export function find(objects: readonly Manifest[], kind: string, name: string): Manifest {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`no ${kind} ${name}`);
  return found;
}

/** The command blocks of docs/helm.md that are marked with a name, and its values. */
export function helmPage(): { readonly values: string; readonly commands: ReadonlyMap<string, string> } {
  const page = readFileSync(join(PROJECT, 'docs/helm.md'), 'utf8');
  const outdent = (text: string): string => text.replaceAll(/^ {3}/gm, '');
  const [, values] = /<!-- values -->\n *```yaml\n(.*?)```/s.exec(page)!;
  const blocks = [...page.matchAll(/<!-- run (\S+) -->\n *```sh\n(.*?)```/gs)];
  return {
    values: outdent(values!),
    commands: new Map(blocks.map(([, name, script]) => [name!, outdent(script!)])),
  };
}
