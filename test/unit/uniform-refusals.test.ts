// Under minimal disclosure a refused login costs the same whoever it is: one password hash, before and after the lock.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuditLog } from '../../src/audit/audit-log.ts';
import { UNLIMITED } from '../../src/clock.ts';
import { createAccountLock } from '../../src/identity/account-lock.ts';
import { createAccountStore } from '../../src/identity/account-store.ts';
import { createAuthenticationManager } from '../../src/identity/authentication-manager.ts';
import { seedAccount, type Seed } from '../support/accounts.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';

const NOW = Date.now();
const SEEDS: [what: string, seed: Seed, right: boolean][] = [
  ['a user', {}, false],
  ['a disabled user', { disabled: true }, true],
  ['an expired user', { accountExpiresAt: NOW }, true],
  ['a user with an expired password', { credentialsExpireAt: NOW }, true],
  ['a service account', { interactive: false }, false],
  ['a user of a tenant that does not exist', { tenantId: 'gone' }, true],
];

describe('a refused login', () => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await createTestDatabase('sqlite');
  });
  afterAll(() => own?.drop());

  it.each([...SEEDS, ['nobody', undefined, false] as const])('costs one hash: %s', async (what, seed, right) => {
    const { database } = own;
    const clock = () => NOW;
    let hashes = 0;
    const hasher = {
      hash: async () => 'hash',
      verify: async () => (hashes += 1) > 0 && right,
      verifyNothing: async () => void (hashes += 1),
      isOutdated: () => false,
    };
    const manager = createAuthenticationManager({
      database,
      accounts: createAccountStore(database),
      lock: createAccountLock(database, { maxFailures: 5, durationMs: 900_000 }, clock),
      hasher,
      audit: createAuditLog(database, clock),
      clock,
      uniformRefusals: true,
    });
    const username = seed === undefined ? 'nobody@acme.test' : (await seedAccount(database, seed)).username;
    if (seed?.tenantId) await database.execute('DELETE FROM tenants WHERE id = ?', [Buffer.from(seed.tenantId)]);
    const context = { requestId: 'r', clientAddress: '127.0.0.1', deadline: UNLIMITED, log: pino({ level: 'silent' }) };
    const attempt = () => manager.authenticate({ username, password: 'x' }, context, async () => async () => 'let in');

    for (let i = 1; i <= 7; i += 1) {
      const error = await attempt().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error, what).toMatchObject(i > 5 ? { reason: 'ACCOUNT_LOCKED' } : { name: 'ServiceError' });
      if (i <= 5) expect(error).not.toMatchObject({ reason: 'ACCOUNT_LOCKED' });
      expect(hashes).toBe(i);
    }
  });
});
