// The page that a login leads back to: `?return=`. Only the gateway knows the origins that are allowed.
import type { FastifyRequest } from 'fastify';
import { originMatcher } from '../../src/platform/formats/origins.ts';
import type { GatewaySettings } from '../context.ts';
import { publicOrigin } from '../http/origins.ts';
import { requestBase } from '../root/public-urls.ts';

/** Characters that browsers drop or read as a slash, so that a path becomes another host. */
// oxlint-disable-next-line no-control-regex -- They are what it looks for.
const AMBIGUOUS = /[\\\u0000-\u0020\u007F]/;
/** An absolute URL of a web page, or a path of the service. */
const FORM = /^(?:https?:\/\/[^/]|\/(?!\/))/i;
const MAX_CHARACTERS = 2_000;

type Settings = Pick<GatewaySettings, 'app.public-url' | 'app.http.cors.allowed-origins'>;

/**
 * Creates a function that returns the absolute URL to continue at: the wanted one if it is on the service's origin or on an
 * allowed origin, else `home`.
 */
export function createReturnTarget(
  settings: Settings,
  home: string,
): (request: Pick<FastifyRequest, 'protocol' | 'host'>, wanted: unknown) => string {
  const own = publicOrigin(settings);
  const isListed = originMatcher(settings['app.http.cors.allowed-origins']);
  return (request, wanted) => {
    const origin = own ?? requestBase(request);
    const url = typeof wanted === 'string' ? parseTarget(wanted, origin) : undefined;
    const isAllowed = url !== undefined && (url.origin === origin || isListed(url.origin));
    return isAllowed ? url.href : origin + home;
  };
}

function parseTarget(text: string, origin: string): URL | undefined {
  const isPlain = text.length <= MAX_CHARACTERS && FORM.test(text) && !AMBIGUOUS.test(text);
  if (!isPlain || !URL.canParse(text, origin)) return undefined;
  const url = new URL(text, origin);
  return url.username === '' && url.password === '' ? url : undefined;
}
