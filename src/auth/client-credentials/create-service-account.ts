import type {
  CreateServiceAccountRequest,
  CreateServiceAccountResponse,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import {
  checkRoles,
  assertCanGrantRoles,
  EVERY_ROLE,
  ROLES_OF_TENANTS,
  tenantOfNewAccount,
} from '../identity/users/account-input.ts';
import { getAdminScope } from '../identity/users/administrator.ts';
import { loadThenCheckReferences } from '../../platform/rpc/service.ts';
import { addClientSecret, type IssuedSecret } from './add-client-secret.ts';
import type { ServiceAccountDependencies } from './service-account-dependencies.ts';
import { serviceAccountMessage } from './service-account-message.ts';

/** ClientCredentialsService.CreateServiceAccount. */
export function createCreateServiceAccount(
  options: Pick<ServiceAccountDependencies, 'administration' | 'clock' | 'tenantRequired'>,
) {
  const { administration, clock, tenantRequired } = options;

  return loadThenCheckReferences(
    async () => {},
    async (request: CreateServiceAccountRequest, call, _found, violations): Promise<CreateServiceAccountResponse> => {
      const principal = call.principal!;
      const isTenantless = getAdminScope(principal).everyTenant && request.tenantId === undefined;
      if (isTenantless && tenantRequired) {
        violations.add({ message: 'must name a tenant', format: 'required', props: ['tenantId'] });
      }
      const roles = checkRoles(violations, principal, request.roles, isTenantless ? EVERY_ROLE : ROLES_OF_TENANTS);
      violations.assertNone();
      const tenantId = await tenantOfNewAccount(principal, request.tenantId, administration.tenantExists);
      assertCanGrantRoles(principal, roles);

      const draft = {
        username: request.clientId,
        name: request.name,
        email: undefined,
        interactive: false,
        roles,
        accountExpiresAt: undefined,
        credentialsExpireAt: undefined,
        tenantId,
      };
      let issued!: IssuedSecret;
      const account = await administration.create(call, draft, undefined, async (created) => {
        issued = await addClientSecret(created, clock());
      });
      return { serviceAccount: serviceAccountMessage(account, [issued.secret]), clientSecret: issued.value };
    },
  );
}
