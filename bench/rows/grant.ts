// Comparisons of access tokens for machine clients. Each grant writes a durable audit record and signs a token.
import type { Comparison } from '../compare.ts';
import { seedClients } from '../seed.ts';
import { sample, startNode, wrkSide, type Stand } from '../stand.ts';

const TOKEN = '/api/v1/auth/token';
const CLIENTS = 200;

/** Aims by number of concurrent callers, on SQLite and on MariaDB. */
const AIMS = [
  { callers: 1, aims: { sqlite: 1, mariadb: 1 } },
  { callers: 32, aims: { sqlite: 3.5, mariadb: 1.4 }, floor: 0.8 },
  { callers: 128, aims: { sqlite: 1.4, mariadb: 1 } },
] as const;

/**
 * Compares grants of one client id with the hand-written endpoint for 1, 32 and 128 callers, and with node-oidc-provider.
 * Compares 200 client ids with one.
 */
export async function grantComparisons({
  engine,
  connections,
  service,
  byHand,
  database,
  start,
}: Stand): Promise<Comparison[]> {
  const clients = await seedClients(database, CLIENTS);
  const { id, secret } = clients[0]!;
  const provider = await start(startNode('node-oidc-provider.ts', [id, secret]));
  const lines = clients.map(
    (client) => `grant_type=client_credentials&client_id=${client.id}&client_secret=${client.secret}`,
  );
  const [one] = lines;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const { url } of [service, byHand, provider]) await assertGrant(url, { method: 'POST', headers, body: one! });

  const requests = (callers: number, bodies: readonly string[]) =>
    ({ path: TOKEN, format: 'form', lines: bodies, connections: callers }) as const;
  const titleOf = (callers: number) =>
    `POST /auth/token, ${callers} ${callers === 1 ? 'caller' : 'callers'}, ${engine}`;
  const ofOne = AIMS.map(({ callers, aims, ...guarded }) => ({
    ...guarded,
    title: titleOf(callers),
    aim: aims[engine],
    subject: wrkSide('service', service, requests(callers, [one!])),
    limit: wrkSide('by hand', byHand, requests(callers, [one!])),
  }));
  return [
    ...ofOne,
    {
      title: titleOf(connections),
      aim: 1.5,
      subject: wrkSide('service', service, requests(connections, [one!])),
      limit: wrkSide('node-oidc-provider', provider, requests(connections, [one!])),
    },
    {
      title: `POST /auth/token, ${CLIENTS} client ids, ${engine}`,
      aim: 0.9,
      subject: wrkSide('service', service, requests(connections, lines)),
      limit: wrkSide('one client id', service, requests(connections, [one!])),
    },
  ];
}

async function assertGrant(url: string, request: RequestInit): Promise<void> {
  const granted = JSON.parse(await sample(url + TOKEN, request)) as { readonly access_token?: string };
  if (granted.access_token?.split('.').length !== 3) throw new Error(`${url} grants no token`);
}
