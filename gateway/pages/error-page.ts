// The page of a request that does not go back to an application: it is not known to belong to it, cannot be judged now, or is a logout that
// names no URI.
// It has no script, so nothing of the request can run or lead elsewhere.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewaySettings } from '../context.ts';
import { ERROR_TEXTS, LANGUAGES, type Fault, type Language } from './error-texts.ts';
import type { Manifest } from './page-files.ts';
import { pagesBase, type PageSource } from './page-source.ts';
import { escapeHtml } from '../http/escape-html.ts';

export type { Fault, RequestFault } from './error-texts.ts';

const STATUS: Readonly<Record<Fault, number>> = {
  'unknown-application': 400,
  'wrong-redirect-uri': 400,
  'invalid-request': 400,
  'too-many-open': 429,
  'too-large': 414,
  unavailable: 503,
  'logout-unknown-application': 400,
  'logout-wrong-redirect-uri': 400,
  'logout-invalid-hint': 400,
  'logout-invalid-request': 400,
  'logout-too-many-open': 429,
  'logout-too-large': 414,
  'logout-unavailable': 503,
  'logged-out': 200,
};

/** By status. */
const RETRY_AFTER_SECONDS: Readonly<Record<number, number>> = { 429: 60, 503: 2 };

/** Without `cross-origin-opener-policy`: a popup of an application shows it, too. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  vary: 'Accept-Language',
};

export type SendErrorPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  fault: Fault,
  /** Languages that the application prefers to those of the browser, separated by spaces. */
  uiLocales?: string,
) => Promise<FastifyReply>;

/** Returns a function that sends the page of a fault, in the language that the browser prefers. */
export function createErrorPages(settings: GatewaySettings, source: PageSource): SendErrorPage {
  const service = { name: settings['app.brand.name'], base: pagesBase(settings) };
  return async (request, reply, fault, uiLocales) => {
    const { manifest } = await source.files();
    const wanted = uiLocales?.split(' ', 50).join(',');
    const language = firstLanguage(wanted) ?? firstLanguage(request.headers['accept-language']) ?? LANGUAGES[0];
    const html = renderErrorPage(manifest, service, { fault, language, requestId: request.id });
    const retryAfter = RETRY_AFTER_SECONDS[STATUS[fault]];
    return reply
      .code(STATUS[fault])
      .headers({ ...HEADERS, 'content-language': language, ...(retryAfter && { 'retry-after': retryAfter }) })
      .type('text/html; charset=utf-8')
      .send(html);
  };
}

interface ErrorPage {
  readonly fault: Fault;
  readonly language: Language;
  readonly requestId: string;
}

interface Service {
  readonly name: string;
  /** Path of the pages. */
  readonly base: string;
}

/** Renders the page. Its parts look like those of web/src/ui/frame.tsx. */
function renderErrorPage({ style, icon, brand = {} }: Manifest, { name, base }: Service, page: ErrorPage): string {
  const { fault, language, requestId } = page;
  const { forDevelopers, idOfRequest, ...texts } = ERROR_TEXTS[language];
  const { title, text, cause } = texts[fault];
  const asset = (file: string): string => escapeHtml(`${base}/assets/${file}`);
  const styles = [style, ...(brand.style ? [brand.style] : [])];
  return [
    '<!doctype html>',
    `<html lang="${language}">`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    `<title>${escapeHtml(`${title} · ${name}`)}</title>`,
    `<link rel="icon" href="${asset(icon)}">`,
    ...styles.map((file) => `<link rel="stylesheet" href="${asset(file)}">`),
    '</head>',
    '<body>',
    '<main class="narrow">',
    `<p class="brand">${brand.logo ? `<img class="logo" src="${asset(brand.logo)}" alt="">` : MARK}<bdi>${escapeHtml(name)}</bdi></p>`,
    '<div class="card">',
    `<h1>${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(text)}</p>`,
    ...(cause === undefined
      ? []
      : [
          '<div class="for-developers">',
          `<h2>${escapeHtml(forDevelopers)}</h2>`,
          `<p>${withCode(cause)}</p>`,
          `<p>${escapeHtml(idOfRequest)} <code>${escapeHtml(requestId)}</code></p>`,
          '</div>',
        ]),
    '</div>',
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const MARK =
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M11 15v-3a5 5 0 0 1 10 0v3"/>' +
  '<rect class="body" x="8" y="14.5" width="16" height="11" rx="2.5"/><circle cx="16" cy="20" r="2.2"/></svg>';

/** Returns HTML with the names in backquotes as code. */
const withCode = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

/** Returns the first language of the header that exists here (RFC 9110 section 12.5.4), by its quality. */
function firstLanguage(header = ''): Language | undefined {
  const ranges = header.split(',', 50).map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return { language: tag.split('-')[0], quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
  });
  const wanted = ranges.filter(({ quality }) => quality > 0).toSorted((one, other) => other.quality - one.quality);
  return wanted.map(({ language }) => LANGUAGES.find((known) => known === language)).find(Boolean);
}
