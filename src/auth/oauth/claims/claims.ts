// The claims about a user by scope (OpenID Connect Core sections 5.1 and 5.4). Pure.
import type { Language } from '../../access/policy/policy-fields.ts';
import type { Account } from '../../access/account.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import type { Scope } from '../scopes.ts';

/** Whose claims an application asks for. */
export interface ClaimSubject {
  readonly account: Account;
  /** Undefined for an account without a tenant. */
  readonly tenantName: string | undefined;
  readonly language: Language;
}

export type Claims = Readonly<Record<string, unknown>>;

type ScopeClaims = (subject: ClaimSubject, application: Pick<ClientApplication, 'usernameForm'>) => Claims;

const CLAIMS: Readonly<Record<Scope, ScopeClaims>> = {
  openid: () => ({}),
  profile: ({ account: { name, username, updatedAt, createdAt }, language }, { usernameForm }) => ({
    name,
    preferred_username: usernameForm === 'FULL' ? username : username.replace(/(?<=.)@.*$/, ''),
    updated_at: Math.floor((updatedAt ?? createdAt) / 1000),
    locale: language,
  }),
  // Some clients refuse an address without a boolean beside it.
  email: ({ account: { email, emailVerifiedAt } }) =>
    email === undefined ? {} : { email, email_verified: emailVerifiedAt !== undefined },
  roles: ({ account: { rights } }) => ({ roles: rights.prefixedRoles }),
  groups: ({ account: { rights } }) => ({ groups: rights.roles }),
  tenant: ({ account: { tenantId }, tenantName }) => ({
    ...(tenantId !== undefined && { tenantId }),
    ...(tenantName !== undefined && { tenantName }),
  }),
  offline_access: () => ({}),
};

/** Returns the claims of some scopes about a user. */
export function claimsOf(
  scopes: readonly Scope[],
  subject: ClaimSubject,
  application: Pick<ClientApplication, 'usernameForm'>,
): Claims {
  return Object.assign({}, ...scopes.map((scope) => CLAIMS[scope](subject, application))) as Claims;
}
