// Comparisons of access tokens for machine clients. Each grant writes a durable audit record and signs a token.
import type { Comparison } from '../compare.ts';
import { seedClients } from '../seed-clients.ts';
import { sample, wrkSide, type Stand } from '../stand.ts';

const TOKEN = '/api/v1/auth/token';
const CLIENTS = 200;

/** Aims by number of concurrent callers, on SQLite and on MariaDB. */
const AIMS = [
  { connections: 1, aims: { sqlite: 1, mariadb: 1 } },
  { connections: 32, aims: { sqlite: 1.8, mariadb: 1.1 }, floor: 0.6 },
  { connections: 128, aims: { sqlite: 1.4, mariadb: 1 } },
] as const;

/** Compares grants with the hand-written endpoint: one client id with 1, 32 and 128 callers, and 200 client ids with one. */
export async function grantComparisons({
  engine,
  connections,
  service,
  byHand,
  database,
}: Stand): Promise<Comparison[]> {
  const clients = await seedClients(database, CLIENTS);
  const lines = clients.map(
    ({ id, secret }) => `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`,
  );
  const [one] = lines;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const { url } of [service, byHand]) await assertGrant(url, { method: 'POST', headers, body: one! });

  const requests = (callers: number, bodies: readonly string[]) =>
    ({ path: TOKEN, format: 'form', lines: bodies, connections: callers }) as const;
  const ofOne = AIMS.map(({ connections: callers, aims, ...guarded }) => ({
    ...guarded,
    title: `POST /auth/token, ${callers} callers, ${engine}`,
    aim: aims[engine],
    subject: wrkSide('service', service, requests(callers, [one!])),
    limit: wrkSide('by hand', byHand, requests(callers, [one!])),
  }));
  return [
    ...ofOne,
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
