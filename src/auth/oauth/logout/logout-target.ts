// An application as a receiver of logout tokens (OpenID Connect Back-Channel Logout 1.0 section 2.4). Each attempt has a new token.
import { randomUUID } from 'node:crypto';
import type { IdTokens } from '../../keys/id-tokens.ts';
import { LOGOUT_RETRIES } from '../../webhook/decide-attempt.ts';
import type { Target } from '../../webhook/target.ts';
import type { FindOwningApplication } from '../applications/application-loader-store.ts';
import type { SessionApplication } from './session-application-store.ts';

/** The type of the deliveries, which no webhook has. */
export const LOGOUT_EVENT = 'session.ended';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const TOKEN_TYPE = 'logout+jwt';
const LIFETIME_SECONDS = 120;
const TIME_LIMIT_MS = 5_000;

interface Ended {
  readonly sub: string;
  readonly sid: string;
}

/** Returns what is stored of a delivery. */
export const logoutPayload = ({ accountId, sessionId }: SessionApplication): string =>
  JSON.stringify({ sub: accountId, sid: sessionId } satisfies Ended);

/** Returns the claims of a logout token. */
export function logoutClaims({ sub, sid }: Ended, clientId: string, now: number) {
  const iat = Math.floor(now / 1000);
  return { aud: clientId, iat, exp: iat + LIFETIME_SECONDS, jti: randomUUID(), sub, sid, events: { [EVENT]: {} } };
}

/** Returns a function that finds an application that gets logout tokens, also a disabled one. */
export function createFindLogoutTarget(
  findApplication: FindOwningApplication,
  sign: IdTokens['sign'],
): (application: { readonly id: string }) => Promise<Target | undefined> {
  return async ({ id }) => {
    const application = (await findApplication({ applicationId: id }))?.application;
    if (application?.backchannelLogoutUri === undefined) return undefined;
    return {
      url: application.backchannelLogoutUri,
      disabledReason: undefined,
      // The suspension of a tenant ends sessions.
      isSuspended: false,
      isWebhook: false,
      retries: LOGOUT_RETRIES,
      timeLimitMs: TIME_LIMIT_MS,
      async prepare(_delivery, payload, attemptAt) {
        const claims = logoutClaims(JSON.parse(payload) as Ended, application.clientId, attemptAt);
        const token = await sign(claims, application.idTokenAlgorithm, TOKEN_TYPE);
        return {
          headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'authservice' },
          body: Buffer.from(`logout_token=${token}`),
        };
      },
    };
  };
}
