// Fails if docs/dependencies.md lacks a direct package or names one that package.json does not have, or if no source of the service
// imports a package of production.
import { globSync, readFileSync } from 'node:fs';

const PAGE = 'docs/dependencies.md';
const SECTIONS = {
  dependencies: '## Packages of a production installation',
  devDependencies: '## Packages of the development',
} as const;

const page = readFileSync(PAGE, 'utf8');
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Readonly<Record<string, string>>>;
const sources = globSync('{src,gateway,cli,proto/gen}/**/*.ts').map((path) => readFileSync(path, 'utf8'));
const optional = Object.keys(manifest['optionalDependencies']!);

const problems = [
  ...Object.entries(SECTIONS).flatMap(([kind, heading]) => differences(kind, heading)),
  ...optional.filter((name) => !page.includes(`\`${name}\``)).map((name) => `${PAGE} does not name ${name}`),
  ...Object.keys(manifest['dependencies']!)
    .filter((name) => !sources.some((text) => text.includes(`'${name}'`) || text.includes(`'${name}/`)))
    .map((name) => `no source imports ${name}: remove it from package.json and ${PAGE}`),
];
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}

function differences(kind: string, heading: string): string[] {
  const section = page.split(`${heading}\n`)[1]?.split(/^## /m)[0] ?? '';
  const listed = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name!);
  const direct = Object.keys(manifest[kind]!);
  return [
    ...direct.filter((name) => !listed.includes(name)).map((name) => `${PAGE} lacks ${name} of ${kind}`),
    ...listed
      .filter((name) => !direct.includes(name))
      .map((name) => `${name} is not in ${kind}: remove it from ${PAGE}`),
  ];
}
