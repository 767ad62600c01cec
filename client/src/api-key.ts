import { createSend, type Caller, type CallerOptions } from './caller.ts';

/** Calls the service with an API key. */
export function createApiKeyCaller({ apiKey, ...options }: CallerOptions & { readonly apiKey: string }): Caller {
  const send = createSend(options);
  return {
    fetch(path, init = {}) {
      const headers = new Headers(init.headers);
      headers.set('x-api-key', apiKey);
      return send(path, { ...init, headers });
    },
  };
}
