// Business endpoints behind any leading path: `/shop/api/v1/products` is routed as `/api/v1/products`. The leading path affects
// only the routing. The core checks access independently of the path.
import type { IncomingMessage } from 'node:http';

const API = '/api/v1';
/** First path segments of the business endpoints below /api/v1. Of the others, only those of modules have a leading path. */
const AREAS: ReadonlySet<string> = new Set([
  'products',
  'orders',
  'customers',
  'dashboard',
  'reference-data',
  'staging',
  'files',
]);

/** A path segment (RFC 3986 section 3.3) without parameters. */
const SEGMENT = /^(?:[\w\-.~!$&'()*+,=:@]|%[\da-f]{2})+$/i;
/** Characters that a proxy could interpret as the end of a segment or of the path. */
// oxlint-disable-next-line no-control-regex -- They are what it looks for.
const AMBIGUOUS = /[/\\;?#\u0000-\u001F\u007F]/;

/**
 * Returns the request target of a business endpoint without its leading path. Other targets are returned unchanged.
 *
 * @param ofModules The first path segments of modules outside this project.
 */
export function withoutLeadingPath(
  { url = '/' }: Pick<IncomingMessage, 'url'>,
  ofModules: readonly string[] = [],
): string {
  const start = firstApi(url);
  if (start <= 0 || !isLeadingPath(url.slice(0, start))) return url;
  const [area = ''] = url.slice(start + API.length + 1).split(/[/?]/, 1);
  return AREAS.has(area) || ofModules.includes(area) ? url.slice(start) : url;
}

/** Returns the position of the first `/api/v1/` in the path, or -1. */
function firstApi(url: string): number {
  const query = url.indexOf('?');
  const end = query === -1 ? url.length : query;
  for (let at = url.indexOf(API); at !== -1 && at < end; at = url.indexOf(API, at + 1)) {
    if (url[at + API.length] === '/') return at;
  }
  return -1;
}

function isLeadingPath(path: string): boolean {
  return path.startsWith('/') && path.slice(1).split('/').every(isPlainSegment);
}

function isPlainSegment(segment: string): boolean {
  if (!SEGMENT.test(segment)) return false;
  try {
    const decoded = decodeURIComponent(segment);
    return decoded !== '.' && decoded !== '..' && !AMBIGUOUS.test(decoded);
  } catch {
    return false;
  }
}
