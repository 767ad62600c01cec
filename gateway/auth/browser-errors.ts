// Errors of the authorization endpoint, where people see them: a page without script and other files, because it must always work.
import { createHash } from 'node:crypto';
import { CATALOGUE, type FailureName } from '../../src/platform/problem/catalogue.ts';
import { toProblem } from '../../src/platform/problem/problem.ts';
import { isBearerChallenge, type ErrorFormat } from '../errors/error-formats.ts';
import { escapeHtml } from '../http/escape-html.ts';

/** A query that is too long is refused before the request can be read (RFC 9110 section 15.5.15). */
const errorOf = (name: FailureName) => {
  const { status, code } = CATALOGUE[name];
  return { status: name === 'HEADERS_TOO_LARGE' ? 414 : status, code };
};

const STYLE =
  'body{max-width:27rem;margin:12vh auto;padding:0 1rem;font:100%/1.5 system-ui,sans-serif}h1{font-size:1.5rem;line-height:1.25}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export const BROWSER_ERRORS: ErrorFormat = {
  respond(disclosed, path) {
    const { headers, body } = toProblem(disclosed, path);
    const { status } = errorOf(disclosed.name);
    return {
      status,
      headers: {
        ...headers,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
      },
      body: pageOf(body.title, body.detail ?? ''),
    };
  },
  errorOf,
  isChallenge: isBearerChallenge,
  schemas: { 'text/html': 'ErrorPage' },
};

function pageOf(title: string, text: string): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<h1>${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(text)}</p>`,
    '<p>Go back to the application and try again.</p>',
    '<p lang="de">Gehen Sie zur Anwendung zurück und versuchen Sie es noch einmal.</p>',
    '',
  ].join('\n');
}
