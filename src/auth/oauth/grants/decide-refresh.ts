// Decides on the presentation of a refresh token of an application (OAuth 2.1 section 4.3, RFC 9700 section 4.14). Pure.
import type { ApplicationType } from '../applications/application.ts';
import type { Scope } from '../scopes.ts';
import { SCOPES } from '../scopes.ts';

/** How long the token before the previous one still gets its successor, after that one was used: for calls that were on their way. */
export const REPEAT_MS = 30_000;

/** What is stored of a grant for its refresh tokens. */
export interface GrantState {
  readonly applicationId: string;
  readonly scopes: readonly Scope[];
  /** The generation of the current token. */
  readonly generation: number;
  /** When the current token was issued for the one before it. Unix milliseconds. */
  readonly rotatedAt: number | undefined;
  /** The scopes that were asked for when the current token was issued, and those one step before. */
  readonly stepScopes: readonly Scope[];
  readonly previousStepScopes: readonly Scope[];
  readonly revokedAt: number | undefined;
  readonly idleExpiresAt: number;
}

export interface RefreshFacts {
  /** Undefined if the token was not issued by this service, or its grant is gone. */
  readonly grant: GrantState | undefined;
  readonly generation: number;
  /** The authenticated client. */
  readonly application: { readonly id: string; readonly type: ApplicationType };
  /** The parameter `scope`, if it was sent. */
  readonly scope: string | undefined;
  /** Why the account, its tenant, its session or its policy refuses the grant now; undefined if nothing does. */
  readonly refusal: string | undefined;
  readonly now: number;
}

export type RefreshDecision =
  /** Issue tokens of these scopes, with the same refresh token. */
  | { readonly kind: 'keep'; readonly scopes: readonly Scope[] }
  /** Issue tokens of these scopes, with the next refresh token. */
  | { readonly kind: 'rotate'; readonly scopes: readonly Scope[] }
  /** Issue tokens of these scopes, with a refresh token that was issued before. */
  | { readonly kind: 'repeat'; readonly scopes: readonly Scope[]; readonly generation: number }
  /** Revoke the grant, then refuse. */
  | { readonly kind: 'replay' }
  /** Refuse without a change. */
  | { readonly kind: 'refuse'; readonly error: 'INVALID_GRANT' | 'INVALID_SCOPE'; readonly detail: string };

export function decideRefresh(facts: RefreshFacts): RefreshDecision {
  const { grant, application, generation, now } = facts;
  if (!grant) return refuse('the refresh token is unknown');
  if (grant.applicationId !== application.id) return refuse('the refresh token was issued to another client');
  if (grant.revokedAt !== undefined) return refuse('the grant is revoked');
  if (grant.idleExpiresAt <= now) return refuse('the grant has expired');
  // Genuine, but of a generation that is not stored: the database was restored to an earlier state.
  if (generation > grant.generation) return refuse('the refresh token is unknown');
  const asked = askedScopes(facts, grant);
  if (generation === grant.generation) {
    if (facts.refusal !== undefined) return refuse(facts.refusal);
    if (asked === undefined) return { kind: 'refuse', error: 'INVALID_SCOPE', detail: 'the grant has not this scope' };
    return { kind: application.type === 'WEB' ? 'keep' : 'rotate', scopes: asked };
  }
  const step = findStep(grant, generation, now);
  if (step === undefined) return { kind: 'replay' };
  if (facts.refusal !== undefined) return refuse(facts.refusal);
  if (asked === undefined || asked.join(' ') !== step.join(' '))
    return refuse('the refresh token was used before, with another scope');
  return { kind: 'repeat', scopes: step, generation: generation + 1 };
}

/** Returns the scopes of the step that a previous token may repeat: the last one, or the one before it for a while. */
function findStep(grant: GrantState, generation: number, now: number): readonly Scope[] | undefined {
  if (generation === grant.generation - 1) return grant.stepScopes;
  const isJustUsed = grant.rotatedAt !== undefined && now - grant.rotatedAt <= REPEAT_MS;
  return generation === grant.generation - 2 && isJustUsed ? grant.previousStepScopes : undefined;
}

/** Returns the scopes of the new tokens; undefined if they are more than the grant has. */
function askedScopes({ scope }: RefreshFacts, grant: GrantState): readonly Scope[] | undefined {
  const asked = (scope ?? '').split(' ').filter((word) => word !== '');
  if (asked.length === 0) return grant.scopes;
  const known = SCOPES.filter((one) => asked.includes(one));
  return known.every((one) => grant.scopes.includes(one)) && known.length === new Set(asked).size ? known : undefined;
}

const refuse = (detail: string): RefreshDecision => ({ kind: 'refuse', error: 'INVALID_GRANT', detail });
