// A session as user interfaces show it: with the second factor of a login as a state. The bindings of React and Vue share it.
import type { SessionUser } from './access-token.ts';
import { ApiError } from './api-error.ts';
import type { CallOptions, FactorStep, LoginStep, SessionStep } from './login-step.ts';
import type { Credentials, PasskeyCredentials, SecondFactor } from './profile.ts';
import type { Session } from './session.ts';
import type { SessionSnapshot } from './session-state.ts';

/** The state of the session for user interfaces. */
export type SessionView =
  | {
      /** The session of the browser is not restored yet. A server always renders this state. */
      readonly status: 'loading';
      readonly user?: undefined;
      readonly step?: undefined;
      /** Why the last attempt to restore failed. The session tries again by itself. */
      readonly error?: Error | undefined;
    }
  | { readonly status: 'anonymous'; readonly user?: undefined; readonly step?: undefined; readonly error?: undefined }
  | {
      /** A login waits for a second factor, or for the creation of one. */
      readonly status: 'second-factor';
      readonly user?: undefined;
      /** Answer it. Its `kind` says whether the account has a factor, or must create one. */
      readonly step: FactorStep;
      readonly error?: undefined;
    }
  | {
      readonly status: 'authenticated';
      readonly user: SessionUser;
      readonly step?: undefined;
      readonly error?: undefined;
    };

export interface SessionActions {
  /** Calls the service: pass it to the operations. */
  readonly session: Session;
  /** Opens a session, or changes the status to `second-factor`. Rejects with the error of the service. */
  login(credentials: Credentials | PasskeyCredentials, options?: CallOptions): Promise<LoginStep>;
  /** Gives up the login that waits for a second factor. */
  cancelLogin(): void;
  /** Ends the session in all tabs. Rejects without a change if the service cannot be reached. */
  logout(options?: CallOptions): Promise<void>;
}

export interface SessionViews {
  readonly actions: SessionActions;
  /** Restores the session of the browser, once. Never rejects. */
  start(): void;
  /** Returns the same object until the state changes. */
  getSnapshot(): SessionView;
  getServerSnapshot(): SessionView;
  subscribe(listener: () => void): () => void;
}

const LOADING: SessionView = { status: 'loading' };
const ANONYMOUS: SessionView = { status: 'anonymous' };
const CHALLENGE_INVALID = /challenge.invalid$/i;

const views = new WeakMap<Session, SessionViews>();

/** Returns the views of a session, the same for all callers. So a second factor is asked for once. */
export function viewsOf(session: Session): SessionViews {
  let found = views.get(session);
  if (found === undefined) views.set(session, (found = createViews(session)));
  return found;
}

function createViews(session: Session): SessionViews {
  let step: FactorStep | undefined;
  let error: Error | undefined;
  let view = LOADING;
  let seen: readonly unknown[] = [];
  const listeners = new Set<() => void>();

  function set(nextStep: FactorStep | undefined, nextError?: Error): void {
    step = nextStep;
    error = nextError;
    for (const listener of listeners) listener();
  }

  /** Also shows when a step is complete, or can no longer be completed. */
  function watch(asked: FactorStep): FactorStep {
    async function answer(factor: SecondFactor, options?: CallOptions): Promise<SessionStep> {
      try {
        const result = await asked.answer(factor, options);
        if (step === watched) set(undefined);
        return result;
      } catch (failure) {
        const isOver = failure instanceof ApiError && CHALLENGE_INVALID.test(failure.code);
        if (step === watched && (isOver || Date.now() >= asked.expiresAt)) set(undefined);
        throw failure;
      }
    }
    const watched = { ...asked, answer };
    return watched;
  }

  return {
    actions: {
      session,
      async login(credentials, options) {
        const asked = await session.login(credentials, options);
        const result = 'methods' in asked ? watch(asked) : asked;
        set('methods' in result ? result : undefined);
        return result;
      },
      cancelLogin: () => set(undefined),
      logout: (options) => session.logout(options),
    },
    start: () => void session.restore().catch((failure: Error) => set(step, failure)),
    getSnapshot() {
      const snapshot = session.getSnapshot();
      // Another tab has logged in meanwhile.
      if (snapshot.status === 'signed-in') step = undefined;
      const current = [snapshot, step, error];
      if (current.some((value, index) => value !== seen[index])) {
        seen = current;
        view = toView(snapshot, step, error);
      }
      return view;
    },
    getServerSnapshot: () => LOADING,
    subscribe(listener) {
      const stop = session.subscribe(listener);
      listeners.add(listener);
      return () => {
        stop();
        listeners.delete(listener);
      };
    },
  };
}

function toView(snapshot: SessionSnapshot, step: FactorStep | undefined, error: Error | undefined): SessionView {
  if (snapshot.status === 'signed-in') return { status: 'authenticated', user: snapshot.user };
  if (step !== undefined) return { status: 'second-factor', step };
  if (snapshot.status === 'signed-out') return ANONYMOUS;
  return error === undefined ? LOADING : { status: 'loading', error };
}
