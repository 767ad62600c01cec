// Keeps a session alive while an application of its user is in use, as a refresh does.
import type { Clock, Deadline } from '../../platform/clock.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import type { TenantPolicy } from '../access/policy/effective-policy.ts';
import { slidingExpiry, type Session } from './session.ts';
import { limitTransport } from './session-limits.ts';
import { storeSessionUse } from './slide-store.ts';
import type { TransportPolicies, TransportPolicy } from './transport/transport-policy.ts';

/** A session, as it was read. */
type Slid = Pick<Session, 'transport' | 'rememberMe' | 'absoluteExpiresAt'>;

/** Restarts the idle window of a session. Returns false if the session has ended. */
export type SlideSession = (
  tx: Statements,
  of: {
    readonly found: { readonly account: { readonly tenantId: string | undefined } };
    readonly session: Slid | undefined;
    readonly policy: TenantPolicy;
  },
  use: { readonly id: string; readonly accessExpiresAt: number },
  deadline: Deadline,
) => Promise<boolean>;

export function createSlideSession(options: {
  readonly database: Pick<Database, 'beforeDeadline' | 'deadlineValue'>;
  readonly transports: TransportPolicies;
  readonly clock: Clock;
}): SlideSession {
  const { database, transports, clock } = options;
  return async (tx, { found, session, policy }, { id, accessExpiresAt }, deadline) => {
    if (!session) return false;
    const now = clock();
    const transport = Object.values<TransportPolicy>(transports).find(({ stored }) => stored === session.transport)!;
    const idleWindowMs = limitTransport(transport, policy).idleWindowMs(session.rememberMe);
    const expiresAt = slidingExpiry(now, idleWindowMs, session.absoluteExpiresAt);
    const address = { tenantId: found.account.tenantId, id };
    return storeSessionUse(database, tx, address, { now, expiresAt, accessExpiresAt }, deadline);
  };
}
