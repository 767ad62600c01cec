// Some acts need a session that was confirmed recently (RFC 9470). The page asks the user, and then the act goes on.
import { readError } from '../../client/src/api-error.ts';
import type { Session } from '../../client/src/index.ts';

/** Asks the user to confirm the session. Resolves with whether it is confirmed. */
export type AskForFreshSession = () => Promise<boolean>;

/** Returns the session with requests that are repeated as soon as the user has confirmed it. */
export function withFreshSession(session: Session, ask: AskForFreshSession): Session {
  return {
    ...session,
    async fetch(path, init) {
      const response = await session.fetch(path, init);
      if (response.status !== 401 || !(await needsFreshSession(response))) return response;
      return (await ask()) ? session.fetch(path, init) : response;
    },
  };
}

async function needsFreshSession(response: Response): Promise<boolean> {
  return (await readError(response.clone())).code === 'fresh-session-required';
}
