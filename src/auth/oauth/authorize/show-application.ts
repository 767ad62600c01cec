// What users see of an application that asks for access.
import type { RequestingApplication } from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { ApplicationAddress } from '../applications/application.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';

export interface ShowApplicationDependencies {
  readonly findTenantName: (id: string) => Promise<string | undefined>;
  readonly findLogo: (application: ApplicationAddress) => Promise<Buffer | undefined>;
}

export async function showApplication(
  application: ClientApplication,
  { findTenantName, findLogo }: ShowApplicationDependencies,
): Promise<RequestingApplication> {
  const { name, firstParty, tenantId, homeUrl } = application;
  const logo = await findLogo(application);
  const tenantName = tenantId === undefined ? undefined : await findTenantName(tenantId);
  return {
    name,
    firstParty,
    ...(logo && { logo: logo.toString('base64') }),
    ...(tenantName !== undefined && { tenantName }),
    ...(homeUrl !== undefined && { homeUrl }),
  };
}
