// Some acts need a session that was confirmed recently (RFC 9470). The page asks the user, and then the act goes on.
import { readError } from '../../client/src/api-error.ts';
import type { Problem } from '../../client/src/operations.ts';
import type { Session } from '../../client/src/index.ts';

/**
 * Asks the user to confirm the session. Resolves with whether it is confirmed.
 *
 * @param methods The second factors that suffice, if not all of the account do.
 */
export type AskForFreshSession = (methods: Problem['methods']) => Promise<boolean>;

/** Returns the session with requests that are repeated as soon as the user has confirmed it. */
export function withFreshSession(session: Session, ask: AskForFreshSession): Session {
  return {
    ...session,
    async fetch(path, init) {
      const response = await session.fetch(path, init);
      if (response.status !== 401) return response;
      const { code, body } = await readError(response.clone());
      if (code !== 'fresh-session-required') return response;
      return (await ask((body as Problem).methods)) ? session.fetch(path, init) : response;
    },
  };
}
