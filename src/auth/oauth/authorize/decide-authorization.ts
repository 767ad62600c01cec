// Decides what an authorization request gets from a session: a code, or what is missing. Pure. All facts are as they are now.
import { REASONS } from '../../../platform/problem/catalogue.ts';
import type { AuthenticationMethod } from '../../access/authentication.ts';
import type { Acr } from '../applications/application.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import type { Scope } from '../scopes.ts';
import type { AuthorizationRequest } from './decide-request.ts';

const ACCESS_DENIED = REASONS.ACCESS_DENIED.code;

/** A live session, and the account that it belongs to. */
export interface SessionFacts {
  readonly accountId: string;
  /** Whether the application serves the account: its tenant, or its tenant's policy, allows it. */
  readonly isServed: boolean;
  /** When its user was authenticated last, Unix milliseconds. */
  readonly authenticatedAt: number;
  readonly methods: readonly AuthenticationMethod[];
  /** The factors that the account has. */
  readonly factors: { readonly totp: boolean; readonly passkey: boolean };
  /** Whether the policy of the tenant requires a second factor that the session does not have. */
  readonly lacksFactor: boolean;
  /** Whether the account holds the permission that the application requires. */
  readonly isPermitted: boolean;
  /** The scopes that the user has consented to. */
  readonly consented: readonly Scope[];
}

export interface AuthorizationFacts {
  readonly request: Pick<AuthorizationRequest, 'prompt' | 'maxAge' | 'acr' | 'hint' | 'scopes'>;
  /** When the request came, Unix milliseconds. */
  readonly requestedAt: number;
  readonly application: Pick<ClientApplication, 'type' | 'firstParty' | 'requiredAcr'>;
  /** Undefined without a live session. */
  readonly session: SessionFacts | undefined;
  readonly now: number;
}

/** What a session lacks, in the order in which `prompt=none` reports it. */
export type Lack =
  /** No session, or another account than that of the hint, or one that the application does not serve. */
  | 'account'
  /** The last authentication is too old. */
  | 'freshness'
  | 'permission'
  /** A factor that the policy requires. */
  | 'factor'
  /** The authentication context that the application requires, or asks for and the account can have. */
  | 'acr'
  /** A click: a native application, or a choice of the account. */
  | 'click'
  | 'consent';

/** Error codes of `prompt=none` (OpenID Connect Core section 3.1.2.6). */
export const ERROR_OF: Readonly<Record<Lack, string>> = {
  account: 'login_required',
  freshness: 'login_required',
  permission: ACCESS_DENIED,
  factor: 'interaction_required',
  acr: 'interaction_required',
  click: 'interaction_required',
  consent: 'consent_required',
};

/** Returns the first thing that a session lacks; undefined if the request gets a code without any page. */
export function findLack(facts: AuthorizationFacts): Lack | undefined {
  const { request, application, session } = facts;
  if (!session || !isOfHint(facts, session) || !session.isServed) return 'account';
  if (!isFresh(facts, session)) return 'freshness';
  if (!session.isPermitted) return 'permission';
  if (session.lacksFactor) return 'factor';
  if (!meetsAcr(facts, session)) return 'acr';
  if (application.type === 'NATIVE' || request.prompt.includes('select_account')) return 'click';
  return needsConsent(facts, session) ? 'consent' : undefined;
}

/** The choice of the user on the page. */
export type Choice = 'ALLOW' | 'DENY' | undefined;

export type Continuation =
  | { readonly kind: 'code' }
  /** An error code of OAuth. */
  | { readonly kind: 'error'; readonly error: string }
  | { readonly kind: 'not-served' }
  /** The user has to authenticate again, by one of these methods. */
  | { readonly kind: 'confirmation'; readonly methods: readonly ConfirmationMethod[] }
  | { readonly kind: 'choice' }
  | { readonly kind: 'consent'; readonly scopes: readonly Scope[] };

export type ConfirmationMethod = 'password' | 'totp' | 'passkey';

/** Decides how a request goes on after the user has come to the page with a session. */
export function decideContinuation(
  facts: AuthorizationFacts & { readonly session: SessionFacts },
  choice: Choice,
): Continuation {
  const { request, application, session } = facts;
  if (!session.isServed || !isOfHint(facts, session)) return { kind: 'not-served' };
  if (choice === 'DENY' || !session.isPermitted) return { kind: 'error', error: ACCESS_DENIED };
  if (!isFresh(facts, session) || session.lacksFactor)
    return { kind: 'confirmation', methods: methodsOf(facts, session) };
  if (!meetsAcr(facts, session)) {
    const methods = methodsOf(facts, session);
    // The page has offered to add a factor, and the user goes on without.
    if (methods.length === 0 && choice === 'ALLOW')
      return { kind: 'error', error: 'unmet_authentication_requirements' };
    return { kind: 'confirmation', methods };
  }
  if (choice === 'ALLOW') return { kind: 'code' };
  if (application.type === 'NATIVE' || request.prompt.includes('select_account')) return { kind: 'choice' };
  return needsConsent(facts, session) ? { kind: 'consent', scopes: request.scopes } : { kind: 'code' };
}

/** Returns the context class of an authentication, for the claim `acr`. */
export function acrOf(methods: readonly AuthenticationMethod[]): Acr | '1' {
  if (methods.includes('mfa') && (methods.includes('hwk') || methods.includes('swk'))) return 'phr';
  return methods.includes('mfa') ? 'mfa' : '1';
}

function isOfHint({ request: { hint } }: AuthorizationFacts, { accountId }: SessionFacts): boolean {
  return hint === undefined || hint.sub === accountId;
}

/** An authentication after the request satisfies it, however long it then takes. So no client can cause a loop. */
function isFresh({ request, requestedAt, now }: AuthorizationFacts, { authenticatedAt }: SessionFacts): boolean {
  if (authenticatedAt >= requestedAt) return true;
  if (request.prompt.includes('login')) return false;
  return request.maxAge === undefined || (request.maxAge > 0 && now - authenticatedAt <= request.maxAge * 1000);
}

/** Returns the class that is needed: the application's, else that of the request if the account has such a factor. */
function neededAcr({ request, application }: AuthorizationFacts, { factors }: SessionFacts): Acr | undefined {
  const asked = request.acr !== undefined && hasFactor(request.acr, factors) ? request.acr : undefined;
  return application.requiredAcr === 'phr' || asked === undefined ? (application.requiredAcr ?? asked) : asked;
}

function hasFactor(acr: Acr, { totp, passkey }: SessionFacts['factors']): boolean {
  return passkey || (acr === 'mfa' && totp);
}

function meetsAcr(facts: AuthorizationFacts, session: SessionFacts): boolean {
  const needed = neededAcr(facts, session);
  const held = acrOf(session.methods);
  return needed === undefined || held === needed || held === 'phr';
}

/** Returns the methods of /account/confirm by which the session can become what the request needs. */
function methodsOf(facts: AuthorizationFacts, session: SessionFacts): readonly ConfirmationMethod[] {
  const { totp, passkey } = session.factors;
  const needed = meetsAcr(facts, session) ? undefined : neededAcr(facts, session);
  const byFactor = [
    ...(totp && needed !== 'phr' ? (['totp'] as const) : []),
    ...(passkey ? (['passkey'] as const) : []),
  ];
  // An account with a factor does not confirm by its password.
  const needsFactor = needed !== undefined || session.lacksFactor || totp || passkey;
  return needsFactor ? byFactor : ['password'];
}

/** Whether the user has not consented to what the application asks for. */
export function needsConsent({ request, application }: AuthorizationFacts, { consented }: SessionFacts): boolean {
  if (application.firstParty) return false;
  return request.prompt.includes('consent') || scopesToConsent(request).some((scope) => !consented.includes(scope));
}

/** Returns the scopes that a user consents to. Without any, too, an application learns whose tokens it gets. */
export function scopesToConsent({ scopes }: Pick<AuthorizationRequest, 'scopes'>): readonly Scope[] {
  return scopes.length > 0 ? scopes : ['openid'];
}
