// A change of roles ends at its deadline: before its first write, and while it checks the tenants.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRoleChecks } from '../../src/auth/access/roles/check-role.ts';
import { createDefinitions } from '../../src/auth/access/roles/definitions.ts';
import { beginChangeForAll, beginDefinitionsChange } from '../../src/auth/tenancy/lock-tenant.ts';
import { insertTenant } from '../../src/auth/tenancy/tenant-store.ts';
import { UNLIMITED, type Deadline } from '../../src/platform/clock.ts';
import type { Database, Statements } from '../../src/platform/db/types.ts';
import { DependencyUnavailableError, ServiceError } from '../../src/platform/errors.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

/** More than two reads of 2,000, and tenants whose roles two reads return. */
const TENANTS = 1_500;
const ROLES = ['CLERK', 'LEAD', 'MASTER'];
const READS = 3;
const SHARED = 'SUPPORT';
const PASSED: Deadline = { ...UNLIMITED, at: 1 };
const NOW = 1_000_000;

describe.each(ENGINES)('%s', (engine) => {
  let test: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    test = await createTestDatabase(engine);
    database = test.database;
    for (const id of ['one', 'two']) await insertTenant(database, { id, name: id, status: 'ACTIVE', createdAt: NOW });
    const ids = Array.from({ length: TENANTS }, (_, index) => `tenant-${index}`);
    const rows = ids.flatMap((id) => ROLES.map((name) => [Buffer.from(id), Buffer.from(name), '[]', `["${SHARED}"]`]));
    for (let start = 0; start < rows.length; start += 500) {
      const some = rows.slice(start, start + 500);
      const places = some.map(() => '(?, ?, ?, ?, 1, 1, 1)').join();
      await database.execute(
        `INSERT INTO roles (tenant_id, name, permissions, inherits, created_at, updated_at, version) VALUES ${places}`,
        some.flat(),
      );
    }
  });
  afterAll(() => test?.drop());

  const versions = () =>
    database
      .query('SELECT definitions_version AS version FROM tenants ORDER BY id')
      .then((rows) => rows.map((row) => row['version']));

  describe('a change of what tenants define', () => {
    it.each<[string, (tx: Statements, deadline: Deadline) => Promise<void>]>([
      ['one tenant', (tx, deadline) => beginDefinitionsChange(database, tx, { tenantId: 'one', now: NOW, deadline })],
      ['every tenant', (tx, deadline) => beginChangeForAll(database, tx, { now: NOW, deadline })],
    ])('of %s is refused after its deadline, and changes no version', async (_, begin) => {
      const before = await versions();
      const late = database.transaction(UNLIMITED, (tx) => begin(tx, PASSED));
      await expect(late).rejects.toThrow(DependencyUnavailableError);
      await expect(late).rejects.toThrow('the deadline passed before the change');
      expect(await versions()).toEqual(before);
      await database.transaction(UNLIMITED, (tx) => begin(tx, UNLIMITED));
      expect(await versions()).not.toEqual(before);
    });

    it('of an unknown tenant is not found, also after its deadline', async () => {
      const change = { tenantId: 'nobody', now: NOW, deadline: PASSED };
      const late = database.transaction(UNLIMITED, (tx) => beginDefinitionsChange(database, tx, change));
      await expect(late).rejects.toThrow(ServiceError);
    });
  });

  /** Checks a changed role for every tenant. `afterRead` runs after each read of the roles of tenants. */
  async function check(deadline: Deadline, afterRead = (_reads: number): void => {}) {
    const before = await createDefinitions(database).loadShared();
    const define = (permissions: readonly string[]) =>
      before.withRoles([[SHARED, { permissions, inherits: [], isShared: true }]]);
    let reads = 0;
    const counted: Statements = {
      ...database,
      query: async (...call) => {
        const rows = await database.query(...call);
        afterRead((reads += 1));
        return rows as never;
      },
    };
    const { assertFits } = createRoleChecks({ selectRoleLists: async () => [] });
    const change = { tenantId: undefined, names: [SHARED], before: define([]), after: define(['a:b']), deadline };
    const outcome = await assertFits(counted, change).then(
      () => 'fits',
      (error: Error) => error,
    );
    return { outcome, reads };
  }

  describe(`the check of a role for ${TENANTS} tenants with roles`, () => {
    it('reads all of them in few statements', async () => {
      expect(await check(UNLIMITED)).toEqual({ outcome: 'fits', reads: READS });
    });

    it.each([1, 2])('stops if the caller no longer waits after read %i', async (last) => {
      let isAborted = false;
      const deadline = { ...UNLIMITED, isAborted: () => isAborted };
      const { outcome, reads } = await check(deadline, (done) => (isAborted = done === last));
      expect(outcome).toBeInstanceOf(DependencyUnavailableError);
      expect(reads).toBe(last);
    });

    it('stops after its deadline', async () => {
      const { outcome, reads } = await check(PASSED);
      expect(outcome).toBeInstanceOf(DependencyUnavailableError);
      expect(reads).toBe(1);
    });
  });
});
