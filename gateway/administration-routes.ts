// The administrative routes. Each maps a method and a path to exactly one RPC.
import { derived } from './contract/derived.ts';
import type { RouteEntry } from './endpoint.ts';

/** @param api Path prefix of all endpoints of version 1, such as `/api/v1`. */
export function administrationRoutes(api: string): RouteEntry[] {
  const tenants = `${api}/tenants`;
  const users = `${api}/users`;
  const account = `${api}/account`;
  const clients = `${api}/service-accounts`;
  return [
    ['GET', tenants, 'authservice.tenancy.v1.TenancyService/ListTenants', derived],
    ['POST', tenants, 'authservice.tenancy.v1.TenancyService/CreateTenant', derived],
    ['GET', `${tenants}/:tenantId`, 'authservice.tenancy.v1.TenancyService/GetTenant', derived],
    ['POST', `${tenants}/:tenantId/suspend`, 'authservice.tenancy.v1.TenancyService/SuspendTenant', derived],
    ['POST', `${tenants}/:tenantId/activate`, 'authservice.tenancy.v1.TenancyService/ActivateTenant', derived],
    ['PUT', `${tenants}/:tenantId/login-domains`, 'authservice.tenancy.v1.TenancyService/SetLoginDomains', derived],
    ['GET', users, 'authservice.identity.v1.IdentityService/ListUsers', derived],
    ['POST', users, 'authservice.identity.v1.IdentityService/CreateUser', derived],
    ['GET', `${users}/:userId`, 'authservice.identity.v1.IdentityService/GetUser', derived],
    ['PATCH', `${users}/:userId`, 'authservice.identity.v1.IdentityService/UpdateUser', derived],
    ['DELETE', `${users}/:userId`, 'authservice.identity.v1.IdentityService/DeleteUser', derived],
    ['PUT', `${users}/:userId/roles`, 'authservice.identity.v1.IdentityService/SetUserRoles', derived],
    ['PUT', `${users}/:userId/password`, 'authservice.identity.v1.IdentityService/SetUserPassword', derived],
    ['POST', `${users}/:userId/enable`, 'authservice.identity.v1.IdentityService/EnableUser', derived],
    ['POST', `${users}/:userId/disable`, 'authservice.identity.v1.IdentityService/DisableUser', derived],
    ['POST', `${users}/:userId/unlock`, 'authservice.identity.v1.IdentityService/UnlockUser', derived],
    ['GET', `${users}/:userId/sessions`, 'authservice.session.v1.SessionService/ListUserSessions', derived],
    ['DELETE', `${users}/:userId/sessions`, 'authservice.session.v1.SessionService/RevokeUserSessions', derived],
    ['DELETE', `${users}/:userId/sessions/:sessionId`, 'authservice.session.v1.SessionService/RevokeSession', derived],
    ['GET', `${account}/sessions`, 'authservice.session.v1.SessionService/ListMySessions', derived],
    ['DELETE', `${account}/sessions`, 'authservice.session.v1.SessionService/RevokeMyOtherSessions', derived],
    ['DELETE', `${account}/sessions/:sessionId`, 'authservice.session.v1.SessionService/RevokeMySession', derived],
    ['PUT', `${account}/password`, 'authservice.identity.v1.IdentityService/ChangeOwnPassword', derived],
    ['GET', clients, 'authservice.clientcredentials.v1.ClientCredentialsService/ListServiceAccounts', derived],
    ['POST', clients, 'authservice.clientcredentials.v1.ClientCredentialsService/CreateServiceAccount', derived],
    ['GET', `${clients}/:id`, 'authservice.clientcredentials.v1.ClientCredentialsService/GetServiceAccount', derived],
    [
      'POST',
      `${clients}/:id/enable`,
      'authservice.clientcredentials.v1.ClientCredentialsService/EnableServiceAccount',
      derived,
    ],
    [
      'POST',
      `${clients}/:id/disable`,
      'authservice.clientcredentials.v1.ClientCredentialsService/DisableServiceAccount',
      derived,
    ],
    [
      'GET',
      `${clients}/:id/secrets`,
      'authservice.clientcredentials.v1.ClientCredentialsService/ListClientSecrets',
      derived,
    ],
    [
      'POST',
      `${clients}/:id/secrets`,
      'authservice.clientcredentials.v1.ClientCredentialsService/CreateClientSecret',
      derived,
    ],
    [
      'POST',
      `${clients}/:id/secrets/:secretId/expire`,
      'authservice.clientcredentials.v1.ClientCredentialsService/ExpireClientSecret',
      derived,
    ],
    ['GET', `${api}/audit-records`, 'authservice.tenancy.v1.TenancyService/ListAuditRecords', derived],
    ['GET', `${api}/signing-keys`, 'authservice.session.v1.SessionService/ListSigningKeys', derived],
    ['POST', `${api}/signing-keys/rotate`, 'authservice.session.v1.SessionService/RotateSigningKey', derived],
    ['POST', `${api}/credentials/explain`, 'authservice.identity.v1.IdentityService/ExplainCredential', derived],
  ];
}
