import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClientSecretStore, insertClientSecret } from '../../src/auth/client-credentials/client-secret-store.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { seedAccount } from '../support/accounts.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

const NOW = testClock().now();

describe.each(ENGINES)('secrets of accounts on %s', (engine) => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await createTestDatabase(engine);
  });
  afterAll(() => own?.drop());

  /** A service account with secrets of these ends; undefined does not end. */
  async function seedSecrets(
    ends: readonly (number | undefined)[],
  ): Promise<{ tenantId: string; ownerId: string; ids: string[] }> {
    const { id: ownerId, tenantId } = await seedAccount(own.database, { interactive: false });
    const ids: string[] = [];
    for (const expiresAt of ends) {
      const id = newId();
      const secret = `${id}-of-32-characters`;
      await insertClientSecret(own.database, { tenantId, ownerId, id, secret, createdAt: NOW, expiresAt });
      ids.push(id);
    }
    return { tenantId: tenantId!, ownerId, ids };
  }

  it('are found for several accounts by one query, without duplicates', async () => {
    const accounts = await Promise.all([1, 2, 3].map((count) => seedSecrets(Array<undefined>(count).fill(undefined))));
    const store = createClientSecretStore(own.database);
    const found = await Promise.all(accounts.map((account) => store.findByOwner(account, NOW)));
    expect(found.map((secrets) => secrets.map(({ id }) => id))).toEqual(accounts.map(({ ids }) => ids.toReversed()));
  });

  it('are sorted live ones first, with the latest expired ones, for each account', async () => {
    const ends = [...Array<number>(9).fill(NOW - 1), undefined, NOW + 1000];
    const accounts = [await seedSecrets(ends), await seedSecrets(ends)];
    const store = createClientSecretStore(own.database);
    for (const [index, secrets] of (
      await Promise.all(accounts.map((account) => store.findByOwner(account, NOW)))
    ).entries()) {
      expect(secrets.map(({ id }) => id)).toEqual([
        ...accounts[index]!.ids.slice(-2).toReversed(),
        ...accounts[index]!.ids.slice(3, 9).toReversed(),
      ]);
    }
  });

  it('of an account are not found under another tenant', async () => {
    const { ownerId, tenantId } = await seedSecrets([undefined]);
    const store = createClientSecretStore(own.database);
    const [foreign, none, found] = await Promise.all([
      store.findByOwner({ tenantId: 'other', ownerId }, NOW),
      store.findByOwner({ tenantId: undefined, ownerId }, NOW),
      store.findByOwner({ tenantId, ownerId }, NOW),
    ]);
    expect([foreign, none, found].map((secrets) => secrets.length)).toEqual([0, 0, 1]);
  });
});
