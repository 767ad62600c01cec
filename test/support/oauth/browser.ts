// A browser that keeps cookies and follows redirects, without scripts.
import type { RestResponse, SetCookie } from '../rest-client.ts';
import type { Browser, Cookie, Outcome, Provider } from './provider.ts';

const FORM = 'application/x-www-form-urlencoded';

/** Opens a browser without a session. */
export function openBrowser(provider: Provider): Browser {
  const cookies = new Map<string, Cookie>();
  const origin = new URL(provider.issuer).origin;

  async function send(method: string, url: string, init: RequestInit = {}): Promise<RestResponse> {
    const { pathname } = new URL(url);
    const cookie = [...cookies]
      .filter(([, { path }]) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const headers = { ...(cookie && { cookie }), ...(init.headers as Record<string, string>) };
    const response = await provider.send(method, url, { ...init, headers });
    for (const one of response.cookies) keep(one);
    return response;
  }

  function keep({ name, value, attributes }: SetCookie): void {
    const { path = '/', expires, 'max-age': maxAge } = attributes;
    const isOver = value === '' || maxAge === '0' || (typeof expires === 'string' && expires.includes(' 1970 '));
    if (isOver) cookies.delete(name);
    else cookies.set(name, { value, path: String(path) });
  }

  async function visit(url: string, { method = 'GET', ...init }: RequestInit = {}): Promise<Outcome> {
    const response = await send(method, url, init);
    const header = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || header === null) return { kind: 'error-page', response };
    const target = new URL(header, url);
    if (target.origin !== origin)
      return { kind: 'callback', location: header, parameters: target.searchParams, response };
    if (provider.pages.isPage(target.href)) return { kind: 'page', url: target.href, response };
    return visit(target.href);
  }

  const browser: Browser = {
    send,
    visit,
    cookies,
    accessToken: undefined,
    user: undefined,
    async finish(outcome, user, decision = 'ALLOW') {
      let reached = outcome;
      for (let pages = 0; reached.kind === 'page'; pages += 1) {
        if (pages > 5) throw new Error(`the pages do not end: ${reached.url}`);
        const next = await provider.pages.answer(reached.url, browser, user, decision);
        const { origin: reachedOrigin, searchParams } = new URL(next);
        reached =
          reachedOrigin === origin
            ? await visit(next)
            : { kind: 'callback', location: next, parameters: searchParams, response: reached.response };
      }
      return reached;
    },
  };
  return browser;
}

/** A request with a form. */
export function formOf(parameters: URLSearchParams | string): RequestInit & { method: string } {
  return { method: 'POST', headers: { 'content-type': FORM }, body: String(parameters) };
}
