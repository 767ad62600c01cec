// The files of the Helm chart that are published.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';

/** The files of a chart without those of its .helmignore, whose lines are folders or patterns here. */
export function chartFiles(chart: string): string[] {
  const ignored = readFileSync(join(chart, '.helmignore'), 'utf8').split('\n').filter(Boolean);
  const isIgnored = (file: string): boolean =>
    ignored.some((rule) => (rule.endsWith('/') ? file.startsWith(rule) : matchesGlob(file, rule)));
  return [...globSync('**', { cwd: chart }), '.helmignore']
    .filter((file) => statSync(join(chart, file)).isFile() && !isIgnored(file))
    .toSorted();
}

/** The values with this image by default. Throws if they have one already. */
export function withImage(values: string, image: string): string {
  const changed = values.replace(/^( {2}repository:) ''$/m, `$1 ${image}`);
  if (changed === values) throw new Error("values.yaml of the chart has no line repository: ''");
  return changed;
}
