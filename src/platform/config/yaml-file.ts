import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { safeName, type Assignment, type Problem, type SourceReading } from './problem.ts';
import { isSettingName, SETTING_NAMES } from './schema.ts';
import { suggestKey } from './suggest.ts';

/** Maximum number of nodes, with aliases expanded. No real file has so many; a larger one is an alias bomb. */
const MAX_NODES = 10_000;
const MAX_DEPTH = 16;
/** Unknown names that get a suggestion. Each is compared with all settings, and nobody reads more of them. */
const MAX_SUGGESTIONS = 50;

const isSection = (key: string): boolean => SETTING_NAMES.some((name) => name.startsWith(`${key}.`));

/**
 * Reads settings from YAML: nested, with flat dotted keys, or mixed. Every scalar is read as its source text (`007`
 * stays `007`). The parser's own messages are not used, because they quote the file, which may contain secrets.
 */
export function readYaml(text: string, label: string): SourceReading {
  // Loaded here because it takes longer to load than everything else, and most processes have no file.
  const yaml = createRequire(import.meta.url)('yaml') as typeof Yaml;
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { schema: 'failsafe', lineCounter: lines, prettyErrors: false });
  const assignments = new Map<string, Assignment>();
  const problems: Problem[] = [];
  const sourceAt = (offset: number | undefined): string => `file ${label}:${lines.linePos(offset ?? 0).line}`;

  const plainText = (node: unknown): string | undefined => {
    const target = yaml.isAlias(node) ? node.resolve(document) : node;
    if (target === null) return '';
    if (!yaml.isScalar(target)) return undefined;
    const empty = target.type === 'PLAIN' && ['~', 'null'].includes(String(target.value));
    return empty ? '' : String(target.value);
  };

  const assign = (key: string, node: unknown, source: string): void => {
    if (!isSettingName(key)) {
      const suggestion = problems.length < MAX_SUGGESTIONS ? suggestKey(key) : '';
      problems.push({ name: safeName(key), source, message: `no such setting${suggestion}` });
      return;
    }
    const target = yaml.isAlias(node) ? node.resolve(document) : node;
    const raw = yaml.isSeq(target) ? target.items.map(plainText) : plainText(target);
    const earlier = assignments.get(key);
    if (raw === undefined || (Array.isArray(raw) && raw.includes(undefined))) {
      problems.push({ name: key, source, message: 'needs a plain value or a list of plain values' });
    } else if (earlier !== undefined) {
      problems.push({ name: key, source, message: `given twice, first in ${earlier.source}; give it once` });
    } else assignments.set(key, { name: key, raw: raw as string | string[], source });
  };

  let nodes = 0;
  const walk = (map: Yaml.YAMLMap, prefix: string, depth: number): void => {
    for (const { key, value } of map.items) {
      nodes += 1;
      if (nodes > MAX_NODES) return;
      const source = sourceAt(yaml.isNode(key) ? key.range?.[0] : undefined);
      if (!yaml.isScalar(key)) {
        problems.push({
          name: prefix || label,
          source,
          message: 'has a key that is no plain text; give setting names',
        });
        continue;
      }
      const name = prefix === '' ? String(key.value) : `${prefix}.${String(key.value)}`;
      const target = yaml.isAlias(value) ? value.resolve(document) : value;
      if (yaml.isMap(target) && !isSettingName(name) && depth < MAX_DEPTH) walk(target, name, depth + 1);
      else if (!(isSection(name) && plainText(value) === '')) assign(name, value, source);
    }
  };

  for (const error of document.errors) {
    const fault = error.code.toLowerCase().replaceAll('_', ' ');
    problems.push({ name: label, source: sourceAt(error.pos[0]), message: `not valid YAML: ${fault}` });
  }
  if (problems.length > 0) return { assignments: [], problems };
  if (yaml.isMap(document.contents)) walk(document.contents, '', 0);
  else if (plainText(document.contents) !== '') {
    problems.push({ name: label, source: sourceAt(0), message: 'needs a YAML map of settings' });
  }
  if (nodes > MAX_NODES) {
    return {
      assignments: [],
      problems: [{ name: label, source: sourceAt(0), message: `has more than ${MAX_NODES} keys, aliases expanded` }],
    };
  }
  return { assignments: [...assignments.values()], problems };
}
