import type {
  CreateServiceAccountRequest,
  CreateServiceAccountResponse,
} from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { checkName } from '../characters.ts';
import {
  checkRoles,
  checkTenantId,
  checkUsername,
  demandMayGive,
  EVERY_ROLE,
  ROLES_OF_TENANTS,
  tenantOfNewAccount,
} from '../identity/account-input.ts';
import { getAdminScope } from '../identity/administrator.ts';
import { createRequestCheck } from '../request-check.ts';
import type { Call } from '../rpc/types.ts';
import { addClientSecret, type IssuedSecret } from './add-client-secret.ts';
import type { ServiceAccountDependencies } from './service-account-dependencies.ts';
import { serviceAccountMessage } from './service-account-message.ts';

/** ClientCredentialsService.CreateServiceAccount. */
export function createCreateServiceAccount(
  options: Pick<ServiceAccountDependencies, 'administration' | 'clock' | 'tenantRequired'>,
) {
  const { administration, clock, tenantRequired } = options;

  return async (request: CreateServiceAccountRequest, call: Call): Promise<CreateServiceAccountResponse> => {
    const principal = call.principal!;
    const check = createRequestCheck();
    checkTenantId(check, request.tenantId);
    const isTenantless = getAdminScope(principal).everyTenant && request.tenantId === undefined;
    if (isTenantless && tenantRequired) {
      check.violate({ message: 'must name a tenant', format: 'required', props: ['tenantId'] });
    }
    const draft = {
      username: checkUsername(check, 'clientId', request.clientId),
      name: checkName(check, request.name),
      email: undefined,
      interactive: false,
      roles: checkRoles(check, principal, request.roles, isTenantless ? EVERY_ROLE : ROLES_OF_TENANTS),
      accountExpiresAt: undefined,
      credentialsExpireAt: undefined,
    };
    check.demandValid('The service account cannot be created');
    const tenantId = await tenantOfNewAccount(principal, request.tenantId, administration.tenantExists);
    demandMayGive(principal, draft.roles);

    let issued!: IssuedSecret;
    const account = await administration.create(call, { ...draft, tenantId }, undefined, async (created) => {
      issued = await addClientSecret(created, clock());
    });
    return { serviceAccount: serviceAccountMessage(account, [issued.secret]), clientSecret: issued.value };
  };
}
