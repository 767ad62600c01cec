// A deployment with administrators of two tenants and a SUPER_ADMIN, and clients of every service they use.
import { ApiKeyServiceService } from '../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { CustomerServiceService } from '../../proto/gen/authservice/business/v1/customer_service.ts';
import { DashboardServiceService } from '../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { FileServiceService } from '../../proto/gen/authservice/business/v1/file_service.ts';
import { OrderServiceService } from '../../proto/gen/authservice/business/v1/order_service.ts';
import { ProductServiceService } from '../../proto/gen/authservice/business/v1/product_service.ts';
import { ReferenceDataServiceService } from '../../proto/gen/authservice/business/v1/reference_data_service.ts';
import { AuditServiceService } from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { FactorServiceService } from '../../proto/gen/authservice/factor/v1/factor_service.ts';
import { EmailServiceService } from '../../proto/gen/authservice/identity/v1/email_service.ts';
import { InvitationServiceService } from '../../proto/gen/authservice/identity/v1/invitation_service.ts';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { RecoveryServiceService } from '../../proto/gen/authservice/identity/v1/recovery_service.ts';
import { KeyServiceService } from '../../proto/gen/authservice/key/v1/key_service.ts';
import { ApplicationServiceService } from '../../proto/gen/authservice/oauth/v1/application_service.ts';
import { AuthorizationServiceService } from '../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { SessionServiceService } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { RoleServiceService } from '../../proto/gen/authservice/tenancy/v1/role_service.ts';
import { TenancyServiceService } from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { WebhookServiceService } from '../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import type { Account } from '../../src/auth/access/account.ts';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import { seedAccount, type Seed } from './accounts.ts';
import { deploy, type Deployment, type DeploymentOptions } from './deployment.ts';
import { authorizedBy, seedSession, type SeededSession } from './sessions.ts';

/** An account with a session. */
export interface Actor {
  readonly account: Account;
  readonly session: SeededSession;
  /** Options for calls as this account. */
  readonly as: CallOptions;
}

export type Clients = ReturnType<typeof clientsOf>;

export interface World {
  readonly deployment: Deployment;
  readonly clients: Clients;
  /** SUPER_ADMIN. */
  readonly root: Actor;
  /** ADMIN of tenant `acme`. */
  readonly admin: Actor;
  /** ADMIN of tenant `globex`. */
  readonly other: Actor;
  seed(seed?: Seed): Promise<Account>;
  actor(seed?: Seed): Promise<Actor>;
  close(): Promise<void>;
}

export async function openWorld(options: DeploymentOptions): Promise<World> {
  const settings = { 'app.security.api-key.enabled': 'true', ...options.settings };
  const deployment = await deploy({ ...options, settings });
  const seed = (wanted: Seed = {}) => seedAccount(deployment.database, wanted);
  const actor = async (wanted: Seed = {}) => {
    const account = await seed(wanted);
    return actorOf(account, await seedSession(deployment, account));
  };
  return {
    deployment,
    clients: clientsOf(deployment),
    seed,
    actor,
    root: await actor({ tenantId: undefined, roles: ['SUPER_ADMIN'] }),
    admin: await actor({ tenantId: 'acme', roles: ['ADMIN'] }),
    other: await actor({ tenantId: 'globex', roles: ['ADMIN'] }),
    close: () => deployment.close(),
  };
}

export function clientsOf({ client }: Pick<Deployment, 'client'>) {
  return {
    identity: client(IdentityServiceService),
    session: client(SessionServiceService),
    factor: client(FactorServiceService),
    tenancy: client(TenancyServiceService),
    audit: client(AuditServiceService),
    key: client(KeyServiceService),
    application: client(ApplicationServiceService),
    authorization: client(AuthorizationServiceService),
    role: client(RoleServiceService),
    webhook: client(WebhookServiceService),
    clientCredentials: client(ClientCredentialsServiceService),
    apiKey: client(ApiKeyServiceService),
    // Only with mail.
    get email() {
      return client(EmailServiceService);
    },
    get invitation() {
      return client(InvitationServiceService);
    },
    get recovery() {
      return client(RecoveryServiceService);
    },
    // Only with the shop.
    get product() {
      return client(ProductServiceService);
    },
    get order() {
      return client(OrderServiceService);
    },
    get customer() {
      return client(CustomerServiceService);
    },
    get dashboard() {
      return client(DashboardServiceService);
    },
    get referenceData() {
      return client(ReferenceDataServiceService);
    },
    get file() {
      return client(FileServiceService);
    },
  };
}

/** The services' names in the paths of methods. */
export const SERVICES = {
  identity: IdentityServiceService,
  session: SessionServiceService,
  factor: FactorServiceService,
  tenancy: TenancyServiceService,
  audit: AuditServiceService,
  key: KeyServiceService,
  application: ApplicationServiceService,
  authorization: AuthorizationServiceService,
  role: RoleServiceService,
  webhook: WebhookServiceService,
  clientCredentials: ClientCredentialsServiceService,
  apiKey: ApiKeyServiceService,
  email: EmailServiceService,
  invitation: InvitationServiceService,
  recovery: RecoveryServiceService,
} as const;

export function actorOf(account: Account, session: SeededSession): Actor {
  return { account, session, as: authorizedBy(session) };
}
