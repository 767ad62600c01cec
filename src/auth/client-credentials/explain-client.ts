import type { Clock } from '../../platform/clock.ts';
import { finding } from '../access/findings.ts';
import type { AdminScope } from '../../platform/db/query/tenant-scope.ts';
import { fail, pass, explainAccount, type Check, type Explain } from '../identity/explain/credential-check.ts';
import { findIneligibility, isPast, type AccountWithTenant } from '../identity/authentication/eligibility.ts';
import { canonicalUsername, USERNAME_LENGTHS } from '../identity/login-name.ts';
import type { ClientSecretStanding, ClientSecretStore } from './client-secret-store.ts';

/** Explains whether the correct secret of a client id would be accepted, by the checks of authenticate-client.ts. */
export function createExplainClient(options: {
  readonly accounts: {
    findInScope(scope: AdminScope, key: { readonly username: string }): Promise<AccountWithTenant | undefined>;
  };
  readonly secrets: Pick<ClientSecretStore, 'findByOwner'>;
  readonly clock: Clock;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}): Explain {
  const { accounts, secrets, clock, tenantRequired } = options;

  return async (text, scope) => {
    const clientId = canonicalUsername(text);
    if (clientId === undefined) return { checks: [fail('FORM', finding('CLIENT_ID_MALFORMED', USERNAME_LENGTHS))] };
    const form = pass('FORM', finding('CLIENT_ID_WELL_FORMED'));
    const accountWithTenant = await accounts.findInScope(scope, { username: clientId });
    if (!accountWithTenant) return { checks: [form, fail('EXISTENCE', finding('CLIENT_ID_UNKNOWN'))] };
    const { id, tenantId, createdAt } = accountWithTenant.account;
    const now = clock();
    const refusalOf = (candidate: AccountWithTenant) =>
      findIneligibility('client-secret', candidate, now, tenantRequired);
    return {
      checks: [
        form,
        pass('EXISTENCE', finding('CLIENT_ID_FOUND', { account: id }), createdAt),
        ...explainAccount(accountWithTenant, refusalOf),
        secretsCheck(await secrets.findByOwner({ tenantId, ownerId: id }, now), now),
      ],
      owner: accountWithTenant.account,
    };
  };
}

/** Checks whether the account has a live secret. The time is when the last one expires or expired. */
function secretsCheck(secrets: readonly ClientSecretStanding[], now: number): Check {
  const live = secrets.filter(({ expiresAt }) => !isPast(expiresAt, now));
  const ends = (live.length > 0 ? live : secrets).map(({ expiresAt }) => expiresAt ?? Infinity);
  const last = Math.max(...ends);
  const at = Number.isFinite(last) ? last : undefined;
  if (secrets.length === 0) return fail('EXPIRY', finding('CLIENT_SECRET_MISSING'));
  if (live.length === 0) return fail('EXPIRY', finding('CLIENT_SECRETS_EXPIRED'), at);
  return pass('EXPIRY', finding('CLIENT_SECRETS_LIVE', { secrets: live.map(nameOf).join(' ') }), at);
}

/** The id of a secret, and its end after a slash. */
function nameOf({ id, expiresAt }: ClientSecretStanding): string {
  return expiresAt === undefined ? id : `${id}/${new Date(expiresAt).toISOString()}`;
}
