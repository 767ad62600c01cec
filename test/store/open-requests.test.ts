// Open authorization requests: how many a network and an account can have, and how they are counted.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createRequestStore,
  newRequestId,
  senderOf,
  type RequestStore,
} from '../../src/auth/oauth/authorize/request-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { fillRequests } from '../support/oauth/open-requests.ts';

const NOW = Date.UTC(2026, 10, 30);
const LIFETIME_MS = 600_000;
const ACCOUNT = senderOf(newId(), '192.0.2.1');
const OTHER_ACCOUNT = senderOf(newId(), '192.0.2.1');
/** More than are counted each time. */
const LARGE = 20_000;

describe.each(ENGINES)('on %s', (engine) => {
  let opened: TestDatabase;
  beforeEach(async () => {
    opened = await createTestDatabase(engine);
  });
  afterEach(() => opened?.drop());

  const insert = (requests: RequestStore, network: string, now = NOW) =>
    requests.insert(
      {
        hash: newRequestId().hash,
        kind: 'LOGIN',
        applicationTenant: 'acme',
        applicationId: newId(),
        pushedHash: undefined,
        parameters: '',
        network,
        requestedAt: now,
        expiresAt: now + LIFETIME_MS,
      },
      UNLIMITED,
    );
  const fill = (count: number, network: string) =>
    fillRequests(opened.database, { count, network, expiresAt: NOW + LIFETIME_MS });

  it('a network has 3,000, and the next one has its own', async () => {
    const requests = createRequestStore(opened.database, 200_000);
    await fill(2_999, 'a');
    expect(await insert(requests, 'a')).toBe(true);
    expect(await insert(requests, 'a')).toBe(false);
    expect(await insert(requests, 'b')).toBe(true);
    expect(await insert(requests, 'a', NOW + LIFETIME_MS)).toBe(true);
  });

  it('a used request gives its place back', async () => {
    const requests = createRequestStore(opened.database, 1);
    const { text, hash } = newRequestId();
    await fillRequests(opened.database, { count: 1, network: 'a', expiresAt: NOW + LIFETIME_MS, hash });
    expect(await insert(requests, 'a')).toBe(false);
    expect(await requests.use(opened.database, { hash, pushedHash: undefined }, NOW)).toBe(true);
    expect(await requests.use(opened.database, { hash, pushedHash: undefined }, NOW)).toBe(false);
    expect(await requests.findOpen(text, NOW)).toBe(undefined);
    expect(await insert(requests, 'a')).toBe(true);
  });

  it('an account has 3,000 of its own, whatever networks have', async () => {
    const requests = createRequestStore(opened.database, 1);
    await fill(1, 'a');
    await fill(2_999, ACCOUNT);
    expect(await insert(requests, ACCOUNT)).toBe(true);
    expect(await insert(requests, ACCOUNT)).toBe(false);
    expect(await insert(requests, OTHER_ACCOUNT)).toBe(true);
    expect(await insert(requests, ACCOUNT, NOW + LIFETIME_MS)).toBe(true);
  });

  it('requests of accounts take no place of networks', async () => {
    const requests = createRequestStore(opened.database, 2);
    await fill(5, ACCOUNT);
    expect([await insert(requests, 'a'), await insert(requests, 'b'), await insert(requests, 'c')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('a large limit holds for all processes, and each counts all requests once a second', async () => {
    const counts: string[] = [];
    const [one, other] = [
      createRequestStore(counting(opened.database, counts), LARGE),
      createRequestStore(opened.database, LARGE),
    ];
    for (let network = 0; network < 10; network += 1) await fill(LARGE / 10, `n-${network}`);
    expect([await insert(one, 'a'), await insert(other, 'b')]).toEqual([false, false]);
    await opened.database.execute('DELETE FROM authorization_requests WHERE network = ?', ['n-9']);
    expect(await insert(one, 'a', NOW + 999)).toBe(false);
    expect(counts).toHaveLength(1);
    await fill(LARGE / 10 - 3, 'n-9');
    const later = NOW + 1_000;
    for (const network of ['a', 'b', 'c']) expect(await insert(one, network, later)).toBe(true);
    expect(await insert(one, 'd', later)).toBe(false);
    expect(counts).toHaveLength(2);
    expect(await insert(other, 'd', later)).toBe(false);
  });
});

/** Returns a database that notes each count of all requests. */
function counting(database: Database, counts: string[]): Database {
  return {
    ...database,
    query: (sql, values) => {
      if (sql.includes('COUNT(*)') && values?.[0] === '~') counts.push(sql);
      return database.query(sql, values);
    },
  };
}
