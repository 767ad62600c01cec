import { noResponse } from './api-error.ts';

/** Options of a call: those of fetch, and the function that sends it. */
export interface CallInit extends RequestInit {
  /** Sends this call instead of the caller's fetch. */
  readonly transport?: typeof fetch;
}

/** Calls the service with a credential. */
export interface Caller {
  /**
   * Sends a request with the credential and returns the response with any status. Rejects with an ApiError without a response.
   *
   * @param path A path such as `/api/v1/products`, or an absolute URL below the base URL.
   */
  fetch(path: string, init?: CallInit): Promise<Response>;
}

export interface CallerOptions {
  /** URL of the service, with its context path. Default in browsers: the origin of the page. Absolute in Node. */
  readonly baseUrl?: string;
  /** Default: the fetch of the platform. */
  readonly fetch?: typeof fetch;
}

/** Sends requests to the service, without a credential. */
export type Send = (path: string, init?: CallInit) => Promise<Response>;

/** The members of `location` that are read. Programs of Node have no types of the DOM. */
export type PageLocation = Pick<URL, 'origin' | 'protocol' | 'hostname'>;

/**
 * The URL of the service. Undefined outside a web page without an absolute `baseUrl`: a server that renders pages can create a
 * session, but it cannot send requests.
 */
export function resolveBaseUrl(baseUrl = '/'): URL | undefined {
  if (/^https?:/i.test(baseUrl)) return new URL(baseUrl);
  const page = pageLocation();
  return page && new URL(baseUrl, page.origin);
}

export function assertBaseUrl(base: URL | undefined): asserts base is URL {
  if (base === undefined) throw new TypeError('An absolute baseUrl is needed outside a web page');
}

/** The location of the page or worker. Undefined outside browsers, where the users of one process share no state. */
export function pageLocation(): PageLocation | undefined {
  return (globalThis as { location?: PageLocation }).location;
}

/** Creates the function that sends requests. It rejects URLs outside the base URL, to protect the credential. */
export function createSend({ baseUrl, fetch: ownFetch }: CallerOptions): Send {
  const base = resolveBaseUrl(baseUrl);

  const resolve = (path: string): string => {
    assertBaseUrl(base);
    const prefix = base.pathname.replace(/\/$/, '');
    const isBelow = path.startsWith('/') && !path.startsWith('//') && !path.startsWith(`${prefix}/`);
    const url = new URL(isBelow ? prefix + path : path, base);
    if (url.origin !== base.origin || !url.pathname.startsWith(`${prefix}/`))
      throw new TypeError(`${url.origin}${url.pathname} is not below ${base.href}`);
    return url.href;
  };

  return async (path, { transport = ownFetch ?? globalThis.fetch, ...init } = {}) => {
    const url = resolve(path);
    try {
      return await transport(url, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw noResponse('service-unreachable', 'The service could not be reached', error);
    }
  };
}

/** A caller without a credential. */
export function createAnonymousCaller(options: CallerOptions = {}): Caller {
  return { fetch: createSend(options) };
}
