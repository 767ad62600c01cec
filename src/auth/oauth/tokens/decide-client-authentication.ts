// Decides on the authentication of an application. Pure.
import { secretRefusal, type SecretOutcome } from '../../identity/authentication/authenticate-client.ts';
import type { Refusal } from '../../identity/authentication/eligibility.ts';
import type { TenantStatus } from '../../tenancy/tenant.ts';
import type { Application } from '../applications/application.ts';
import type { AssertionOutcome, UsableAssertion } from './client-assertion.ts';

/** What a client has presented, and the result of its check. */
export type CheckedMethod =
  | { readonly kind: 'none' }
  | { readonly kind: 'secret'; readonly outcome: SecretOutcome }
  | { readonly kind: 'assertion'; readonly outcome: AssertionOutcome };

export interface ClientFacts {
  /** Undefined if no application has the client id. */
  readonly application: Pick<Application, 'type' | 'jwks' | 'tenantId' | 'disabled'> | undefined;
  /** Undefined if the application has no tenant, or one that does not exist. */
  readonly tenantStatus: TenantStatus | undefined;
  readonly method: CheckedMethod;
  /** Whether a public client can call by its name alone. */
  readonly acceptsPublic: boolean;
  /** Whether the caller judges the tenant itself, by the accounts that the application serves. */
  readonly acceptsSuspended: boolean;
}

/** Why a client is refused, as recorded in the audit log. */
export type ClientRefusal = Refusal<
  | 'unknown-client'
  | 'wrong-method'
  | 'tenant-suspended'
  | 'disabled'
  | 'wrong-secret'
  | 'expired-secret'
  | 'wrong-assertion'
  | 'used-assertion'
>;

export type ClientDecision =
  | { readonly kind: 'refuse'; readonly refusal: ClientRefusal }
  /** A public client has named itself. */
  | { readonly kind: 'public' }
  | { readonly kind: 'secret'; readonly secretId: string }
  /** The client is authenticated if the assertion was not used before. */
  | { readonly kind: 'assertion'; readonly assertion: UsableAssertion };

/** The refusal of an assertion that was used before, in any process. */
export const USED_ASSERTION: ClientRefusal = { reason: 'used-assertion', detail: 'the assertion was used before' };

/** Everything about the client is decided before its credential, so that no assertion is used up by a client that is refused. */
export function decideClientAuthentication(facts: ClientFacts): ClientDecision {
  const { application, tenantStatus, method, acceptsPublic, acceptsSuspended } = facts;
  if (!application) return refuse({ reason: 'unknown-client', detail: 'no client has this client id and method' });
  const problem = findMethodProblem(application, method.kind, acceptsPublic);
  if (problem !== undefined) return refuse({ reason: 'wrong-method', detail: problem });
  if (application.tenantId !== undefined && tenantStatus !== 'ACTIVE' && !acceptsSuspended)
    return refuse({ reason: 'tenant-suspended', detail: 'the tenant is suspended' });
  if (application.disabled) return refuse({ reason: 'disabled', detail: 'the application is disabled' });
  if (method.kind === 'none') return { kind: 'public' };
  if (method.kind === 'assertion') {
    const { outcome } = method;
    if (outcome.kind === 'wrong') return refuse({ reason: 'wrong-assertion', detail: outcome.detail });
    return { kind: 'assertion', assertion: outcome.assertion };
  }
  const { outcome } = method;
  return outcome.kind === 'right' ? { kind: 'secret', secretId: outcome.secretId } : refuse(secretRefusal(outcome));
}

const refuse = (refusal: ClientRefusal): ClientDecision => ({ kind: 'refuse', refusal });

/** Returns why the client cannot authenticate by this method; undefined if it can. */
function findMethodProblem(
  { type, jwks }: Pick<Application, 'type' | 'jwks'>,
  kind: CheckedMethod['kind'],
  acceptsPublic: boolean,
): string | undefined {
  if (type !== 'WEB') {
    if (kind !== 'none') return 'the application is public: it has neither a secret nor keys';
    return acceptsPublic ? undefined : 'a public client cannot call this endpoint';
  }
  const expected = jwks === undefined ? 'secret' : 'assertion';
  if (kind === expected) return undefined;
  if (kind === 'none') return `the client ${expected} is missing`;
  return jwks === undefined ? 'the application has a secret, not keys' : 'the application has keys, not a secret';
}
