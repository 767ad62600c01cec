// Lists of administration in long tables: totals up to 10,000, and pages behind a cursor.
import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_COUNTED } from '../../../src/platform/db/query/page-query.ts';
import type { Database } from '../../../src/platform/db/types.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openAdministration, pagingOf } from './administration.ts';

const EVENT = 'login.failed';
const TENANT = 'acme';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);
  const list = (query: string) => acme.admin.get(`/audit-records?events=${EVENT}&${query}`);

  beforeAll(() => insertRecords(acme.world.deployment.database, MAX_COUNTED + 5));

  it('counts up to 10,000, says that there are more, and links to no last page', async () => {
    const first = await list('perPage=100');
    expect(pagingOf(first)).toEqual([MAX_COUNTED, 1, 100]);
    expect(first.headers.get('x-total-count-relation')).toBe('at-least');
    expect(Object.keys(linksOf(first))).toEqual(['first', 'next']);
    const narrow = await list('until=1970-01-01T00:00:02Z');
    expect(pagingOf(narrow)[0]).toBe(2_000);
    expect(narrow.headers.get('x-total-count-relation')).toBeNull();
    expect(Object.keys(linksOf(narrow))).toEqual(['first', 'next', 'last']);
  });

  it('returns all items once by the links to the next page, as by page numbers', async () => {
    const byLink: string[] = [];
    for (let query: string | undefined = 'perPage=100'; query !== undefined;) {
      const page = await list(query);
      byLink.push(...idsOf(page));
      query = linksOf(page)['next'];
      expect(page.headers.get('x-total-count-relation')).toBe('at-least');
    }
    expect(byLink).toHaveLength(MAX_COUNTED + 5);
    expect(new Set(byLink).size).toBe(byLink.length);
    for (const page of [1, 2, 100, 101]) {
      const numbered = await list(`perPage=100&page=${page}`);
      expect(idsOf(numbered)).toEqual(byLink.slice(100 * (page - 1), 100 * page));
    }
    const beyond = await list('perPage=100&page=102');
    expect([beyond.status, beyond.body, pagingOf(beyond)]).toEqual([200, [], [MAX_COUNTED, 102, 100]]);
  });

  it('rejects a bad cursor with 400, and a cursor in a list without cursors', async () => {
    for (const query of ['after=x', 'after=', `after=${'x'.repeat(401)}`, 'after=a%20b', 'after=W10&after=W10']) {
      expect([query, (await list(query)).status]).toEqual([query, 400]);
    }
    expect((await acme.admin.get('/account/sessions?after=W10')).status).toBe(400);
    const { body } = await list('after=W10');
    expect(body).toMatchObject({ errorCode: 'validation-error', violations: [{ props: ['after'], format: 'cursor' }] });
  });

  it('rejects a cursor of another filter or list with 400', async () => {
    const next = linksOf(await list('perPage=100'))['next']!;
    const others = ['/audit-records?', `/audit-records?events=${EVENT}&until=2000-01-01&`, '/users?', '/tenants?'];
    for (const path of others) {
      const { status, body } = await acme.root.get(`${path}${next}`);
      expect([path, status, body]).toMatchObject([path, 400, { violations: [{ props: ['after'], format: 'cursor' }] }]);
    }
  });

  it('returns the same next page after items before it were added and deleted', async () => {
    const first = await list('perPage=100');
    const next = linksOf(first)['next']!;
    const before = idsOf(await list(next));
    const { database } = acme.world.deployment;
    const [newest, last] = [idsOf(first)[0]!, idsOf(first).at(-1)!];
    await insertRecords(database, 1, MAX_COUNTED + 1_000);
    for (const id of [newest, last]) {
      const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
      await database.execute('DELETE FROM audit_records WHERE tenant_id = ? AND id = ?', [Buffer.from(TENANT), bytes]);
    }
    expect(idsOf(await list('perPage=100'))).not.toEqual(idsOf(first));
    expect(idsOf(await list(next))).toEqual(before);
  });
});

/** The queries of a response's links by relation. */
function linksOf({ headers }: RestResponse): Readonly<Record<string, string>> {
  const links = [...headers.get('link')!.matchAll(/<[^?]*\?([^>]*)>; rel="(\w+)"/g)];
  return Object.fromEntries(links.map(([, query, relation]) => [relation, query!.replace(`events=${EVENT}&`, '')]));
}

function idsOf({ body }: RestResponse): string[] {
  return (body as { id: string }[]).map(({ id }) => id);
}

/** Records at one millisecond after the other, so that ids and times have different orders. */
async function insertRecords(database: Database, count: number, from = 0): Promise<void> {
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999) SELECT i FROM n`;
  const id = { sqlite: "unhex(printf('%032x', ? - i))", mysql: "UNHEX(LPAD(HEX(? - i), 32, '0'))" }[database.engine];
  for (let start = from; start < from + count; start += 1_000) {
    await database.execute(
      `INSERT INTO audit_records (tenant_id, id, at, event, client_address, request_id, details)
       SELECT ?, ${id}, ? + i, '${EVENT}', 'x', 'x', '{}' FROM (${numbers}) AS numbers WHERE ? + i < ${from + count}`,
      [Buffer.from(TENANT), 1_000_000 - start, start, start],
    );
  }
}
