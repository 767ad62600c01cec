// Writes third-party-notices.txt into the built site: the licences of the packages whose code the site contains.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './contents.ts';

export const NOTICES = 'third-party-notices.txt';
const PACKAGE = /^\0?(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly author?: string | { readonly name: string };
}

interface Chunk {
  readonly type: string;
  readonly modules?: Readonly<Record<string, unknown>>;
}

interface NoticesPlugin {
  readonly name: string;
  apply: (config: { readonly build?: { readonly ssr?: unknown } }, env: { readonly command: string }) => boolean;
  generateBundle: (
    this: { emitFile: (file: { type: 'asset'; fileName: string; source: string }) => string },
    options: unknown,
    bundle: Readonly<Record<string, Chunk>>,
  ) => void;
}

/** A plugin of Vite. */
export function noticesPlugin(): NoticesPlugin {
  return {
    name: 'third-party-notices',
    // The code for the browser, without the pages' rendering at the build.
    apply: ({ build }, { command }) => command === 'build' && !build?.ssr,
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap(({ modules }) => Object.keys(modules ?? {}));
      const folders = new Map(
        modules.flatMap((id) => {
          const [, folder, name] = PACKAGE.exec(id) ?? [];
          return folder === undefined ? [] : [[name!, folder] as const];
        }),
      );
      if (!folders.has('vue')) throw new Error('the packages in the site were not found');
      const notices = [...folders]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([name, folder]) => notice(name, folder));
      const source = `This site contains code of these packages.\n\n${notices.join(`\n\n${'='.repeat(100)}\n\n`)}\n`;
      this.emitFile({ type: 'asset', fileName: NOTICES, source });
    },
  };
}

function notice(name: string, folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  return `${name} ${manifest.version} (${manifest.license})\n\n${licenceText(name, folder, manifest)}`;
}

/** The text in a package, or the standard text if its authors have left it out. */
function licenceText(name: string, folder: string, { license, author }: Manifest): string {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim();
  if (license !== 'MIT') throw new Error(`${name} has no text of its licence`);
  const owner = typeof author === 'string' ? author : (author?.name ?? 'the authors');
  return `Copyright ${owner}\n\n${readFileSync(join(PROJECT, 'third_party/licences/MIT.txt'), 'utf8').trim()}`;
}
