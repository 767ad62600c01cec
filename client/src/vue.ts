// The bindings of Vue, at `authservice-client/vue`.
import {
  computed,
  getCurrentInstance,
  inject,
  onMounted,
  onScopeDispose,
  shallowRef,
  type ComputedRef,
  type InjectionKey,
  type Plugin,
} from 'vue';
import type { Session } from './session.ts';
import { viewsOf, type SessionActions, type SessionView, type SessionViews } from './session-view.ts';

const VIEWS: InjectionKey<SessionViews> = Symbol('authservice-client');

/** Returns the plugin that gives a session to `useSession` in all components: `app.use(createSessionPlugin(session))`. */
export function createSessionPlugin(session: Session): Plugin<[]> {
  return { install: (app) => void app.provide(VIEWS, viewsOf(session)) };
}

export interface UseSession extends SessionActions {
  readonly status: ComputedRef<SessionView['status']>;
  /** Set if the status is `authenticated`. */
  readonly user: ComputedRef<SessionView['user']>;
  /** Set if the status is `second-factor`. */
  readonly step: ComputedRef<SessionView['step']>;
  /** Why the last attempt to restore failed, if the status is `loading`. */
  readonly error: ComputedRef<SessionView['error']>;
}

/** Returns the state of the session and its actions. A server renders `loading`, and so does the hydration. Call it in `setup`. */
export function useSession(): UseSession {
  const instance = getCurrentInstance();
  const views = inject(VIEWS, undefined);
  if (instance === null || views === undefined)
    throw new TypeError('useSession needs app.use(createSessionPlugin(session)), and is called in setup');
  // A component that has an element before its first rendering takes over that of the server.
  const isOfServer = typeof document === 'undefined' || instance.vnode.el !== null;
  const view = shallowRef(isOfServer ? views.getServerSnapshot() : views.getSnapshot());
  // Neither runs on a server.
  let stop: (() => void) | undefined;
  onMounted(() => {
    const update = () => void (view.value = views.getSnapshot());
    stop = views.subscribe(update);
    update();
    views.start();
  });
  onScopeDispose(() => stop?.());
  return {
    ...views.actions,
    status: computed(() => view.value.status),
    user: computed(() => view.value.user),
    step: computed(() => view.value.step),
    error: computed(() => view.value.error),
  };
}

export type { SessionActions, SessionView };
