// fetch does not report the progress of an upload, but XMLHttpRequest does.

export interface UploadProgress {
  readonly sentBytes: number;
  readonly totalBytes: number;
}

/**
 * Creates a transport that reports the progress of one upload: `uploadFile(session, …, { transport: withProgress(show) })`.
 * Without XMLHttpRequest, such as in Node, it uses fetch and reports nothing.
 */
export function withProgress(report: (progress: UploadProgress) => void): typeof fetch {
  if (typeof XMLHttpRequest === 'undefined') return (...call) => fetch(...call);
  return async (input, init = {}) => {
    const request = new Request(input, { ...init, body: null });
    return new Promise<Response>((resolve, reject) => {
      const { signal } = init;
      if (signal?.aborted) return reject(signal.reason);
      const xhr = new XMLHttpRequest();
      xhr.open(request.method, request.url);
      xhr.responseType = 'arraybuffer';
      xhr.withCredentials = init.credentials === 'include';
      for (const [name, value] of new Headers(init.headers)) xhr.setRequestHeader(name, value);
      const abort = () => xhr.abort();
      signal?.addEventListener('abort', abort);
      xhr.upload.addEventListener('progress', ({ loaded, total }) => report({ sentBytes: loaded, totalBytes: total }));
      xhr.addEventListener('load', () => resolve(toResponse(xhr)));
      xhr.addEventListener('error', () => reject(new TypeError('The upload failed')));
      xhr.addEventListener('abort', () => reject(signal?.reason as Error));
      xhr.addEventListener('loadend', () => signal?.removeEventListener('abort', abort));
      xhr.send((init.body ?? null) as XMLHttpRequestBodyInit | null);
    });
  };
}

const LINE = /^([^:]+):\s*(.*)$/gm;

function toResponse(xhr: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const [, name, value] of xhr.getAllResponseHeaders().replaceAll('\r', '').matchAll(LINE))
    headers.append(name!, value!);
  const hasBody = xhr.status !== 204 && xhr.status !== 304;
  return new Response(hasBody ? (xhr.response as ArrayBuffer) : null, { status: xhr.status, headers });
}
