// Links of the documents, written for readers of the repository: to a page of the site if it has the document, otherwise to the
// repository.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { PAGES, PROJECT } from './contents.ts';

/** Files that the site has beside its pages, and their paths. */
export const FILES: ReadonlyMap<string, string> = new Map([['docs/performance.html', '/performance-figures.html']]);

export type Target =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'page' | 'file' | 'repository'; readonly href: string }
  /** No URL of the repository is known. */
  | { readonly kind: 'none' };

/** Resolves a link of a document, whose path starts at the project. `repository` is a URL with a ref: `https://host/owner/name/blob/main`. */
export function resolveLink(document: string, link: string, repository: string | undefined): Target {
  if (/^(?:[a-z]+:|\/|#)/i.test(link)) return { kind: 'unchanged' };
  const [path, anchor] = link.split('#') as [string, string?];
  const target = posix.join(posix.dirname(document), path).replace(/\/$/, '');
  if (!existsSync(join(PROJECT, target))) throw new Error(`${document}: ${link} does not exist`);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const page = pageOf(target);
  if (page !== undefined) return { kind: 'page', href: page + hash };
  const file = FILES.get(target);
  if (file !== undefined) return { kind: 'file', href: file + hash };
  if (repository === undefined) return { kind: 'none' };
  return { kind: 'repository', href: `${repository}/${target}${hash}` };
}

function pageOf(target: string): string | undefined {
  // The front page of the site is the short form of the README.
  if (target === 'README.md') return '/';
  const isFolder = statSync(join(PROJECT, target)).isDirectory();
  return PAGES.get(isFolder ? `${target}/README.md` : target);
}

/** The anchor of a heading as in GitHub, for which the documents are written. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

interface Token {
  content: string;
  readonly type: string;
  readonly children: Token[] | null;
  attrGet: (name: string) => string | null;
  attrSet: (name: string, value: string) => void;
  tag: string;
  attrs: [string, string][] | null;
}

interface Renderer {
  readonly core: {
    readonly ruler: { push: (name: string, rule: (state: State) => void) => void };
  };
}

interface State {
  readonly tokens: readonly Token[];
  readonly env: { readonly realPath?: string; readonly path?: string };
}

/** A plugin of markdown-it that resolves all links of a document. */
export function linksPlugin(renderer: Renderer, options: { repository: string | undefined; base: string }): void {
  renderer.core.ruler.push('links-of-repository', ({ tokens, env }) => {
    const path = env.realPath ?? env.path;
    if (path === undefined) return;
    const document = relative(PROJECT, path).replaceAll(sep, '/');
    for (const token of tokens) {
      if (token.type === 'html_block') token.content = withRelativeImages(token.content);
      if (token.type === 'inline') resolveInline(document, token.children ?? [], options);
    }
  });
}

function resolveInline(
  document: string,
  tokens: readonly Token[],
  { repository, base }: { repository: string | undefined; base: string },
): void {
  let withoutLink = false;
  for (const token of tokens) {
    if (token.type === 'html_inline') token.content = withRelativeImages(token.content);
    if (token.type === 'link_close' && withoutLink) {
      token.tag = 'span';
      withoutLink = false;
    }
    if (token.type !== 'link_open') continue;
    const target = resolveLink(document, token.attrGet('href') ?? '', repository);
    if (target.kind === 'none') {
      token.tag = 'span';
      token.attrs = null;
      withoutLink = true;
    } else if (target.kind === 'file') {
      // VitePress leaves a link with a target as it is.
      token.attrSet('href', base.replace(/\/$/, '') + target.href);
      token.attrSet('target', '_self');
    } else if (target.kind !== 'unchanged') token.attrSet('href', target.href);
  }
}

/** Vue resolves only paths with a dot at the start. */
function withRelativeImages(html: string): string {
  return html.replaceAll(/(<img[^>]* src=")(?![a-z]+:|[./])/g, '$1./');
}

/** The folder of a document, for links that move to another document. */
export function moveLink(link: string, from: string, to: string): string {
  if (/^[a-z]+:/.test(link)) return link;
  if (link.startsWith('#')) return posix.relative(dirname(to), from) + link;
  return posix.relative(dirname(to), posix.join(dirname(from), link));
}
