// A refresh whose session could not be used: it is judged again, so that an end of the session is told from a late call.
import { expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import type { Call } from '../../../src/auth/access/principal.ts';
import { createRefreshGrant } from '../../../src/auth/oauth/grants/refresh-grant.ts';
import { createRefreshTokens } from '../../../src/auth/oauth/grants/refresh-token.ts';
import type { Standing } from '../../../src/auth/oauth/grants/standing.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import type { Database, Statements } from '../../../src/platform/db/types.ts';
import { ServiceError } from '../../../src/platform/errors.ts';
import { webApplication } from '../../support/oauth/applications.ts';
import { offlineGrant } from '../../support/oauth/grants.ts';

const NOW = 1_000_000;
const application = webApplication();
const account = { tenantId: 'acme', id: '0190a000-0000-7000-8000-000000000001' } as Account;
const OPEN = { found: { account } } as Standing;
const ENDED = { refusal: 'the session has ended' };

/** Returns the access token, or the reason of the refusal. */
async function refresh(standings: readonly (typeof OPEN | typeof ENDED)[], uses: readonly boolean[]): Promise<string> {
  const [nextStandings, nextUses] = [[...standings], [...uses]];
  const grant = { ...offlineGrant(account, application, NOW), offline: false };
  const refreshTokens = createRefreshTokens(Buffer.alloc(32, 1));
  const refreshGrant = createRefreshGrant({
    database: { transaction: (_deadline, work) => work({} as Statements) } as Database,
    grants: { findBySelector: async () => grant, use: async () => true },
    slideSession: async () => nextUses.shift()!,
    findStanding: async () => nextStandings.shift()!,
    prepareTokens: async () => ({
      accessExpiresAt: NOW,
      response: Promise.resolve({ accessToken: 'token', expiresIn: 900 }),
    }),
    refreshTokens,
    endGrant: async () => true,
    audit: undefined as never,
    clock: () => NOW,
  });
  try {
    const call = { deadline: UNLIMITED } as Call;
    return (await refreshGrant({ refreshToken: refreshTokens.issue(grant) }, application, call)).accessToken;
  } catch (error) {
    return error instanceof ServiceError ? error.reason : (error as Error).name;
  }
}

it.each<[what: string, outcome: string, ...looks: Parameters<typeof refresh>]>([
  ['an open session', 'token', [OPEN], [true]],
  ['a session that has ended meanwhile', 'INVALID_GRANT', [OPEN, ENDED], [false]],
  ['a session that is still open at the second look', 'token', [OPEN, OPEN], [false, true]],
  ['a call that is late', 'DependencyUnavailableError', Array.from({ length: 5 }, () => OPEN), Array(5).fill(false)],
])('with %s: %s', async (_what, outcome, ...looks) => {
  expect(await refresh(...looks)).toBe(outcome);
});
