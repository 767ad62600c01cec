import type { Account as AccountMessage } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Account } from '../access/account.ts';

/** Converts an account to its proto message. */
export function accountMessage(account: Account): AccountMessage {
  return {
    id: account.id,
    username: account.username,
    name: account.name,
    ...(account.email !== undefined && { email: account.email }),
    ...(account.tenantId !== undefined && { tenantId: account.tenantId }),
    roles: [...account.rights.prefixedRoles],
    createdAt: new Date(account.createdAt),
  };
}
