'use client';
// The bindings of React, at `authservice-client/react`.
import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
  type ReactElement,
  type ReactNode,
} from 'react';
import type { Session } from './session.ts';
import { viewsOf, type SessionActions, type SessionView, type SessionViews } from './session-view.ts';

const Views = createContext<SessionViews | undefined>(undefined);

export interface SessionProviderProps {
  /** Create it once, in a module. The provider restores it in the browser. */
  readonly session: Session;
  readonly children?: ReactNode;
}

/** Gives a session to `useSession` in all components below it. */
export function SessionProvider({ session, children }: SessionProviderProps): ReactElement {
  const views = viewsOf(session);
  // An effect does not run on a server.
  useEffect(() => views.start(), [views]);
  return createElement(Views.Provider, { value: views }, children);
}

/** Returns the state of the session and its actions. A server renders `loading`, and so does the hydration. */
export function useSession(): SessionView & SessionActions {
  const views = useContext(Views);
  if (views === undefined) throw new TypeError('useSession needs a <SessionProvider session={…}> above the component');
  const view = useSyncExternalStore(views.subscribe, views.getSnapshot, views.getServerSnapshot);
  return useMemo(() => ({ ...view, ...views.actions }), [view, views]);
}

export type { SessionActions, SessionView };
