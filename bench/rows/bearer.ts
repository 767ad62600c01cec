// Comparisons of endpoints that only check an access token.
import type { Comparison } from '../compare.ts';
import { assertSameResponse, sample, startNode, wrkSide, type Stand } from '../stand.ts';

const ME = '/api/v1/auth/me';
const VERIFY = '/api/v1/auth/verify';

/** Compares `me` with a Fastify server that only sends the body and with the hand-written endpoint, and `verify` with `me`. */
export async function bearerComparisons({
  engine,
  connections,
  service,
  sessions,
  byHand,
  start,
}: Stand): Promise<Comparison[]> {
  const lines = sessions.map(({ accessToken }) => accessToken);
  const headers = { authorization: `Bearer ${lines[0]!}` };
  const body = await assertSameResponse(ME, { headers }, [service, byHand]);
  await sample(service.url + VERIFY, { headers });
  const bare = await start(startNode('bare-fastify.ts', [body]));

  const requests = (path: string) => ({ path, format: 'bearer', lines, connections }) as const;
  const me = wrkSide('service', service, requests(ME));
  return [
    {
      title: `GET /auth/me, ${engine}`,
      aim: engine === 'mariadb' ? 0.42 : 0.5,
      floor: 0.2,
      subject: me,
      limit: wrkSide('bare Fastify', bare, requests(ME)),
    },
    {
      title: `GET /auth/me, ${engine}`,
      aim: engine === 'mariadb' ? 2 : 1.15,
      floor: 0.78,
      subject: me,
      limit: wrkSide('by hand', byHand, requests(ME)),
    },
    {
      title: `GET /auth/verify, ${engine}`,
      aim: 1,
      floor: 0.62,
      subject: wrkSide('service', service, requests(VERIFY)),
      limit: { ...me, name: 'GET /auth/me' },
    },
  ];
}
