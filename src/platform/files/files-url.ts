// Parses app.files.store, for the settings, which refuse an invalid value at once, and for creating the store.

interface DiskUrl {
  readonly kind: 'disk';
  /** Relative to the working directory, or absolute. */
  readonly folder: string;
}

export interface S3Url {
  readonly kind: 's3';
  readonly bucket: string;
  /** The prefix of every key: empty, or ending with a slash. */
  readonly prefix: string;
  /** Undefined means Amazon's own endpoint. */
  readonly endpoint: string | undefined;
  /** Undefined means the region from the environment. */
  readonly region: string | undefined;
}

/** The parameters of an S3 URL. */
const S3_PARAMETERS = ['endpoint', 'region'] as const;

const BUCKET = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:\/[\w!.*'()-]+)*\/?$/;
const REGION = /^[a-z0-9-]{1,64}$/;

/**
 * Parses the storage of files: `disk:FOLDER` or `s3://bucket/prefix?endpoint=https://host:port&region=name`. Throws an
 * Error that names the problem. The URL must not contain credentials.
 */
export function parseFilesUrl(text: string): DiskUrl | S3Url {
  const [, folder] = /^disk:(?!\/\/)([^\p{Cc}]{1,4096})$/u.exec(text) ?? [];
  if (folder !== undefined) return { kind: 'disk', folder };
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text);
  if (url?.protocol !== 's3:') throw new Error('The store of files must be disk:FOLDER or s3://bucket');
  if (url.username !== '' || url.password !== '') throw new Error('Credentials for S3 come from the environment');
  const segments = url.pathname.split('/');
  const isPrefix = PREFIX.test(url.pathname) && !segments.includes('.') && !segments.includes('..');
  if (!BUCKET.test(url.host) || !isPrefix || url.hash !== '') throw new Error('The S3 URL names no bucket and prefix');
  const { endpoint, region } = parametersOf(url.searchParams);
  if (endpoint !== undefined && !isEndpoint(endpoint)) throw new Error('The S3 endpoint must be http(s)://host[:port]');
  if (region !== undefined && !REGION.test(region)) throw new Error('The S3 region is not a valid name');
  const prefix = url.pathname.slice(1);
  return {
    kind: 's3',
    bucket: url.host,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    endpoint,
    region,
  };
}

function parametersOf(search: URLSearchParams): Partial<Record<(typeof S3_PARAMETERS)[number], string>> {
  for (const key of new Set(search.keys())) {
    if (!S3_PARAMETERS.some((name) => name === key)) {
      throw new Error(`Unknown S3 URL parameter ${key}; known are ${S3_PARAMETERS.join(', ')}`);
    }
    if (search.getAll(key).length > 1) throw new Error(`S3 URL parameter ${key} is given twice`);
  }
  return Object.fromEntries(search);
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
