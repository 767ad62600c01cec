import type { CallInit, Send } from './caller.ts';

/** Returns a token other than the rejected one, and gets a new one if necessary. */
export type TokenSource = (rejected?: string, signal?: AbortSignal | null) => Promise<string>;

/** Sends requests with a bearer token. A request that gets 401 is sent once more with a new token. */
export function createAuthorizedFetch(send: Send, token: TokenSource): Send {
  return async (path, init = {}) => {
    const sendWith = (bearer: string) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${bearer}`);
      return send(path, { ...init, headers });
    };
    const first = await token(undefined, init.signal);
    const response = await sendWith(first);
    if (response.status !== 401 || !canRepeat(init)) return response;
    await response.body?.cancel();
    return sendWith(await token(first, init.signal));
  };
}

/** A stream cannot be sent again, because it has been read when the response arrives. */
const canRepeat = ({ body }: CallInit): boolean =>
  typeof ReadableStream === 'undefined' || !(body instanceof ReadableStream);
