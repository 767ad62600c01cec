// Calls the core as a user, from the login to the logout, and prints the responses.
import { Metadata } from '@grpc/grpc-js';
import { DeleteFileRequest, FileServiceClient } from '../gen/authservice/business/v1/file_service.ts';
import {
  ListProductsRequest,
  type ListProductsResponse,
  ProductServiceClient,
} from '../gen/authservice/business/v1/product_service.ts';
import { IdentityServiceClient } from '../gen/authservice/identity/v1/identity_service.ts';
import {
  RefreshTokenTransport,
  LogoutRequest,
  SessionServiceClient,
} from '../gen/authservice/session/v1/session_service.ts';
import {
  HealthCheckRequest,
  HealthCheckResponse_ServingStatus as ServingStatus,
  type HealthCheckResponse,
  HealthClient,
} from '../gen/grpc/health/v1/health.ts';
import { answer, coreCredentials, coreOptions, within } from './core.ts';
import { reasonOf, violationsOf } from './errors.ts';
import { login } from './session.ts';
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

  const request = ListProductsRequest.fromPartial({ page: { perPage: 100 } });
  const list = await answer<ListProductsResponse>((done) =>
    products.listProducts(request, session.metadata(), within(5_000), done),
  );
  console.log('products:', list.products.length);

  const content = Buffer.alloc(300_000);
  const file = await upload(files, 'notes.bin', content, session.metadata());
  console.log(`upload: ${content.length} bytes`);
  await answer((done) =>
    files.deleteFile(DeleteFileRequest.fromPartial({ file }), session.metadata(), within(5_000), done),
  );
  console.log('empty upload:', await refusal(upload(files, 'empty.bin', Buffer.alloc(0), session.metadata())));

  const before = session.metadata().get('authorization')[0];
  await session.refresh();
  console.log('refresh: new token', session.metadata().get('authorization')[0] !== before);

  const logout = LogoutRequest.fromPartial({
    refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY,
  });
  await answer((done) => sessions.logout(logout, session.metadata(), within(5_000), done));
  const me = answer((done) => identity.getMe({}, session.metadata(), within(5_000), done));
  console.log('after the logout:', await refusal(me));
  for (const client of [health, sessions, products, files, identity]) client.close();
}

async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    return [reasonOf(error), ...violationsOf(error).map(({ field }) => field)].join(' ');
  }
}
