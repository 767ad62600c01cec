// Profile A: the refresh token is an HttpOnly cookie, which scripts cannot read. The access token stays in memory.
import { readGrant } from './access-token.ts';
import { readError } from './api-error.ts';
import type { Send } from './caller.ts';
import { AUTH, type Opened, type Profile } from './profile.ts';

interface LoginResponse {
  readonly accessToken: string;
  readonly expiresIn?: number;
  readonly recoveryCodes?: readonly string[];
}

async function post(send: Send, path: string, signal: AbortSignal, init: RequestInit = {}): Promise<Response> {
  const response = await send(AUTH + path, {
    method: 'POST',
    credentials: 'include',
    cache: 'no-store',
    signal,
    ...init,
  });
  if (!response.ok) throw await readError(response);
  return response;
}

async function readOpened(response: Response): Promise<Opened> {
  const { accessToken, expiresIn, recoveryCodes } = (await response.json()) as LoginResponse;
  return { grant: readGrant(accessToken, expiresIn), recoveryCodes };
}

export const profileA: Profile = {
  isShared: true,
  async open(send, path, request, signal) {
    const body = JSON.stringify(request);
    return readOpened(await post(send, path, signal, { body, headers: { 'content-type': 'application/json' } }));
  },
  async refresh(send, signal) {
    // The browser must store the cookie of the response even if the page is closed meanwhile.
    return (await readOpened(await post(send, '/refresh', signal, { keepalive: true }))).grant;
  },
  async logout(send, accessToken, signal) {
    if (accessToken !== undefined) {
      try {
        await post(send, '/logout', signal, { headers: { authorization: `Bearer ${accessToken}` } });
        return;
      } catch (error) {
        // The service rejects an expired token before it ends the session. The cookie alone suffices.
        if ((error as { status?: number }).status !== 401) throw error;
      }
    }
    await post(send, '/logout', signal);
  },
  isEnd: ({ status, code }) => status === 401 && code === 'refresh-session-invalid',
};
