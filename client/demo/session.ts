// The session of the page, and the tab that refreshed it.
import { createCookieSession, createTokenSession, localStorageStore, type Session } from '../src/index.ts';
import type { DemoConfig } from './config.ts';
import { addToLog } from './log.ts';

export interface DemoSession {
  readonly session: Session;
  /** Whether this tab fetched the current token. The call resets it. */
  takeOwn(): boolean;
}

const ENDPOINT = /\/api\/v1\/auth\/(login|second-factor|refresh|logout)$/;

/** Creates the session for the profile of the service. Its requests are shown in the log. */
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
      `The service returns ${response.status}${isNone ? ': there is no session' : ''}.`,
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
