// The refresh cookie (RFC 6265): read from requests, set and cleared on responses.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from '../../type.ts';
import { type RefreshCookie, RequestOrigin } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Gateway } from '../../context.ts';
import { refreshCookieName } from '../../../src/platform/formats/names.ts';
import { browserOrigin, originClassifier } from '../../http/origins.ts';
import { authPath } from '../../api-path.ts';

/** Operations on the refresh cookie. */
export type RefreshCookies = ReturnType<typeof refreshCookies>;

/**
 * The most refresh tokens that the core accepts in one request. A Cookie header has no room for more: another host of the
 * site could otherwise hide the genuine cookie behind its own.
 */
const MAX_REFRESH_TOKENS = 1_000;

/** OpenAPI schema of the header that sets or clears the cookie. */
export const SET_COOKIE = {
  'Set-Cookie': Type.String({
    description: 'The refresh cookie: HttpOnly, SameSite=Lax, for the authentication endpoints only.',
  }),
};

/** Returns all values of a name in a Cookie header, without decoding. Names are case-sensitive. */
export function cookieValues(header: string, name: string): string[] {
  const values: string[] = [];
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) values.push(pair.slice(equals + 1).trim());
  }
  return values;
}

/** Creates the operations on the refresh cookie, configured by the settings `app.security.refresh-session.cookie-*`. */
export function refreshCookies({ settings, log }: Pick<Gateway, 'settings' | 'log'>) {
  const cookie = {
    name: settings['app.security.refresh-session.cookie-name'],
    perOrigin: settings['app.security.refresh-session.cookie-per-origin'],
  };
  const classifyOrigin = originClassifier(settings);
  const secure = settings['app.security.refresh-session.cookie-secure'];
  // The core's value consists of cookie characters only. With encoding, the browser would send back another value.
  // The Path restricts the cookie to the authentication endpoints.
  const attributes = { path: authPath(settings), httpOnly: true, sameSite: 'lax', secure, encode: String } as const;
  let warned = false;

  /** Browsers discard a Secure cookie that was sent over plain HTTP. Then the session ends when the access token expires. */
  const warnOfPlainHttp = (request: FastifyRequest): void => {
    if (warned || !secure || request.protocol === 'https') return;
    warned = true;
    log.warn(
      'A refresh cookie marked Secure was sent over plain HTTP and browsers will not keep it: serve HTTPS (behind a ' +
        'proxy, name it in app.http.trusted-proxies), or set app.security.refresh-session.cookie-secure=false',
    );
  };

  /** Returns the origin of the page that sent a request, as fields of the core's request messages. */
  const originOf = (request: FastifyRequest) => ({
    origin: classifyOrigin(request),
    browserOrigin: browserOrigin(request),
  });

  return {
    originOf,
    /** Returns the different values of all cookies of the name, as received, at most 1,000. The core decides on duplicates. */
    read(request: FastifyRequest): string[] {
      const { origin, browserOrigin: text } = originOf(request);
      const name = refreshCookieName(cookie, origin === RequestOrigin.REQUEST_ORIGIN_LISTED ? text : undefined);
      return [...new Set(cookieValues(request.headers.cookie ?? '', name))].slice(0, MAX_REFRESH_TOKENS);
    },
    write(request: FastifyRequest, reply: FastifyReply, { name, value, maxAge }: RefreshCookie): void {
      warnOfPlainHttp(request);
      reply.setCookie(name, value, { ...attributes, ...(maxAge !== undefined && { maxAge }) });
    },
    clear: (reply: FastifyReply, cleared: string) => void reply.clearCookie(cleared, attributes),
  };
}
