// Requests to the gateway, whose answers can be compared to the byte.
import type { Answer } from './answer.ts';

export interface HttpRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
}

export interface HttpAnswer extends Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request. Rejects where no answer comes. */
export type Http = (request: HttpRequest) => Promise<HttpAnswer>;

const TIMEOUT_MS = 30_000;
/** Differs between any two answers, or says how the connection is kept. */
const NEVER_COMPARED = ['date', 'connection', 'keep-alive'];

export interface HttpOptions {
  /** `http://127.0.0.1:8080`; what comes before every path. */
  readonly url: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names in lower case of further headers that a proxy makes anew for every answer. */
  readonly ignoredHeaders: readonly string[];
}

export function httpClient({ url, headers: own, ignoredHeaders }: HttpOptions): Http {
  const ignored = new Set([...NEVER_COMPARED, ...ignoredHeaders]);
  return async ({ method, path, headers, body }) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const init = { method, headers: { ...own, ...headers }, redirect: 'manual', signal } as const;
    const response = await fetch(url + path, body === undefined ? init : { ...init, body });
    // Bytes as they are: nothing is put in place of those that are no text.
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    const compared = [...response.headers].filter(([name]) => !ignored.has(name));
    const read = parsed(text);
    const { errorCode } = (read ?? {}) as { readonly errorCode?: string };
    return {
      status: response.status,
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
