// Profile B: the refresh token is in the body, and the page keeps it.
import { readGrant, type Grant } from './access-token.ts';
import { ApiError, readError } from './api-error.ts';
import type { Send } from './caller.ts';
import { AUTH, type Opened, type Profile } from './profile.ts';

/** The store of a page's refresh token. */
export interface RefreshTokenStore {
  get(): string | undefined;
  set(token: string | undefined): void;
  /** Whether all tabs of the browser share the store. */
  readonly isShared: boolean;
}

interface TokenResponse {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
  readonly recovery_codes?: readonly string[];
}

/** Keeps the token in memory. A reload requires a new login, and other scripts of the page cannot read the token. */
export function memoryStore(): RefreshTokenStore {
  let current: string | undefined;
  return {
    isShared: false,
    get: () => current,
    set: (token) => {
      current = token;
    },
  };
}

/**
 * Survives reloads and is shared by all tabs. An injected script can read it and take over the session. A server that renders
 * pages has no local storage: there it is empty and keeps nothing.
 */
export function localStorageStore(key = 'service:refresh-token', storage?: Storage): RefreshTokenStore {
  // Read at the first use, because on a server the variable is missing or undefined.
  const open = () => storage ?? (globalThis as { localStorage?: Storage }).localStorage;
  return {
    isShared: true,
    get: () => open()?.getItem(key) ?? undefined,
    set: (token) => (token === undefined ? open()?.removeItem(key) : open()?.setItem(key, token)),
  };
}

async function post(send: Send, path: string, signal: AbortSignal, init: RequestInit): Promise<Response> {
  const response = await send(AUTH + path, { method: 'POST', cache: 'no-store', credentials: 'omit', signal, ...init });
  if (!response.ok) throw await readError(response);
  return response;
}

/** The members whose names differ from Profile A, or which it alone has. */
interface MemberNames {
  readonly rememberMe?: boolean;
  readonly recoveryCode?: string;
  readonly accessCode?: string;
  readonly newPassword?: string;
}

const INVALID = 'AUTH_TOKEN_INVALID';

const json = (body: object): RequestInit => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

export function profileB(store: RefreshTokenStore): Profile {
  async function keep(response: Response): Promise<Opened> {
    const tokens = (await response.json()) as TokenResponse;
    store.set(tokens.refresh_token);
    return { grant: readGrant(tokens.access_token, tokens.expires_in), recoveryCodes: tokens.recovery_codes };
  }

  async function refresh(send: Send, signal: AbortSignal): Promise<Grant> {
    const token = store.get();
    if (token === undefined) throw new ApiError('No refresh token', { status: 401, code: INVALID });
    const init = { ...json({ refresh_token: token }), keepalive: true };
    return (await keep(await post(send, '/refresh', signal, init))).grant;
  }

  const isEnd = ({ status, code }: ApiError) => status === 401 && code === INVALID;

  return {
    isShared: store.isShared,
    async open(send, path, request, signal) {
      const names = request as MemberNames;
      const { rememberMe: _, recoveryCode: recovery_code, accessCode: access_code, ...others } = names;
      const { newPassword: new_password, ...members } = others;
      return keep(await post(send, path, signal, json({ ...members, recovery_code, access_code, new_password })));
    },
    refresh,
    async logout(send, accessToken, signal) {
      try {
        // The service requires a valid access token.
        const bearer = accessToken ?? (await refresh(send, signal)).accessToken;
        await post(send, '/logout', signal, { headers: { authorization: `Bearer ${bearer}` } });
      } catch (error) {
        if (!(error instanceof ApiError && isEnd(error))) throw error;
      }
      store.set(undefined);
    },
    isEnd,
  };
}
