import type {
  GetMyAccountRequest,
  GetMyAccountResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Policy } from '../../access/policy/policy-fields.ts';
import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import { permissionNames } from '../../access/roles/rights.ts';
import { accountMessage } from '../account-message.ts';

export interface MyAccountDependencies {
  readonly policies: Pick<Policies, 'of'>;
  /** Whether an account must have a second factor. */
  readonly requiresFactor: (account: Account, policy: Policy) => boolean;
  /** Returns the name of a tenant. */
  readonly findTenantName: (tenantId: string) => Promise<string | undefined>;
}

/** IdentityService.GetMyAccount. */
export function createGetMyAccount({ policies, requiresFactor, findTenantName }: MyAccountDependencies) {
  return async (_request: GetMyAccountRequest, call: Call): Promise<GetMyAccountResponse> => {
    const { account, permissions, definitions } = call.principal!;
    const { tenantId, accountExpiresAt, credentialsExpireAt } = account;
    const tenantName = tenantId === undefined ? undefined : await findTenantName(tenantId);
    return {
      account: {
        account: accountMessage(account),
        heldRoles: [...account.roles],
        ...(tenantName !== undefined && { tenantName }),
        permissions: permissionNames(permissions),
        emailVerified: account.emailVerifiedAt !== undefined,
        secondFactorRequired: account.interactive && requiresFactor(account, policies.of(definitions).effective),
        ...(accountExpiresAt !== undefined && { accountExpiresAt: new Date(accountExpiresAt) }),
        ...(credentialsExpireAt !== undefined && { credentialsExpireAt: new Date(credentialsExpireAt) }),
      },
    };
  };
}
