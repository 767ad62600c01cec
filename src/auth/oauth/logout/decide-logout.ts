// Decides what a logout request of an application leads to (OpenID Connect RP-Initiated Logout 1.0). Pure.
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { isRegisteredUri } from '../applications/redirect-uri.ts';
import type { Parameters } from '../authorize/parameters.ts';
import { redirectTo } from '../authorize/redirect.ts';

/** The session of an ID token of this service. */
export interface HintedSession {
  /** The client id of the application that the ID token is for. */
  readonly aud: string;
  /** The session, if it is live. */
  readonly liveId: string | undefined;
}

export interface LogoutFacts {
  readonly parameters: Parameters;
  /** The application of `client_id`, or else of the hint, also if it is disabled: its users can always log out. */
  readonly application: Pick<ClientApplication, 'clientId' | 'type' | 'postLogoutRedirectUris'> | undefined;
  /** Undefined without a hint; null if it is not an ID token of this service. */
  readonly hint: HintedSession | null | undefined;
  /** The live session of the browser. 'unknown' if it has no cookie that would show it. */
  readonly browser: { readonly liveId: string | undefined } | 'unknown';
}

export type LogoutFault = 'invalid-request' | 'invalid-hint' | 'application' | 'redirect-uri';

export type LogoutDecision =
  | { readonly kind: 'fault'; readonly fault: LogoutFault }
  /** The user has to confirm it. */
  | { readonly kind: 'ask' }
  /** A session ends, and the browser goes on. Undefined if none has to end. */
  | { readonly kind: 'end'; readonly sessionId: string | undefined; readonly target: string | undefined };

const NAMES: readonly string[] = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales'];

export function decideLogout({ parameters, application, hint, browser }: LogoutFacts): LogoutDecision {
  const isUnreadable = [...parameters.malformed, ...parameters.doubled].some((name) => NAMES.includes(name));
  if (isUnreadable) return { kind: 'fault', fault: 'invalid-request' };
  const clientId = parameters.get('client_id');
  if (hint === null || (hint && clientId !== undefined && hint.aud !== clientId))
    return { kind: 'fault', fault: 'invalid-hint' };
  if (!application && (hint || clientId !== undefined)) return { kind: 'fault', fault: 'application' };
  const target = findTarget(parameters, application);
  if (target === null) return { kind: 'fault', fault: 'redirect-uri' };
  return mustAsk(hint, browser)
    ? { kind: 'ask' }
    : { kind: 'end', sessionId: browser === 'unknown' ? hint?.liveId : browser.liveId, target };
}

/**
 * Returns the URI at which the browser goes on, with the state as it came. Undefined if none is asked for; null if it is not one of the
 * application.
 */
export function findTarget(parameters: Parameters, application: LogoutFacts['application']): string | undefined | null {
  const uri = parameters.get('post_logout_redirect_uri');
  if (uri === undefined) return undefined;
  if (!application || !isRegisteredUri(uri, application.postLogoutRedirectUris, application.type)) return null;
  return redirectTo(uri, { state: parameters.get('state') });
}

/** An application must not end a session that its user may not mean. One that lives in another browser lives on. */
function mustAsk(hint: HintedSession | undefined, browser: LogoutFacts['browser']): boolean {
  if (browser === 'unknown') return hint === undefined;
  return browser.liveId !== undefined && browser.liveId !== hint?.liveId;
}
