// Business endpoints behind any leading path: `/shop/api/v1/products` is `/api/v1/products`. Nothing but the route is found by
// it; who may do what is decided by the core, whatever the path.
import type { IncomingMessage } from 'node:http';

const API = '/api/v1';
/** What the business endpoints lie beneath. Authentication stays at the root. */
const AREAS: ReadonlySet<string> = new Set([
  'products',
  'orders',
  'customers',
  'dashboard',
  'reference-data',
  'staging',
  'files',
]);

/** RFC 3986 section 3.3, without the parameters of a segment. */
const SEGMENT = /^(?:[\w\-.~!$&'()*+,=:@]|%[\da-f]{2})+$/i;
/** What another reader might take for the end of a segment or of the path. */
// oxlint-disable-next-line no-control-regex -- They are what it looks for.
const AMBIGUOUS = /[/\\;?#\u0000-\u001F\u007F]/;

/** The request target without what leads to a business endpoint; the target itself where nothing does. */
export function withoutLeadingPath({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const start = firstApi(url);
  if (start <= 0 || !isLeadingPath(url.slice(0, start))) return url;
  const [area = ''] = url.slice(start + API.length + 1).split(/[/?]/, 1);
  return AREAS.has(area) ? url.slice(start) : url;
}

/** Where the first `/api/v1` of a path begins; -1 where there is none. */
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
