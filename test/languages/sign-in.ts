// Accounts of a core signed in by the project's own client.
import { ApiKeyServiceService } from '../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { ProductServiceService, ProductStatus } from '../../proto/gen/authservice/business/v1/product_service.ts';
import {
  RefreshTokenTransport,
  SessionServiceService,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import { grpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import { ADMIN, MANAGER, PASSWORD, type Core } from './cores.ts';

export interface SignedIn {
  /** Of the manager. */
  readonly accessToken: string;
  /** Of the service account. */
  readonly apiKey: string;
  /** Ends the manager's session. */
  logOut(): Promise<void>;
}

const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY;

function channelTo({ address, env }: Pick<Core, 'address' | 'env'>) {
  const tls = env['CORE_CA'] ? { ca: env['CORE_CA'], cert: env['CORE_CERT'], key: env['CORE_KEY'] } : undefined;
  return grpcChannel({ target: address, tls });
}

export async function signIn(core: Core): Promise<SignedIn> {
  const channel = channelTo(core);
  const sessions = channel.client(SessionServiceService);
  const login = async (username: string) =>
    (await sessions.login({ username, password: PASSWORD, rememberMe: false, refreshTokenTransport })).accessToken;

  const admin = bearer(await login(ADMIN));
  const { serviceAccounts } = await channel.client(ClientCredentialsServiceService).listServiceAccounts({}, admin);
  const key = { serviceAccountId: serviceAccounts[0]!.id, label: 'greeter' };
  const { apiKey } = await channel.client(ApiKeyServiceService).issueApiKey(key, admin);
  const accessToken = await login(MANAGER);
  return {
    accessToken,
    apiKey,
    async logOut() {
      await sessions.logout({ refreshTokens: [], refreshTokenTransport }, bearer(accessToken));
      channel.close();
    },
  };
}

/** Creates products in the tenant of the administrator. */
export async function createProducts({ address, env }: Core, count: number): Promise<void> {
  const channel = channelTo({ address, env });
  const login = { username: ADMIN, password: PASSWORD, rememberMe: false, refreshTokenTransport };
  const { accessToken } = await channel.client(SessionServiceService).login(login);
  const products = channel.client(ProductServiceService);
  const status = ProductStatus.PRODUCT_STATUS_ACTIVE;
  for (let i = 0; i < count; i += 1) {
    const product = { sku: `SKU-${i}`, name: `Product ${i}`, price: 3990, images: [], status };
    await products.createProduct({ product }, bearer(accessToken));
  }
  channel.close();
}

const bearer = (token: string) => ({ authorization: [`Bearer ${token}`] });
