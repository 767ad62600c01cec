// Writes THIRD_PARTY_NOTICES: the licences of all packages of a production installation and of the bundled pages, from the lock
// file and the packages. Fails if a licence is not allowed, or if a package has no text. Equal texts are printed once.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LockedPackage } from './sbom/document.ts';
import { shippedPackages } from './sbom/shipped-packages.ts';
import { writePage } from './write-page.ts';

/** Licences that need no review: they ask for their text and the copyright notices only. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  '(Apache-2.0 AND BSD-3-Clause)',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

/** Reviewed packages with another licence. docs/dependencies.md gives the reason. */
const REVIEWED = { name: /^@img\/sharp-/, licence: /^(?:Apache-2\.0 AND )?LGPL-3\.0-or-later(?: AND MIT)?$/ };

/** The licence of @bufbuild/protobuf, and a file whose first comment is its second text. */
const APACHE_AND_BSD = '(Apache-2.0 AND BSD-3-Clause)';
const HEADED_FILE = 'dist/esm/wire/varint.js';
const GNU_TEXTS = ['LGPL-3.0', 'GPL-3.0'] as const;
const LINE = `\n\n${'='.repeat(100)}\n\n`;

/** Packages for one platform, which not every machine installs. */
const PLATFORM_TEXTS: readonly { readonly name: RegExp; readonly text: () => string }[] = [
  {
    name: /^@img\/sharp-libvips-/,
    text: () => `libvips and the libraries in it, unchanged. The sources and the scripts that build them are at
https://github.com/lovell/sharp-libvips. The README of the package lists the licence of each library. Some have the GNU Lesser General
Public License, version 3 or later, whose text is at the end of this file.`,
  },
  { name: /^@img\/sharp-/, text: () => read('node_modules/sharp/LICENSE') },
  {
    name: /^@emnapi\//,
    text: () => `Copyright (c) 2021-present Toyobayashi\n\n${read('third_party/licences/MIT.txt')}`,
  },
  {
    name: /^node-/,
    text: () => `The binary of Node.js, unchanged. The file LICENSE of the package has its licences.`,
  },
];

interface Notice {
  readonly title: string;
  /** The lines with the names of the owners. */
  readonly copyright: string;
  readonly body: string;
}

const problems: string[] = [];
const notices = Object.entries(shippedPackages('.'))
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([path, shipped]) => noticeOf(path, shipped));
notices.push({ title: 'SecLists: common passwords (MIT)', ...splitText(read('third_party/seclists/LICENSE')) });

if (problems.length > 0) {
  console.error(`THIRD_PARTY_NOTICES:\n${problems.join('\n')}`);
  process.exitCode = 1;
} else writePage('THIRD_PARTY_NOTICES', [head(), ...sections(), ...gnuTexts()].join(LINE).concat('\n'));

function read(path: string): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n').trim();
}

function noticeOf(path: string, shipped: LockedPackage): Notice {
  const name = path.split('node_modules/').at(-1)!;
  const { version, license: licence = 'none', optional } = shipped;
  const isReviewed = REVIEWED.name.test(name) && REVIEWED.licence.test(licence);
  if (!ALLOWED.has(licence) && !isReviewed) problems.push(`${name}: the licence ${licence} is not allowed`);
  const platform = optional ? PLATFORM_TEXTS.find((row) => row.name.test(name)) : undefined;
  const text = platform?.text() ?? textOf(path, licence);
  if (text === undefined) problems.push(`${name}: the package has no licence text`);
  return { title: `${name} ${version} (${licence})`, ...splitText(text ?? '') };
}

/** The texts in a package, or the standard text where its authors have left it out. */
function textOf(path: string, licence: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const files = readdirSync(path).filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name));
  const texts = files.toSorted().map((name) => read(join(path, name)));
  return files.some((name) => !/^notice/i.test(name)) ? texts.join('\n\n') : standardText(path, licence);
}

function standardText(path: string, licence: string): string | undefined {
  const { author } = JSON.parse(read(join(path, 'package.json'))) as { author?: string | { readonly name: string } };
  const owner = typeof author === 'string' ? author : author?.name;
  const copyright = `Copyright ${owner ?? 'the authors'}`;
  if (licence === 'Apache-2.0') return `${copyright}\n\n${read('LICENSE')}`;
  if (licence === 'MIT' || licence === 'Unlicense')
    return `${copyright}\n\n${read(`third_party/licences/${licence}.txt`)}`;
  const headed = join(path, HEADED_FILE);
  if (licence !== APACHE_AND_BSD || !existsSync(headed)) return undefined;
  return `${read('LICENSE')}\n\n${/^(?:\/\/.*\n)+/.exec(read(headed))?.[0].replaceAll(/^\/\/ ?/gm, '')}`.trim();
}

/** Separates the names of the owners from a text, so that equal texts are found. */
function splitText(text: string): Omit<Notice, 'title'> {
  const [start, rest] = [text.slice(0, 1_000), text.slice(1_000)];
  const owners = /^ *(?:Copyright|\(c\)|©)[^\n]*$/gim;
  const copyright = (start.match(owners) ?? []).map((line) => line.trim()).join('\n');
  return { copyright, body: `${start.replaceAll(owners, '')}${rest}`.replaceAll(/\n{3,}/g, '\n\n').trim() };
}

function head(): string {
  return `authservice is under the Apache License 2.0 (LICENSE). It uses the packages below: a production installation (npm ci
--omit=dev) installs them, or the bundled pages (web/dist) contain them. npm installs packages for one platform on that platform only.
This file is generated: npm run docs.

${notices.map(({ title }) => title).join('\n')}`;
}

/** A section for each text, with the packages that have it. */
function sections(): string[] {
  const byText = Map.groupBy(notices, ({ body }) => body.replaceAll(/[\s"'“”*]+/g, ' ').toLowerCase());
  return [...byText.values()].map((group) => {
    const packages = group.map(
      ({ title, copyright }) => `${title}${copyright ? `\n    ${copyright.replaceAll('\n', '\n    ')}` : ''}`,
    );
    return `${packages.join('\n')}\n\n${group[0]!.body}`;
  });
}

function gnuTexts(): string[] {
  return GNU_TEXTS.map((name) => read(`third_party/licences/${name}.txt`));
}
