import type { UpdateServiceAccountRequest } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type { LockedAccount } from '../identity/users/account-administration.ts';
import { assertCanAdminister } from '../identity/users/administrator.ts';
import type { Account } from '../access/account.ts';
import type { Principal } from '../access/principal.ts';

const FIELDS = ['name', 'resourceServer'] as const;

type Changes = Partial<Pick<Account, (typeof FIELDS)[number]>>;

/** Returns the fields that the mask names. */
export function serviceAccountChanges({ serviceAccount = {}, updateMask = [] }: UpdateServiceAccountRequest): Changes {
  return {
    ...(updateMask.includes('name') && { name: serviceAccount.name! }),
    ...(updateMask.includes('resource_server') && { resourceServer: serviceAccount.resourceServer === true }),
  };
}

/** Changes a service account. Throws PERMISSION_DENIED if it would become a resource server and the caller may not make one. */
export async function updateServiceAccount(
  { account, update, record }: LockedAccount,
  changes: Changes,
  principal: Principal,
): Promise<void> {
  const fields = FIELDS.filter((field) => field in changes && changes[field] !== account[field]);
  if (fields.length === 0) return;
  assertCanAdminister(principal, { resourceServer: changes.resourceServer === true });
  await update(changes);
  const isGiven = fields.includes('resourceServer');
  record('account.updated', {
    fields: fields.join(),
    ...(isGiven && { resourceServer: String(changes.resourceServer) }),
  });
}
