import { readError } from './api-error.ts';
import type { CallInit, Send } from './caller.ts';

/** Returns a token other than the rejected one, and gets a new one if necessary. */
export type TokenSource = (rejected?: string, signal?: AbortSignal | null) => Promise<string>;

/** Sends requests with a bearer token. A request whose token is refused is sent once more with a new one. */
export function createAuthorizedFetch(send: Send, token: TokenSource): Send {
  return async (path, init = {}) => {
    const sendWith = (bearer: string) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${bearer}`);
      return send(path, { ...init, headers });
    };
    const first = await token(undefined, init.signal);
    const response = await sendWith(first);
    if (response.status !== 401 || !canRepeat(init) || !(await isTokenRefused(response))) return response;
    await response.body?.cancel();
    return sendWith(await token(first, init.signal));
  };
}

/** A stream cannot be sent again, because it has been read when the response arrives. */
const canRepeat = ({ body }: CallInit): boolean => !(body instanceof ReadableStream);

/** The codes of both profiles, and of a proxy without a code. */
const TOKEN_REFUSALS: readonly string[] = ['unauthorized', 'AUTH_TOKEN_MISSING', 'AUTH_TOKEN_INVALID', 'http-401'];

/** Other refusals are 401 too: a wrong password that is sent twice would count twice towards the lock of the account. */
async function isTokenRefused(response: Response): Promise<boolean> {
  return TOKEN_REFUSALS.includes((await readError(response.clone())).code);
}
