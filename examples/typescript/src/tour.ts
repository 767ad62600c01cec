// Calls the core as a user, from the login to the logout, and prints the responses.
import { Metadata } from '@grpc/grpc-js';
import { DeleteFileRequest, FileServiceClient } from '../gen/authservice/business/v1/file_service.ts';
import {
  ListProductsRequest,
  type ListProductsResponse,
  type Product,
  ProductServiceClient,
} from '../gen/authservice/business/v1/product_service.ts';
import { IdentityServiceClient } from '../gen/authservice/identity/v1/identity_service.ts';
import { SessionServiceClient } from '../gen/authservice/session/v1/session_service.ts';
import {
  HealthCheckRequest,
  HealthCheckResponse_ServingStatus as ServingStatus,
  type HealthCheckResponse,
  HealthClient,
} from '../gen/grpc/health/v1/health.ts';
import { answer, coreCredentials, coreOptions, within } from './core.ts';
import { reasonOf, violationsOf } from './errors.ts';
import { login, type Session } from './session.ts';
import { upload } from './upload.ts';

export async function tour(address: string): Promise<void> {
  const health = new HealthClient(address, coreCredentials, coreOptions);
  const sessions = new SessionServiceClient(address, coreCredentials, coreOptions);
  const products = new ProductServiceClient(address, coreCredentials, coreOptions);
  const files = new FileServiceClient(address, coreCredentials, coreOptions);
  const identity = new IdentityServiceClient(address, coreCredentials, coreOptions);

  const check = await answer<HealthCheckResponse>((done) =>
    health.check(HealthCheckRequest.fromPartial({}), new Metadata(), within(5_000), done),
  );
  console.log('health:', check.status === ServingStatus.SERVING ? 'SERVING' : 'not serving');

  const username = process.env['CORE_USERNAME']!;
  console.log('wrong password:', await refusal(login(sessions, username, 'wrong')));
  const session = await login(sessions, username, process.env['CORE_PASSWORD']!);
  console.log(`login: ${session.account.username} of ${session.account.tenantId} for ${session.expiresIn} s`);

  console.log('products:', (await listProducts(products, session)).length);

  const content = Buffer.alloc(300_000);
  const file = await upload(files, 'notes.bin', content, await session.tokens.metadata());
  console.log(`upload: ${content.length} bytes`);
  const credential = await session.tokens.metadata();
  await answer((done) => files.deleteFile(DeleteFileRequest.fromPartial({ file }), credential, within(5_000), done));
  console.log(
    'empty upload:',
    await refusal(upload(files, 'empty.bin', Buffer.alloc(0), await session.tokens.metadata())),
  );

  const before = await session.tokens.get();
  // The token renews itself. This shows it earlier.
  console.log('refresh: new token', (await session.tokens.renewOnce()) !== before);

  await session.logout();
  const ended = await session.tokens.metadata();
  const me = answer((done) => identity.getMe({}, ended, within(5_000), done));
  console.log('after the logout:', await refusal(me));
  for (const client of [health, sessions, products, files, identity]) client.close();
}

/** Returns the products of all pages. The order is one that new products do not change: they come last. */
async function listProducts(client: ProductServiceClient, { tokens }: Session): Promise<Product[]> {
  const products: Product[] = [];
  for (let page = 1; ; page += 1) {
    const request = ListProductsRequest.fromPartial({ page: { page, perPage: 100 }, sort: 'createdAt' });
    const credential = await tokens.metadata();
    const list = await answer<ListProductsResponse>((done) =>
      client.listProducts(request, credential, within(5_000), done),
    );
    products.push(...list.products);
    if (list.products.length === 0 || page * list.page!.perPage >= list.page!.total) return products;
  }
}

async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    return [reasonOf(error), ...violationsOf(error).map(({ field }) => field)].join(' ');
  }
}
