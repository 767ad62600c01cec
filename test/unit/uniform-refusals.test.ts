// Under minimal disclosure every rejected login has the same cost: one password hash and the same statements, before and after
// the lock.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuditLog } from '../../src/auth/audit/trail/audit-log.ts';
import { NO_REFUSALS } from '../../src/composition/local-operator.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { paceFailures } from '../../src/platform/concurrency/pace-failures.ts';
import type { Database, Statements } from '../../src/platform/db/types.ts';
import { createAccountLock } from '../../src/auth/identity/authentication/account-lock.ts';
import { createAccountStore } from '../../src/auth/identity/account-store.ts';
import { createAuthenticationManager } from '../../src/auth/identity/authentication/authentication-manager.ts';
import type { PasswordHasher } from '../../src/auth/identity/authentication/password-hasher.ts';
import { seedAccount, type Seed } from '../support/accounts.ts';
import { createTestPolicies } from '../support/policies.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';

const NOW = Date.UTC(2026, 0, 1);
const SEEDS: [what: string, seed: Seed, right: boolean][] = [
  ['a user', {}, false],
  ['a disabled user', { disabled: true }, true],
  ['an expired user', { accountExpiresAt: NOW }, true],
  ['a user with an expired password', { credentialsExpireAt: NOW }, true],
  ['a service account', { interactive: false }, false],
  ['a user of a tenant that does not exist', { tenantId: 'gone' }, true],
];

describe('a rejected login under minimal disclosure', () => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await createTestDatabase('sqlite');
  });
  afterAll(() => own?.drop());

  it.each([...SEEDS, ['nobody', undefined, false] as const])(
    'costs one hash and runs the same statements: %s',
    async (what, seed, right) => {
      const statements: string[] = [];
      const database = spied(own.database, statements);
      const clock = () => NOW;
      let hashes = 0;
      const hasher: PasswordHasher = {
        hash: async () => 'hash',
        runLimited: (_requester, _hash, work) =>
          work(async (passwordHash) => {
            hashes += 1;
            statements.push('hash');
            return { isCorrect: passwordHash !== undefined && right, isOutdated: false };
          }),
      };
      const manager = createAuthenticationManager({
        database,
        accounts: createAccountStore(database),
        policies: createTestPolicies(),
        lock: createAccountLock({ database, policy: { maxFailures: 5, durationMs: 900_000 }, clock, uniform: true }),
        hasher,
        audit: createAuditLog(database, clock, NO_REFUSALS),
        clock,
        uniformRefusals: true,
        runRefusable: paceFailures,
        tenantRequired: true,
        refuseSamples: false,
      });
      const username = seed === undefined ? 'nobody@acme.test' : (await seedAccount(own.database, seed)).username;
      if (seed?.tenantId) await own.database.execute('DELETE FROM tenants WHERE id = ?', [Buffer.from(seed.tenantId)]);
      const context = {
        requestId: 'r',
        clientAddress: '127.0.0.1',
        deadline: UNLIMITED,
        log: pino({ level: 'silent' }, { write: () => {} }),
      };
      const attempt = () =>
        manager.authenticate({ username, password: 'x' }, context, async () => async () => 'let in');

      for (let i = 1; i <= 7; i += 1) {
        statements.length = 0;
        const error = await attempt().then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error, what).toMatchObject(i > 5 ? { reason: 'ACCOUNT_LOCKED' } : { name: 'ServiceError' });
        if (i <= 5) expect(error).not.toMatchObject({ reason: 'ACCOUNT_LOCKED' });
        expect(hashes).toBe(i);
        expect(statements).toEqual(i > 5 ? LOCKED : EVALUATED);
      }
    },
  );
});

const CLAIM = [
  'SELECT lock state',
  'SELECT login_domains',
  'INSERT lock state in the transaction',
  'UPDATE lock state in the transaction',
  'SELECT lock state in the transaction',
  'hash',
];
const FAILURE = [
  'INSERT lock state in the transaction',
  'UPDATE lock state in the transaction',
  'SELECT lock state in the transaction',
];
const EVALUATED = [
  ...CLAIM,
  ...FAILURE,
  'INSERT audit_records in the transaction',
  'DELETE audit_records in the transaction',
];
/** Nothing is evaluated, and the audit record is stored after the response. */
const LOCKED = [...CLAIM, ...FAILURE];

/** Notes what kind of statement goes to which table; accounts and decoys both hold the state of a lock. */
function spied(database: Database, statements: string[]): Database {
  const spy = (target: Statements, where = ''): Statements => {
    const note = (sql: string) => {
      const [, verb, table] =
        /^\s*(SELECT|INSERT|UPDATE|DELETE)[^]*?\b(accounts|login_decoys|login_domains|audit_records)\b/.exec(sql)!;
      const isLockState = table === 'accounts' || table === 'login_decoys';
      statements.push(`${verb} ${isLockState ? 'lock state' : table}${where}`);
    };
    return {
      query: (sql, values) => (note(sql), target.query(sql, values)),
      execute: (sql, values) => (note(sql), target.execute(sql, values)),
    };
  };
  return {
    ...database,
    ...spy(database),
    transaction: (deadline, work) => database.transaction(deadline, (tx) => work(spy(tx, ' in the transaction'))),
  };
}
