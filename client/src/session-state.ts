import type { Grant, SessionUser } from './access-token.ts';

/** The state of a session for the page. It is `unknown` until the first exchange has ended. */
export type SessionSnapshot =
  | { readonly status: 'unknown'; readonly user?: undefined; readonly expiresAt?: undefined }
  | { readonly status: 'signed-out'; readonly user?: undefined; readonly expiresAt?: undefined }
  | {
      readonly status: 'signed-in';
      readonly user: SessionUser;
      readonly sessionId: string | undefined;
      /** Expiry of the access token in milliseconds. A refresh precedes it. */
      readonly expiresAt: number;
    };

export interface SessionState {
  readonly grant: Grant | undefined;
  readonly snapshot: SessionSnapshot;
  /** Adopts a token, unless its session has ended or it is older than the current one. */
  adopt(grant: Grant): boolean;
  /** Ends the session and returns its id. */
  end(): string | undefined;
  /** Ends the session if it has this id. */
  endIf(sessionId: string | undefined): void;
  subscribe(listener: () => void): () => void;
}

/** Before the first refresh. */
export const UNKNOWN: SessionSnapshot = { status: 'unknown' };
const SIGNED_OUT: SessionSnapshot = { status: 'signed-out' };

export function createSessionState(): SessionState {
  let grant: Grant | undefined;
  let snapshot = UNKNOWN;
  const ended = new Set<string>();
  const listeners = new Set<() => void>();

  function change(nextGrant: Grant | undefined, nextSnapshot: SessionSnapshot): void {
    grant = nextGrant;
    snapshot = nextSnapshot;
    for (const listener of listeners) listener();
  }

  function end(): string | undefined {
    const sessionId = grant?.sessionId;
    if (sessionId !== undefined) ended.add(sessionId);
    if (snapshot !== SIGNED_OUT) change(undefined, SIGNED_OUT);
    return sessionId;
  }

  return {
    get grant() {
      return grant;
    },
    get snapshot() {
      return snapshot;
    },
    adopt(next) {
      const { sessionId, user, expiresAt } = next;
      if (sessionId !== undefined && ended.has(sessionId)) return false;
      if (grant && grant.sessionId === sessionId && next.issuedAt < grant.issuedAt) return false;
      change(next, { status: 'signed-in', user, sessionId, expiresAt });
      return true;
    },
    end,
    endIf(sessionId) {
      if (sessionId === undefined) return;
      ended.add(sessionId);
      if (grant?.sessionId === sessionId) end();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
