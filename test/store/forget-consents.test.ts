// The job that deletes the consents to deleted applications.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/auth/access/account.ts';
import { deleteApplication, insertApplication } from '../../src/auth/oauth/applications/application-store.ts';
import { addConsent, createFindConsent } from '../../src/auth/oauth/consent/consent-store.ts';
import { createForgetConsents } from '../../src/auth/oauth/consent/forget-consents.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { seedAccount } from '../support/accounts.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { webApplication } from '../support/oauth/applications.ts';

/** More than a batch. */
const USERS = 110;

describe.each(ENGINES)('consents on %s', (engine) => {
  const { now } = testClock();
  const kept = webApplication({ clientId: 'kept' });
  const deleted = [webApplication({ clientId: 'deleted' }), webApplication({ clientId: 'also-deleted' })];
  let test: TestDatabase;
  let db: Database;
  let accounts: readonly Account[];
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    db = test.database;
    for (const application of [kept, ...deleted]) await insertApplication(db, application);
    accounts = await Promise.all(Array.from({ length: USERS }, () => seedAccount(db)));
  });
  afterAll(() => test.drop());

  const consentOf = ({ tenantId, id: accountId }: Account, { id: applicationId }: { readonly id: string }) => ({
    tenantId,
    accountId,
    applicationId,
  });
  const count = async () => (await db.query<{ n: number }>('SELECT COUNT(*) AS n FROM consents'))[0]!.n;
  const run = () => createForgetConsents({ database: db, clock: now }).run();

  it('to deleted applications are deleted, others stay', async () => {
    await db.transaction(UNLIMITED, async (tx) => {
      for (const account of accounts)
        for (const application of [kept, deleted[0]!])
          await addConsent(tx, consentOf(account, application), ['openid'], now());
      await addConsent(tx, consentOf(accounts[0]!, deleted[1]!), ['openid'], now());
    });
    expect([await run(), await count()]).toEqual([0, 2 * USERS + 1]);
    for (const application of deleted) await deleteApplication(db, application);
    expect([await run(), await count()]).toEqual([USERS + 1, USERS]);
    expect(await createFindConsent(db)(consentOf(accounts[0]!, kept))).toMatchObject({ scopes: ['openid'] });
    expect(await run()).toBe(0);
  });
});
