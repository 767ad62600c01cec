// The service that the pages use: only through the client, with the access token in memory.
import {
  createCookieSession,
  createTokenSession,
  createAnonymousCaller,
  type Session,
} from '../../client/src/index.ts';
import { getLoginOptions, type LoginOptions } from '../../client/src/operations.ts';
import { withFreshSession, type AskForFreshSession } from './fresh-session.ts';

/** Path of the pages, without a slash at its end. The scripts are in the folder `assets` below it. */
const BASE = new URL('..', import.meta.url).pathname.replace(/\/$/, '');

/** Returns the path of a page: `pagePath('/login')`. */
export const pagePath = (path: string): string => BASE + path;

export interface Service {
  readonly options: LoginOptions;
  readonly session: Session;
}

const baseUrl = `${BASE}/`;

/**
 * Asks the service what it offers. Rejects if it cannot be reached.
 *
 * @param askForFreshSession Called when an act needs a session that was confirmed recently.
 */
export async function connect(askForFreshSession: AskForFreshSession): Promise<Service> {
  const { data: options } = await getLoginOptions(createAnonymousCaller({ baseUrl }));
  const session = options.profile === 'A' ? createCookieSession({ baseUrl }) : createTokenSession({ baseUrl });
  return { options, session: withFreshSession(session, askForFreshSession) };
}

/** Returns the tag of a record for If-Match. A proxy that compresses can have removed it; then each version counts. */
export const tagOf = (headers: Headers): string => headers.get('etag') ?? '*';
