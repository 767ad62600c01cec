// Step-up authentication (RFC 9470): whether the user of a session was authenticated recently enough, and by the required methods.
import type { Clock } from '../../../platform/clock.ts';
import { ServiceError, type StepUp } from '../../../platform/errors.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Authentication } from '../../access/authentication.ts';
import type { Principal } from '../../access/principal.ts';

/** Returns when and how the user of a session was authenticated; undefined if the session does not exist. */
export type FindAuthentication = (session: {
  readonly tenantId: string | undefined;
  readonly id: string;
}) => Promise<Authentication | undefined>;

/**
 * Returns the principal, with the current authentication of its session if an age or a method is required. Rejects with
 * FRESH_SESSION_REQUIRED if it does not suffice. Tokens of machine clients have no session, are minutes old, and satisfy each age, but
 * no method. API keys satisfy neither. Tokens of applications without a session are as old as the login that they name.
 */
export type RequireStepUp = (principal: Principal, required: StepUp) => Promise<Principal>;

export function createRequireStepUp(options: {
  readonly findAuthentication: FindAuthentication;
  readonly clock: Clock;
}): RequireStepUp {
  const { findAuthentication, clock } = options;

  return async (principal, required) => {
    const { account, sessionId, apiKeyHash, grantId, authentication: claimed } = principal;
    const { maxAge, amr } = required;
    if (maxAge === undefined && amr === undefined) return principal;
    const isOfMachine = sessionId === undefined && apiKeyHash === undefined && grantId === undefined;
    if (isOfMachine && amr === undefined) return principal;
    const session = sessionId === undefined ? undefined : { tenantId: account.tenantId, id: sessionId };
    const authentication = (session && (await findAuthentication(session))) ?? claimed;
    const detail = findDefect(authentication, required, clock());
    if (detail === undefined) return { ...principal, authentication };
    throw new ServiceError('FRESH_SESSION_REQUIRED', { detail, stepUp: required });
  };
}

/** Returns a function that requires the recent authentication of the policy of the principal's tenant. */
export function createRequireFresh(options: {
  readonly requireStepUp: RequireStepUp;
  readonly policies: Pick<Policies, 'of'>;
  readonly clock: Clock;
}): (principal: Principal) => Promise<void> {
  const { requireStepUp, policies, clock } = options;
  return async (principal) => {
    const { freshSession } = policies.of(principal.definitions).effective;
    if (freshSession <= 0) return;
    const required = { maxAge: freshSession };
    // The time of a session only grows. So a token that suffices needs no read.
    if (findDefect(principal.authentication, required, clock()) === undefined) return;
    await requireStepUp(principal, required);
  };
}

/** Returns why an authentication does not suffice; undefined if it does. */
function findDefect(
  authentication: Authentication | undefined,
  { maxAge, amr }: StepUp,
  now: number,
): string | undefined {
  if (authentication === undefined) return 'the credential has no session whose user was authenticated';
  const { authenticatedAt, methods } = authentication;
  if (amr !== undefined && !methods.includes(amr)) return 'the session has no second factor';
  if (maxAge === undefined || now - authenticatedAt <= maxAge * 1000) return undefined;
  return `the user of the session was authenticated more than ${maxAge} s ago`;
}
