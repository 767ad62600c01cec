// The refresh credential's cookie (RFC 6265): found on requests, set on and cleared from answers.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { RequestOrigin, type RefreshCookie } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Gateway } from '../../context.ts';
import { refreshCookieName } from '../../../src/formats/refresh-cookie-name.ts';
import { browserOrigin, originMatcher, requestOrigin } from '../../http/origins.ts';
import { authPath } from '../auth-path.ts';

/** What the endpoints of this profile do with the cookie. */
export interface RefreshCookies {
  /** What the core is told of the page that a request comes from. */
  originOf(request: FastifyRequest): PageOrigin;
  /** The values of the cookies of the name, as received, as many as the core accepts: it decides on doubled ones. */
  read(request: FastifyRequest): string[];
  write(request: FastifyRequest, reply: FastifyReply, cookie: RefreshCookie | undefined): void;
  clear(reply: FastifyReply, name: string): void;
}

export interface PageOrigin {
  readonly origin: RequestOrigin;
  readonly browserOrigin: string | undefined;
}

/** The core's bound on the refresh credentials of a request. */
export const MAX_REFRESH_CREDENTIALS = 10;

/** For a route's description: the header that sets the cookie or clears it. */
export const SET_COOKIE = {
  'Set-Cookie': Type.String({
    description: 'The refresh cookie: HttpOnly, SameSite=Lax, for the authentication endpoints only.',
  }),
};

/** All values that a Cookie header has for a name. Names are case-sensitive, values are passed on as they are. */
export function cookieValues(header: string, name: string): string[] {
  const values: string[] = [];
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) values.push(pair.slice(equals + 1).trim());
  }
  return values;
}

/** The refresh cookie as the settings want it. */
export function refreshCookies({ settings, log }: Pick<Gateway, 'settings' | 'log'>): RefreshCookies {
  const cookie = {
    name: settings['app.security.refresh-session.cookie-name'],
    perOrigin: settings['app.security.refresh-session.cookie-per-origin'],
  };
  const isListed = originMatcher(settings['app.http.cors.allowed-origins']);
  const secure = settings['app.security.refresh-session.cookie-secure'];
  // The core's value is made of cookie characters; encoding it would make it another one on its way back.
  // It goes to the authentication endpoints and nowhere else.
  const attributes = { path: authPath(settings), httpOnly: true, sameSite: 'lax', secure, encode: String } as const;
  let warned = false;

  /** A browser drops a Secure cookie that comes over plain HTTP, and the session ends with the access token. */
  const warnOfPlainHttp = (request: FastifyRequest): void => {
    if (warned || !secure || request.protocol === 'https') return;
    warned = true;
    log.warn(
      'A refresh cookie marked Secure was sent over plain HTTP and browsers will not keep it: serve HTTPS (behind a ' +
        'proxy, name it in app.http.trusted-proxies), or set app.security.refresh-session.cookie-secure=false',
    );
  };

  const originOf = (request: FastifyRequest): PageOrigin => ({
    origin: requestOrigin(request, isListed),
    browserOrigin: browserOrigin(request),
  });

  return {
    originOf,
    read(request) {
      const { origin, browserOrigin: text } = originOf(request);
      const name = refreshCookieName(cookie, origin === RequestOrigin.REQUEST_ORIGIN_LISTED ? text : undefined);
      return cookieValues(request.headers.cookie ?? '', name).slice(0, MAX_REFRESH_CREDENTIALS);
    },
    write: (request, reply, cookie) => {
      if (cookie === undefined) throw new TypeError('The core sent no refresh cookie');
      warnOfPlainHttp(request);
      const lifetime = cookie.maxAge === undefined ? {} : { maxAge: cookie.maxAge };
      reply.setCookie(cookie.name, cookie.value, { ...attributes, ...lifetime });
    },
    clear: (reply, cleared) => void reply.clearCookie(cleared, attributes),
  };
}
