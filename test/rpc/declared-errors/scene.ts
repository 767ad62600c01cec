// A deployment with one record of each kind, for the calls that provoke declared errors.
import { clientOf, unaryCall, type Clients } from '../../../gateway/clients.ts';
import { applicationFields } from '../../../cli/isolation/examples/applications.ts';
import { contracts, rpcOf } from '../../../gateway/contract/contracts.ts';
import { FileServiceService, type UploadFileRequest } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { StagedFile } from '../../../proto/gen/authservice/business/v1/record.ts';
import { ApplicationType } from '../../../proto/gen/authservice/oauth/v1/application_service.ts';
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { emptyMessage } from '../../../src/platform/rpc/contract/values.ts';
import type { CallOptions, Client } from '../../../src/platform/rpc/types.ts';
import { testImages } from '../../support/images.ts';
import { IS_SHOP_SERVED, SHOP_PACKAGE } from '../../support/shop-served.ts';
import { openWorld, type World } from '../../support/world.ts';

export type Message = Readonly<Record<string, unknown>>;

export const UNKNOWN = newId();
export const TEXT = Buffer.from('0123456789');
export const BODY = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY;
/** Longer than the tests. */
export const LATER = new Date(Date.now() + 86_400_000);
export const PAST = new Date(1);
export const OTHER_TENANT = { tenantId: 'globex' };
export const BAD_TOKEN: CallOptions = { authorization: ['Bearer garbage'] };

/** A deployment with one record of each kind, and calls as its accounts. */
export interface Scene {
  readonly world: World;
  readonly clients: Clients;
  readonly files: Client<typeof FileServiceService>;
  readonly png: Buffer;
  /** Ids of existing records by the fields that name them. */
  readonly records: Readonly<Record<string, string>>;
  /** Calls an RPC such as `ProductService/GetProduct`, by default as an administrator of the tenant, with these fields. */
  call(rpc: string, fields?: Message, as?: CallOptions): Promise<unknown>;
  /** Prepares a file. */
  prepare(size?: number, contentType?: string): Promise<StagedFile>;
  /** Prepares and uploads a file. */
  stage(): Promise<StagedFile>;
}

/** The RPCs of this project that this run serves, but for deprecated ones. */
export const METHODS = contracts().methods.filter(
  ({ parent, deprecated }) =>
    !deprecated &&
    parent.typeName.startsWith('authservice.') &&
    (IS_SHOP_SERVED || !parent.typeName.startsWith(`${SHOP_PACKAGE}.`)),
);
export const methodOf = (name: string) => METHODS.find((method) => rpcOf(method).endsWith(`.${name}`))!;

export async function openScene(settings: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const world = await openWorld({ engine: 'sqlite', transport: 'local', settings });
  const { clients } = world.deployment;
  // Without the shop, no call needs it.
  const files = () => clientOf(clients, FileServiceService);
  const call: Scene['call'] = async (name, fields = {}, as = world.admin.as) => {
    const method = methodOf(name);
    return unaryCall(clients, rpcOf(method))({ ...emptyMessage(method.input), ...fields }, as);
  };
  const idOf = async (response: Promise<unknown>, member: string) =>
    ((await response) as Readonly<Record<string, { readonly id: string }>>)[member]!.id;
  const ofShop = async () => {
    const product = { sku: 'ROSE', name: 'Rose', price: 100, stock: 100, status: 0, images: [] };
    const product_id = await idOf(call('ProductService/CreateProduct', { product }), 'product');
    const customer = { name: 'Ann', status: 0 };
    const customer_id = await idOf(call('CustomerService/CreateCustomer', { customer }), 'customer');
    const order = { customerId: customer_id, items: [{ productId: product_id, quantity: 1 }], paymentMethod: 0 };
    const order_id = await idOf(call('OrderService/CreateOrder', { order }), 'order');
    return { product_id, customer_id, order_id };
  };
  const service_account_id = await idOf(
    call('ClientCredentialsService/CreateServiceAccount', { clientId: 'sync', name: 'Sync', roles: ['SALES'] }),
    'serviceAccount',
  );
  const webhook = { url: 'http://192.0.2.1/', events: ['login.succeeded'] };
  const webhook_id = await idOf(call('WebhookService/CreateWebhook', webhook), 'webhook');
  const delivery_id = await idOf(call('WebhookService/TestWebhook', { webhookId: webhook_id }), 'delivery');
  const user = await world.seed({ tenantId: 'acme', roles: ['SALES'] });
  const secret_id = await idOf(
    call('ClientCredentialsService/CreateClientSecret', { serviceAccountId: service_account_id }),
    'secret',
  );
  const application_id = await idOf(
    call('ApplicationService/CreateApplication', {
      type: ApplicationType.APPLICATION_TYPE_WEB,
      application: applicationFields('Wiki'),
    }),
    'application',
  );
  const prepare: Scene['prepare'] = async (size = TEXT.length, contentType = 'a/b') => {
    const response = await files().prepareFile({ fileName: 'a', contentType, size }, world.admin.as);
    return response.file!;
  };
  return {
    world,
    clients,
    get files() {
      return files();
    },
    png: (await testImages()).png,
    records: {
      ...(IS_SHOP_SERVED && (await ofShop())),
      service_account_id,
      secret_id,
      application_id,
      webhook_id,
      delivery_id,
      user_id: user.id,
      tenant_id: 'acme',
    },
    call,
    prepare,
    async stage() {
      const file = await prepare();
      await files().uploadFile(partsOf(file, [TEXT]), world.admin.as);
      return file;
    },
  };
}

/** Sends a file of a name and its bytes. */
export async function* partsOf(file: StagedFile, chunks: readonly Buffer[]): AsyncGenerator<UploadFileRequest> {
  yield { part: { $case: 'file', value: file } };
  for (const value of chunks) yield { part: { $case: 'chunk', value } };
}

export type Provoke = (scene: Scene) => Promise<unknown>;
export type Calls = Readonly<Record<string, Provoke>>;

/** Deletes an account, and returns its session, whose token is still valid. */
export async function deletedUser(scene: Scene): Promise<CallOptions> {
  const { account, as } = await scene.world.actor({ tenantId: 'acme', roles: ['SALES'] });
  await scene.call('IdentityService/DeleteUser', { userId: account.id });
  return as;
}
