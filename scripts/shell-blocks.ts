// The blocks of commands in a document, and what follows each.
import { readFileSync } from 'node:fs';

/** A comment on the line before a block: `<!-- run NAME -->`, `<!-- snippet PATH -->` or `<!-- not-run: REASON -->`. */
export type Mark =
  | { readonly kind: 'run'; readonly name: string }
  | { readonly kind: 'snippet'; readonly path: string }
  | { readonly kind: 'not-run'; readonly reason: string }
  | { readonly kind: 'none' };

export interface ShellBlock {
  readonly page: string;
  readonly line: number;
  readonly mark: Mark;
  readonly commands: string;
  /** The output that the document shows, which can be shortened. */
  readonly output: string | undefined;
}

const BLOCK =
  /(?:^ *<!-- (run|snippet|not-run:) (.+) -->\n)?^( *)```sh\n([\s\S]*?)\n\3```$(?:\n\n\3```(?:json|text)\n([\s\S]*?)\n\3```$)?/gm;

export function shellBlocks(page: string): ShellBlock[] {
  const text = readFileSync(page, 'utf8');
  return [...text.matchAll(BLOCK)].map((match) => {
    const [all, kind, value = '', indent = '', commands = '', output] = match;
    const before = text.slice(0, match.index + all.indexOf('```sh'));
    const outdent = (code: string) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    return {
      page,
      line: before.split('\n').length,
      mark: markOf(kind, value),
      commands: outdent(commands),
      output: output === undefined ? undefined : outdent(output),
    };
  });
}

function markOf(kind: string | undefined, value: string): Mark {
  if (kind === 'run') return { kind, name: value };
  if (kind === 'snippet') return { kind, path: value.split(' ')[0]! };
  return kind === undefined ? { kind: 'none' } : { kind: 'not-run', reason: value };
}
