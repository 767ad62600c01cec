// Fails if a document contains a setting, RPC, path, metric or audit event that does not exist, or if docs/architecture.md does not
// list a folder. The changelog is exempt, because it contains old names.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { isSettingName, SETTING_NAMES } from '../src/platform/config/schema.ts';

const CODE_BLOCK = /^( *)```.*?^\1```/gms;
/** The name of a file that readers create: the line before its content. */
const CREATED_FILE = /^.*:\n\n(?=<!-- snippet )|\bCreate `[^`\n]+`:$/gm;
const INLINE_CODE = /`([^`\n]+)`/g;
const ROOTS = 'src|gateway|proto|test|cli|scripts|docs|examples|migrations|bench|third_party';

const sources = globSync('{src,gateway}/**/*.ts').map((path) => readFileSync(path, 'utf8'));
const rpcs = readFileSync('docs/reference/rpcs.md', 'utf8');

/** The kinds of names in inline code, and the check of each. */
const KINDS: readonly { readonly pattern: RegExp; readonly exists: (name: string) => boolean }[] = [
  { pattern: /^(?:--)?(app\.[a-z0-9.*-]+)/, exists: isSetting },
  {
    pattern: new RegExp(`^((?:${ROOTS})/[^\\s\`…<]*)$`),
    exists: (path) => globSync(path).length > 0 || existsSync(path),
  },
  { pattern: /^(?:authservice\.\w+\.v1\.)?(\w+Service\/[A-Z]\w+)$/, exists: isRpc },
  { pattern: /^((?:cleanup|http|rpc|connections|log)_\w+)$/, exists: isInSources },
  {
    pattern: /^((?:account|session|login|client|client-secret|api-key|refusals|signing-key|tenant)\.[a-z-]+)$/,
    exists: isInSources,
  },
];

const pages = globSync(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md', 'examples/*.md']);
const layout = readFileSync('docs/architecture.md', 'utf8');
const unlisted = globSync('src/*/').filter((folder) => !layout.includes(`\`${folder.replace(/\/$/, '')}`));
const unknown = pages.flatMap((page) => {
  const text = readFileSync(page, 'utf8').replaceAll(CODE_BLOCK, '').replaceAll(CREATED_FILE, '');
  return [...text.matchAll(INLINE_CODE)].flatMap(([, code]) => unknownNames(code!).map((name) => `${page}: ${name}`));
});
if (sources.length === 0 || pages.length === 0) throw new Error('nothing to check');
if (unlisted.length > 0) {
  console.error(`folders that docs/architecture.md does not list: ${unlisted.join(', ')}`);
  process.exitCode = 1;
}
if (unknown.length > 0) {
  console.error(`names that do not exist:\n${unknown.join('\n')}`);
  process.exitCode = 1;
}

function unknownNames(code: string): string[] {
  return KINDS.flatMap(({ pattern, exists }) => {
    const name = pattern.exec(code)?.[1];
    return name === undefined || exists(name) ? [] : [name];
  });
}

function isSetting(name: string): boolean {
  if (name.endsWith('*')) return SETTING_NAMES.some((setting) => setting.startsWith(name.replace('*', '')));
  return isSettingName(name);
}

function isRpc(name: string): boolean {
  const [service, method] = name.split('/') as [string, string];
  const section = rpcs.split(/^## /m).find((text) => text.split('\n')[0]!.endsWith(`.${service}`));
  return section?.includes(`\n- \`${method}\``) ?? false;
}

function isInSources(name: string): boolean {
  return sources.some((text) => text.includes(`'${name}'`));
}
