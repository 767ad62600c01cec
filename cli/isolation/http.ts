// HTTP client of the gateway. Its responses can be compared byte by byte.
import type { OperationResponse } from './operation.ts';

export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
}

export interface HttpResponse extends OperationResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a request. Rejects if there is no response. */
export type Http = (request: HttpRequest) => Promise<HttpResponse>;

const TIMEOUT_MS = 30_000;
/** Headers that differ between any two responses, or describe the connection. */
const NEVER_COMPARED = ['date', 'connection', 'keep-alive'];

export interface HttpOptions {
  /** Prefix of all paths: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Lower-case names of further headers whose value a proxy changes in every response. */
  readonly ignoredHeaders: readonly string[];
}

export function httpClient({ url, headers: own, ignoredHeaders }: HttpOptions): Http {
  const ignored = new Set([...NEVER_COMPARED, ...ignoredHeaders]);
  return async ({ method, path, headers, body }) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const init = { method, headers: { ...own, ...headers }, redirect: 'manual', signal } as const;
    const response = await fetch(url + path, body === undefined ? init : { ...init, body });
    // latin1 preserves all bytes. UTF-8 would replace invalid ones.
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    const compared = [...response.headers].filter(([name]) => !ignored.has(name));
    const read = parsed(text);
    const { errorCode } = (read ?? {}) as { readonly errorCode?: string };
    return {
      status: response.status,
      headers: response.headers,
      outcome: [response.status, ...(typeof errorCode === 'string' ? [errorCode] : [])].join(' '),
      whole: JSON.stringify([response.status, compared, text]),
      body: read,
      text,
    };
  };
}

function parsed(latin: string): unknown {
  try {
    return JSON.parse(Buffer.from(latin, 'latin1').toString());
  } catch {
    return undefined;
  }
}
