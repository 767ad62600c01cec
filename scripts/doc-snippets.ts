// Copies code of the examples into the docs. A comment `<!-- snippet PATH NAME -->` before a code block identifies the source: the
// lines between `snippet:start NAME` and the next `snippet:end` of the file. Without NAME, it is the whole file. With --check, it
// writes nothing and fails if a page differs.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';

const BLOCK = /(<!-- snippet (\S+)(?: (\S+))? -->\n)```.*?\n```\n/gs;
const LANGUAGES: Readonly<Record<string, string>> = {
  '.cfg': 'toml',
  '.conf': 'apache',
  '.env': 'ini',
  '.go': 'go',
  '.java': 'java',
  '.kt': 'kotlin',
  '.mod': 'text',
  '.properties': 'properties',
  '.proto': 'proto',
  '.json': 'json',
  '.mjs': 'js',
  '.py': 'python',
  '.rs': 'rust',
  '.sh': 'sh',
  '.toml': 'toml',
  '.ts': 'ts',
  '.tsx': 'tsx',
  '.txt': 'text',
  '.vue': 'vue',
  '.xml': 'xml',
  '.yaml': 'yaml',
};

const stale: string[] = [];
for (const page of globSync(['docs/**/*.md', 'client/*.md', 'sdk/*/README.md'])) {
  const text = readFileSync(page, 'utf8');
  const current = text.replaceAll(BLOCK, (_, comment: string, path: string, name?: string) => {
    return `${comment}\`\`\`${LANGUAGES[extname(path)] ?? ''}\n${snippet(path, name)}\n\`\`\`\n`;
  });
  if (current === text) continue;
  stale.push(page);
  if (!process.argv.includes('--check')) writeFileSync(page, current);
}
if (stale.length > 0 && process.argv.includes('--check')) {
  console.error(`${stale.join(', ')}: code blocks differ from the examples; run: npm run docs`);
  process.exitCode = 1;
}

function snippet(path: string, name: string | undefined): string {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  if (!name) return lines.join('\n');
  const start = lines.findIndex((line) => new RegExp(`snippet:start ${name}\\b`).test(line));
  const length = lines.slice(start + 1).findIndex((line) => line.includes('snippet:end'));
  if (start < 0 || length < 0) throw new Error(`${path} has no snippet ${name}`);
  const taken = lines.slice(start + 1, start + 1 + length);
  const indent = Math.min(...taken.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  return taken
    .map((line) => line.slice(indent))
    .join('\n')
    .trim();
}
