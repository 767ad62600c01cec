// The browser origin of a request. A session belongs to the first browser origin seen in its login, a refresh or its
// logout. The same cookie from another origin is refused.
import { RequestOrigin } from '../../../../proto/gen/authservice/session/v1/session_service.ts';

/** The error detail for a request from another origin. */
export const OTHER_ORIGIN = 'other origin: the session belongs to another browser origin';

export interface BrowserOrigin {
  /** The unchanged Origin header; undefined if the request has none and so comes from no browser. */
  readonly text: string | undefined;
  /** The origin if the gateway's settings list it, else undefined. */
  readonly listed: string | undefined;
  /** Whether it is the service's own origin. */
  readonly isOwn: boolean;
}

/** Reads the browser origin of a request. */
export function browserOriginOf(request: {
  readonly origin?: RequestOrigin | undefined;
  readonly browserOrigin?: string | undefined;
}): BrowserOrigin {
  const { origin, browserOrigin: text } = request;
  return {
    text,
    listed: origin === RequestOrigin.REQUEST_ORIGIN_LISTED ? text : undefined,
    isOwn: origin === RequestOrigin.REQUEST_ORIGIN_OWN,
  };
}

/** Whether a session belongs to an origin other than the request's. */
export function isOtherOrigin(session: { readonly origin: string | undefined }, { text }: BrowserOrigin): boolean {
  return session.origin !== undefined && text !== undefined && session.origin !== text;
}
