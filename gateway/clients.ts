// Clients of the core's services, for both transports: in-process and gRPC.
import { ApiKeyServiceService } from '../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { CustomerServiceService } from '../proto/gen/authservice/business/v1/customer_service.ts';
import { DashboardServiceService } from '../proto/gen/authservice/business/v1/dashboard_service.ts';
import { FileServiceService } from '../proto/gen/authservice/business/v1/file_service.ts';
import { OrderServiceService } from '../proto/gen/authservice/business/v1/order_service.ts';
import { ProductServiceService } from '../proto/gen/authservice/business/v1/product_service.ts';
import { ReferenceDataServiceService } from '../proto/gen/authservice/business/v1/reference_data_service.ts';
import { ClientCredentialsServiceService } from '../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { FactorServiceService } from '../proto/gen/authservice/factor/v1/factor_service.ts';
import { HealthService } from '../proto/gen/grpc/health/v1/health.ts';
import { IdentityServiceService } from '../proto/gen/authservice/identity/v1/identity_service.ts';
import { SessionServiceService } from '../proto/gen/authservice/session/v1/session_service.ts';
import { RoleServiceService } from '../proto/gen/authservice/tenancy/v1/role_service.ts';
import { TenancyServiceService } from '../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { serviceDefinition } from '../src/platform/rpc/contract/codec.ts';
import { ownDescriptors } from '../src/platform/rpc/contract/descriptors.ts';
import type { CallOptions, Client, ServiceDefinition } from '../src/platform/rpc/types.ts';

const DEFINITIONS = {
  apiKey: ApiKeyServiceService,
  identity: IdentityServiceService,
  session: SessionServiceService,
  factor: FactorServiceService,
  tenancy: TenancyServiceService,
  role: RoleServiceService,
  clientCredentials: ClientCredentialsServiceService,
  health: HealthService,
  product: ProductServiceService,
  order: OrderServiceService,
  customer: CustomerServiceService,
  dashboard: DashboardServiceService,
  referenceData: ReferenceDataServiceService,
  file: FileServiceService,
};

export type Clients = { readonly [Name in keyof typeof DEFINITIONS]: Client<(typeof DEFINITIONS)[Name]> };

/** Creates a client of one service. */
export type Connect = <Definition extends ServiceDefinition>(definition: Definition) => Client<Definition>;

/** Creates a client of each service when it is first used: a core may have no services of some modules. */
export function connectClients(connect: Connect): Clients {
  const clients = {};
  for (const [name, definition] of Object.entries(DEFINITIONS)) {
    let client: unknown;
    Object.defineProperty(clients, name, { enumerable: true, get: () => (client ??= connect(definition)) });
  }
  Object.defineProperty(clients, CONNECT, { value: connect });
  return clients as Clients;
}

/** How clients connect to services that are not in DEFINITIONS: those of modules. */
const CONNECT = Symbol('connect');

/** The full name of an RPC: `authservice.session.v1.SessionService/Login`. */
export type RpcName = {
  readonly [Name in keyof typeof DEFINITIONS]: RpcOf<(typeof DEFINITIONS)[Name]>;
}[keyof typeof DEFINITIONS];

type RpcOf<Definition> = {
  readonly [Method in keyof Definition]: Definition[Method] extends { readonly path: `/${infer Rpc}` } ? Rpc : never;
}[keyof Definition];

/** Calls a unary RPC: one request message, one response message. */
type UnaryCall = (
  message: Readonly<Record<string, unknown>>,
  options: CallOptions,
) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Finds the unary call for an RPC name such as `authservice.session.v1.SessionService/Login`. Throws if the RPC is unknown or
 * streams.
 */
export function unaryCall(clients: Clients, rpc: string): UnaryCall {
  const called = METHODS.get(`/${rpc}`);
  if (called === undefined) return moduleCall(clients, rpc);
  const { service, name, isStream } = called;
  if (isStream) throw new Error(`${rpc} is a stream`);
  const client = clients[service] as unknown as Readonly<Record<string, UnaryCall>>;
  return (message, options) => client[name]!(message, options);
}

function moduleCall(clients: Clients, rpc: string): UnaryCall {
  const method = ownDescriptors().methods.find(({ parent, name }) => `${parent.typeName}/${name}` === rpc);
  if (method === undefined) throw new Error(`${rpc} is not called by the gateway`);
  if (method.methodKind !== 'unary') throw new Error(`${rpc} is a stream`);
  const { [CONNECT]: connect } = clients as Clients & { readonly [CONNECT]: Connect };
  const client = connect(serviceDefinition(method.parent)) as unknown as Readonly<Record<string, UnaryCall>>;
  return client[method.localName]!;
}

const METHODS = new Map(
  Object.entries<ServiceDefinition>(DEFINITIONS).flatMap(([service, definition]) =>
    Object.entries(definition).map(([name, { path, requestStream, responseStream }]) => [
      path,
      { service: service as keyof Clients, name, isStream: requestStream || responseStream },
    ]),
  ),
);

/** Returns a required field of the core's response. Throws TypeError if it is missing, which is a defect of the core. */
export function requireField<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new TypeError(`The core sent no ${name}`);
  return value;
}
