// The HTML of a page: it loads the style sheet and the scripts, and is the same for everyone.
import { escapeHtml } from '../http/escape-html.ts';
import { createStaticBody, type StaticBody } from '../http/static-body.ts';
import type { Manifest } from './page-files.ts';

export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** Returns the page for a popup of an application, which must keep its opener: the application waits for it. Framing stays forbidden. */
export function withOpener(page: StaticBody): StaticBody {
  const { 'cross-origin-opener-policy': _, ...headers } = page.headers;
  return { ...page, headers };
}

interface Shell {
  readonly name: string;
  /** Path of the pages. */
  readonly base: string;
  readonly title: string;
  /** Path of the start page, if there is one. */
  readonly home?: string | undefined;
}

/** Renders the HTML of a page. The paths are absolute, because a page can have screens below its path. */
export async function renderShell(
  { style, icon, pages, brand = {} }: Manifest,
  { name, base, title, home }: Shell,
  { script: further }: { readonly script?: string },
): Promise<StaticBody> {
  const { script, imports } = pages[name]!;
  const asset = (file: string): string => escapeHtml(`${base}/assets/${file}`);
  const data = { logo: brand.logo && `${base}/assets/${brand.logo}`, home };
  const attributes = Object.entries(data)
    .map(([key, value]) => (value === undefined ? '' : ` data-${key}="${escapeHtml(value)}"`))
    .join('');
  const lines = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    `<title>${escapeHtml(title)}</title>`,
    `<link rel="icon" href="${asset(icon)}">`,
    ...[style, ...(brand.style ? [brand.style] : [])].map((file) => `<link rel="stylesheet" href="${asset(file)}">`),
    ...imports.map((file) => `<link rel="modulepreload" href="${asset(file)}">`),
    ...[script, ...(further ? [further] : [])].map((file) => `<script type="module" src="${asset(file)}"></script>`),
    '</head>',
    '<body>',
    `<div id="page"${attributes}></div>`,
    '<noscript><main class="narrow"><p>This page needs JavaScript. Diese Seite braucht JavaScript.</p></main></noscript>',
    '</body>',
    '</html>',
    '',
  ];
  return createStaticBody(lines.join('\n'), 'text/html; charset=utf-8', PAGE_HEADERS);
}
