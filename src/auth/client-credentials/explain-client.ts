import type { Clock } from '../../platform/clock.ts';
import type { AdminScope } from '../../platform/db/query/tenant-scope.ts';
import { fail, pass, explainAccount, type Check, type Explain } from '../identity/explain/credential-check.ts';
import { findIneligibility, isPast, type AccountWithTenant } from '../identity/authentication/eligibility.ts';
import { canonicalUsername, USERNAME_LENGTH } from '../identity/login-name.ts';
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
    if (clientId === undefined) return { checks: [fail('FORM', `a client id has ${USERNAME_LENGTH}`)] };
    const form = pass('FORM', 'the client id is well-formed');
    const accountWithTenant = await accounts.findInScope(scope, { username: clientId });
    if (!accountWithTenant) return { checks: [form, fail('EXISTENCE', 'no account has this client id')] };
    const { id, tenantId, createdAt } = accountWithTenant.account;
    const now = clock();
    const refusalOf = (candidate: AccountWithTenant) =>
      findIneligibility('client-secret', candidate, now, tenantRequired)?.detail;
    return {
      checks: [
        form,
        pass('EXISTENCE', `it is the client id of account ${id}`, createdAt),
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
  if (secrets.length === 0) return fail('EXPIRY', 'the account has no client secret');
  if (live.length === 0) return fail('EXPIRY', 'all client secrets have expired', at);
  return pass('EXPIRY', `live client secrets: ${live.map(nameOf).join(', ')}`, at);
}

function nameOf({ id, expiresAt }: ClientSecretStanding): string {
  return expiresAt === undefined ? `${id} without an end` : `${id} until ${new Date(expiresAt).toISOString()}`;
}
