// The page that a request comes from. A session belongs to the first browser origin that came with its login, a refresh or its
// logout: the same cookie from another origin's page is refused.
import { RequestOrigin } from '../../proto/gen/authservice/session/v1/session_service.ts';

/** Why a page of another origin is refused. */
export const OTHER_ORIGIN = 'other origin: the session belongs to another browser origin';

export interface BrowserOrigin {
  /** The Origin header, to the letter; undefined where none came: no browser sent it. */
  readonly text: string | undefined;
  /** The same if the gateway's settings list it. */
  readonly listed: string | undefined;
}

/** Reads the page's origin from a request. */
export function browserOriginOf(request: {
  readonly origin?: RequestOrigin | undefined;
  readonly browserOrigin?: string | undefined;
}): BrowserOrigin {
  const { origin, browserOrigin: text } = request;
  return { text, listed: origin === RequestOrigin.REQUEST_ORIGIN_LISTED ? text : undefined };
}

/** Whether a session belongs to another origin than the one that a request comes from. */
export function isOtherOrigin(session: { readonly origin: string | undefined }, { text }: BrowserOrigin): boolean {
  return session.origin !== undefined && text !== undefined && session.origin !== text;
}
