// The session of the page, and who refreshed it.
import { createCookieSession, createTokenSession, localStorageStore, type Session } from '../src/index.ts';
import type { DemoConfig } from './config.ts';
import { addToLog } from './log.ts';

export interface DemoSession {
  readonly session: Session;
  /** Whether the current token was fetched by this tab. Asking forgets it. */
  takeOwn(): boolean;
}

const ENDPOINT = /\/api\/v1\/auth\/(login|refresh|logout)$/;

/** Opens the session of the profile that the service serves; its requests are shown in the log. */
export function openSession({ profile, baseUrl }: DemoConfig): DemoSession {
  let own = false;
  const watched: typeof fetch = async (input, init) => {
    const [, endpoint] = ENDPOINT.exec(input as string) ?? [];
    if (!endpoint) return fetch(input, init);
    addToLog(`This tab sends POST /auth/${endpoint}.`);
    const response = await fetch(input, init);
    own = response.ok;
    const isNone = endpoint === 'refresh' && response.status === 401;
    addToLog(
      `The service answers ${response.status}${isNone ? ': there is no session' : ''}.`,
      !response.ok && !isNone,
    );
    return response;
  };
  const options = { baseUrl: new URL(baseUrl, location.origin).href, fetch: watched };
  return {
    session:
      profile === 'B' ? createTokenSession({ ...options, store: localStorageStore() }) : createCookieSession(options),
    takeOwn() {
      const was = own;
      own = false;
      return was;
    },
  };
}
