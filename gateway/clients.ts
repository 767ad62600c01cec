// Clients of the core's services, for both transports: in-process and gRPC.
import { ApiKeyServiceService } from '../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { AuditServiceService } from '../proto/gen/authservice/audit/v1/audit_service.ts';
import { ApplicationServiceService } from '../proto/gen/authservice/oauth/v1/application_service.ts';
import { AuthorizationServiceService } from '../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { ClientCredentialsServiceService } from '../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { FactorServiceService } from '../proto/gen/authservice/factor/v1/factor_service.ts';
import { HealthService } from '../proto/gen/grpc/health/v1/health.ts';
import { IdentityServiceService } from '../proto/gen/authservice/identity/v1/identity_service.ts';
import { EmailServiceService } from '../proto/gen/authservice/identity/v1/email_service.ts';
import { InvitationServiceService } from '../proto/gen/authservice/identity/v1/invitation_service.ts';
import { RecoveryServiceService } from '../proto/gen/authservice/identity/v1/recovery_service.ts';
import { KeyServiceService } from '../proto/gen/authservice/key/v1/key_service.ts';
import { SessionServiceService } from '../proto/gen/authservice/session/v1/session_service.ts';
import { RoleServiceService } from '../proto/gen/authservice/tenancy/v1/role_service.ts';
import { TenancyServiceService } from '../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { WebhookServiceService } from '../proto/gen/authservice/webhook/v1/webhook_service.ts';
import { serviceDefinition } from '../src/platform/rpc/contract/codec.ts';
import { ownDescriptors } from '../src/platform/rpc/contract/descriptors.ts';
import type { CallOptions, Client, ServiceDefinition } from '../src/platform/rpc/types.ts';

const DEFINITIONS = {
  apiKey: ApiKeyServiceService,
  application: ApplicationServiceService,
  authorization: AuthorizationServiceService,
  audit: AuditServiceService,
  key: KeyServiceService,
  identity: IdentityServiceService,
  recovery: RecoveryServiceService,
  email: EmailServiceService,
  invitation: InvitationServiceService,
  session: SessionServiceService,
  factor: FactorServiceService,
  tenancy: TenancyServiceService,
  role: RoleServiceService,
  webhook: WebhookServiceService,
  clientCredentials: ClientCredentialsServiceService,
  health: HealthService,
};

export type Clients = { readonly [Name in keyof typeof DEFINITIONS]: Client<(typeof DEFINITIONS)[Name]> };

/** Creates a client of one service. */
export type Connect = <Definition extends ServiceDefinition>(definition: Definition) => Client<Definition>;

/** Creates a client of each service when it is first used: a core may have no services of some modules. */
export function connectClients(connect: Connect): Clients {
  const clients = {};
  const connected = new Map<ServiceDefinition, unknown>();
  const connectOnce = (definition: ServiceDefinition) => {
    const client = connected.get(definition) ?? connect(definition);
    connected.set(definition, client);
    return client;
  };
  for (const [name, definition] of Object.entries(DEFINITIONS))
    Object.defineProperty(clients, name, { enumerable: true, get: () => connectOnce(definition) });
  Object.defineProperty(clients, CONNECT, { value: connectOnce });
  return clients as Clients;
}

/** How clients connect to services that are not in DEFINITIONS: those of modules. */
const CONNECT = Symbol('connect');

/** Returns the client of a service of a module. */
export function clientOf<Definition extends ServiceDefinition>(
  clients: Clients,
  definition: Definition,
): Client<Definition> {
  return (clients as Clients & { readonly [CONNECT]: Connect })[CONNECT](definition);
}

/** The full names of the RPCs of these services: `authservice.session.v1.SessionService/Login`. */
export type RpcNameOf<Definition> = {
  readonly [Method in keyof Definition]: Definition[Method] extends { readonly path: `/${infer Rpc}` } ? Rpc : never;
}[keyof Definition];

/** The full name of an RPC of the service itself. */
export type RpcName = {
  readonly [Name in keyof typeof DEFINITIONS]: RpcNameOf<(typeof DEFINITIONS)[Name]>;
}[keyof typeof DEFINITIONS];

/** Calls a unary RPC: one request message, one response message. */
type UnaryCall = (
  message: Readonly<Record<string, unknown>>,
  options: CallOptions,
) => Promise<Readonly<Record<string, unknown>>>;

const methods = new Map<string, { readonly definition: ServiceDefinition; readonly name: string }>();

/** Adds services of a module whose code is generated. Those of other modules are defined by their descriptors. */
export function addServices(definitions: readonly ServiceDefinition[]): void {
  for (const definition of definitions)
    for (const [name, { path }] of Object.entries(definition)) methods.set(path, { definition, name });
}

addServices(Object.values(DEFINITIONS));

/**
 * Finds the unary call for an RPC name such as `authservice.session.v1.SessionService/Login`. Throws if the RPC is unknown or
 * streams.
 */
export function unaryCall(clients: Clients, rpc: string): UnaryCall {
  const { definition, name } = methods.get(`/${rpc}`) ?? describedMethod(rpc);
  const { requestStream, responseStream } = definition[name]!;
  if (requestStream || responseStream) throw new Error(`${rpc} is a stream`);
  const client = clientOf(clients, definition) as unknown as Readonly<Record<string, UnaryCall>>;
  return (message, options) => client[name]!(message, options);
}

function describedMethod(rpc: string) {
  const method = ownDescriptors().methods.find(({ parent, name }) => `${parent.typeName}/${name}` === rpc);
  if (method === undefined) throw new Error(`${rpc} is not called by the gateway`);
  return { definition: serviceDefinition(method.parent), name: method.localName };
}

/** Returns a required field of the core's response. Throws TypeError if it is missing, which is a defect of the core. */
export function requireField<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new TypeError(`The core sent no ${name}`);
  return value;
}
