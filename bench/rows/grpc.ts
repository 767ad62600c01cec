import type { Comparison } from '../compare.ts';
import { grpcSide, type RpcLoad } from '../grpc-side.ts';
import { seedClients } from '../seed.ts';
import { rpcUrlOf } from '../service.ts';
import { startNode, type Stand } from '../stand.ts';

const AUTHENTICATE = 'authservice.identity.v1.IdentityService/Authenticate';
const LIST_PRODUCTS = 'authservice.business.v1.ProductService/ListProducts';
const ISSUE_TOKEN = 'authservice.clientcredentials.v1.ClientCredentialsService/IssueToken';

/** CPU time of an empty echo in microseconds, for the aims that are absolute times. */
const ECHO_MICROSECONDS = 26;

/** Compares RPCs of the core with an empty grpc-js server. */
export async function grpcComparisons(stand: Stand): Promise<Comparison[]> {
  const { engine, connections, service, sessions, database, start } = stand;
  const [client] = await seedClients(database, 1);
  const token = sessions[0]!.accessToken;
  const rpcs: readonly (RpcLoad & Pick<Comparison, 'aim' | 'floor'>)[] = [
    {
      rpc: AUTHENTICATE,
      data: { bearerToken: token },
      aim: engine === 'sqlite' ? 0.85 : 0.6,
      floor: 0.3,
      concurrency: connections,
    },
    {
      rpc: LIST_PRODUCTS,
      data: { page: { perPage: 20 } },
      token,
      aim: engine === 'sqlite' ? 0.35 : 0.2,
      concurrency: connections,
    },
    {
      rpc: ISSUE_TOKEN,
      data: { grantType: 'client_credentials', clientId: client!.id, clientSecret: client!.secret },
      aim: ECHO_MICROSECONDS / 150,
      concurrency: connections,
    },
  ];
  const wanted = rpcs.map((rpc) => ({ ...rpc, title: `gRPC ${rpc.rpc.split('/')[1]}, ${engine}` })).filter(stand.wants);
  if (wanted.length === 0) return [];
  const echo = await start(startNode('grpc-echo.ts', [AUTHENTICATE, LIST_PRODUCTS, ISSUE_TOKEN]));
  return wanted.map(({ title, aim, floor, ...load }) => ({
    title,
    aim,
    ...(floor !== undefined && { floor }),
    aimIsForCpu: true,
    subject: grpcSide('service', service, rpcUrlOf(service), load),
    limit: grpcSide('empty grpc-js', echo, echo.url, load),
  }));
}
