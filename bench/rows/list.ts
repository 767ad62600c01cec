import type { Comparison } from '../compare.ts';
import { assertSameResponse, wrkSide, type Stand } from '../stand.ts';

const LIST = '/api/v1/products?perPage=20';

/** Compares a page of 20 of 300 products with the hand-written endpoint. */
export async function listComparisons({
  engine,
  connections,
  service,
  sessions,
  byHand,
}: Stand): Promise<Comparison[]> {
  const lines = sessions.map(({ accessToken }) => accessToken);
  await assertSameResponse(LIST, { headers: { authorization: `Bearer ${lines[0]!}` } }, [service, byHand]);
  const requests = { path: LIST, format: 'bearer', lines, connections } as const;
  return [
    {
      title: `GET /products, ${engine}`,
      aim: engine === 'mariadb' ? 1.4 : 1.5,
      floor: 0.85,
      subject: wrkSide('service', service, requests),
      limit: wrkSide('by hand', byHand, requests),
    },
  ];
}
