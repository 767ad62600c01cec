import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { bytesToId, idToBytes, isId, newId } from '../../src/platform/db/ids.ts';
import { tenantScope } from '../../src/platform/db/query/tenant-scope.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';

describe.each(ENGINES)('tenant scope on %s', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    for (const tenant of ['a', 'b', undefined]) {
      await tenantScope(test.database, tenant).execute(
        `INSERT INTO audit_records (tenant_id, id, at, event, client_address, request_id, details)
         VALUES (:tenant, ?, ?, ?, '::1', 'r', '{}')`,
        [idToBytes(newId()), 5, `of ${tenant ?? 'none'}`],
      );
    }
  });
  afterAll(() => test.drop());

  it.each(['a', 'b', undefined])('selects the rows of tenant %s only', async (tenant) => {
    const scope = tenantScope(test.database, tenant);
    const sql = 'SELECT event FROM audit_records WHERE at = ? AND tenant_id = :tenant AND at < ?';
    expect(await scope.query(sql, [5, 6])).toEqual([{ event: `of ${tenant ?? 'none'}` }]);
    expect(await scope.execute('UPDATE audit_records SET at = ? WHERE tenant_id = :tenant', [5])).toBe(1);
  });

  it('works inside a transaction', async () => {
    const rows = await test.database.transaction(UNLIMITED, (tx) =>
      tenantScope(tx, 'a').query('SELECT event FROM audit_records WHERE tenant_id = :tenant'),
    );
    expect(rows).toHaveLength(1);
  });

  it('rejects a statement without the tenant, a wrong number of values and an invalid tenant', async () => {
    const scope = tenantScope(test.database, 'a');
    await expect(scope.query('SELECT event FROM audit_records')).rejects.toThrow('must contain :tenant');
    await expect(scope.execute('DELETE FROM audit_records WHERE at = 1')).rejects.toThrow('must contain :tenant');
    const sql = 'SELECT event FROM audit_records WHERE tenant_id = :tenant AND at = ?';
    await expect(scope.query(sql)).rejects.toThrow(TypeError);
    await expect(scope.query(sql, [1, 2])).rejects.toThrow(TypeError);
    for (const wrong of ['', null, 0, {}]) expect(() => tenantScope(test.database, wrong as string)).toThrow(TypeError);
  });
});

describe('ids', () => {
  it('are ascending UUIDv7 that survive the way to bytes and back', () => {
    const ids = Array.from({ length: 1_000 }, newId);
    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids) {
      expect(id[14]).toBe('7');
      expect(bytesToId(idToBytes(id))).toBe(id);
    }
  });

  it.each(['', 'x', `${newId()}0`, newId().toUpperCase(), newId().replaceAll('-', ''), ` ${newId()}`, undefined, 5])(
    'are not %s',
    (text) => {
      expect(isId(text)).toBe(false);
      expect(() => idToBytes(text as string)).toThrow(TypeError);
    },
  );
});
