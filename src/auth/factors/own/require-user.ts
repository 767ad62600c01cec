import type { Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import type { Proof } from '../proofs.ts';

/** A user with a session. */
export interface User {
  readonly account: Account;
  readonly sessionId: string;
}

/** Adds a proof to the authentication of a user's session, and makes the session fresh. Rejects if the session has ended. */
export type ProveSession = (tx: Statements, user: User, proof: Proof, now: number, deadline: Deadline) => Promise<void>;

/** Returns the account and the session of a user. Throws PERMISSION_DENIED for a service account, which has no factors. */
export function requireUser({ principal }: Call): User {
  const { account, sessionId } = principal!;
  if (!account.interactive || sessionId === undefined)
    throw new ServiceError('PERMISSION_DENIED', { detail: 'only users have second factors' });
  return { account, sessionId };
}
