// An application as a receiver of logout tokens (OpenID Connect Back-Channel Logout 1.0 section 2.4). Each attempt has a new token.
import { randomUUID } from 'node:crypto';
import type { Database } from '../../../platform/db/types.ts';
import type { IdTokens } from '../../keys/id-tokens.ts';
import type { RetryRules } from '../../delivery/decide-attempt.ts';
import { deleteFinished } from '../../delivery/outbox.ts';
import type { FindReceiver } from '../../delivery/receiver.ts';
import type { FindOwningApplication } from '../applications/application-loader-store.ts';
import type { SessionApplication } from './session-application-store.ts';

/** The type of the deliveries, which no webhook has. */
export const LOGOUT_EVENT = 'session.ended';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const TOKEN_TYPE = 'logout+jwt';
const LIFETIME_SECONDS = 120;
const TIME_LIMIT_MS = 5_000;
const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];
/** 400 is an application's refusal (section 2.8). */
const RETRIES: RetryRules = {
  pauses: [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS],
  final: { 400: 'refused' },
  lifetimeMs: 4 * HOUR_MS,
};

interface Ended {
  readonly sub: string;
  readonly sid: string;
  /** Of the account. Absent for accounts without a tenant. */
  readonly tenantId?: string | undefined;
}

/** Returns what is stored of a delivery. */
export const logoutPayload = ({ accountId, sessionId, tenantId }: SessionApplication): string =>
  JSON.stringify({ sub: accountId, sid: sessionId, tenantId } satisfies Ended);

/** Deletes the finished deliveries about an account or a tenant. Those that wait are still sent. */
export async function forgetLogouts(
  database: Database,
  about: Partial<Pick<Ended, 'sub' | 'tenantId'>>,
  { tenants, size }: { readonly tenants: readonly (string | undefined)[]; readonly size: number },
): Promise<void> {
  const payloadPart = JSON.stringify(about).slice(1, -1);
  for (const tenantId of new Set([undefined, ...tenants]))
    while ((await deleteFinished(database, tenantId, { event: LOGOUT_EVENT, payloadPart, limit: size })) === size);
}

/** Returns the claims of a logout token. */
export function logoutClaims({ sub, sid }: Ended, clientId: string, now: number) {
  const iat = Math.floor(now / 1000);
  return { aud: clientId, iat, exp: iat + LIFETIME_SECONDS, jti: randomUUID(), sub, sid, events: { [EVENT]: {} } };
}

/** Returns a function that finds an application that gets logout tokens, also a disabled one. */
export function createFindLogoutReceiver(findApplication: FindOwningApplication, sign: IdTokens['sign']): FindReceiver {
  return async ({ id }) => {
    const application = (await findApplication({ applicationId: id }))?.application;
    if (application?.backchannelLogoutUri === undefined) return undefined;
    return {
      kind: 'application',
      url: application.backchannelLogoutUri,
      // Also of a suspended tenant: the suspension ends sessions.
      state: 'open',
      retries: RETRIES,
      // A logout token says who has logged out.
      keepsAttempts: false,
      timeLimitMs: TIME_LIMIT_MS,
      load: async (due) => ({
        loaded: due.map((delivery) => ({ delivery, body: delivery.payload!, lane: delivery.id })),
        missing: [],
      }),
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
