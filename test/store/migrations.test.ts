import { readdirSync, readFileSync } from 'node:fs';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { migrate, pendingMigrations, planMigrations } from '../../src/platform/db/migrate.ts';
import { createReadinessCheck } from '../../src/platform/db/readiness.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createEmptyDatabase, createTestDatabase, ENGINES } from '../support/databases.ts';

const log = pino({ level: 'silent' });

/** All tables with their columns and indexes. */
const SCHEMA: Readonly<Record<Database['engine'], string>> = {
  sqlite: "SELECT name, sql FROM sqlite_master WHERE name <> 'knex_migrations' ORDER BY name",
  mysql: `SELECT table_name AS t, column_name AS c, column_type AS what, is_nullable AS n
      FROM information_schema.columns WHERE table_schema = DATABASE()
    UNION ALL SELECT table_name, column_name, index_name, seq_in_index
      FROM information_schema.statistics WHERE table_schema = DATABASE() ORDER BY t, c, what`,
};

describe.each(ENGINES)('migrations on %s', (engine) => {
  it('are pending on an empty database, applied once, and then done', async () => {
    const { url, remove } = await createEmptyDatabase(engine);
    const database = connectDatabase({ url, poolSize: 2, log });
    const pending = await pendingMigrations(database);
    expect(pending.length).toBeGreaterThanOrEqual(10);
    expect(await migrate(database, log)).toBe(pending.length);
    expect(await pendingMigrations(database)).toEqual([]);
    expect(await migrate(database, log)).toBe(0);
    await database.close();
    await remove();
  });

  it('are planned as SQL that creates the same schema', async () => {
    const [planned, migrated] = await Promise.all([createEmptyDatabase(engine), createTestDatabase(engine)]);
    const database = connectDatabase({ url: planned.url, poolSize: 1, log });
    const plan = await planMigrations(database);
    expect(plan.map(({ name }) => name)).toEqual(await pendingMigrations(database));
    for (const statement of plan.flatMap(({ sql }) => sql)) await database.execute(statement);
    expect(await migrate(database, log)).toBe(0);
    expect(await planMigrations(database)).toEqual([]);
    const schemaOf = async (one: Database) => (await one.query(SCHEMA[one.engine])).map((row) => JSON.stringify(row));
    const expected = await schemaOf(migrated.database);
    expect(expected.length).toBeGreaterThan(30);
    expect(await schemaOf(database)).toEqual(expected);
    expect(await database.query('SELECT tenant_id FROM login_domains')).toHaveLength(1);
    await database.close();
    await Promise.all([planned.remove(), migrated.drop()]);
  });

  // test/process/parallel-migrations.test.ts has real processes.
  it('are applied once when several services start at the same time', async () => {
    const { url, remove } = await createEmptyDatabase(engine);
    const database = connectDatabase({ url, poolSize: 2, log });
    const pending = await pendingMigrations(database);
    const services = [1, 2, 3].map(() => connectDatabase({ url, poolSize: 2, log }));
    const applied = await Promise.all(services.map((service) => migrate(service, log)));
    for (const service of services) await service.close();
    expect(applied.toSorted((a, b) => a - b)).toEqual([0, 0, pending.length]);
    expect(await pendingMigrations(database)).toEqual([]);
    await database.close();
    await remove();
  });

  it('of a later release do not stop a process of this one from starting', async () => {
    const { database, drop } = await createTestDatabase(engine);
    await database.execute("INSERT INTO knex_migrations (name, batch) VALUES ('9999_later_release.ts', 2)");
    expect(await migrate(database, log)).toBe(0);
    expect(await pendingMigrations(database)).toEqual([]);
    await drop();
  });

  it('of a later release that needs later code stop the start, and a running process is not ready', async () => {
    const { database, drop } = await createTestDatabase(engine);
    const findProblem = await createReadinessCheck(database, { write: async () => {} });
    expect(await findProblem()).toBeUndefined();
    await database.execute("INSERT INTO knex_migrations (name, batch) VALUES ('9999_drop.needs-9998.ts', 2)");
    expect(await findProblem()).toMatch(/^has the schema of a later version/);
    await expect(migrate(database, log)).rejects.toThrow(
      /has the schema of a later version \(migration 9999_drop\.needs-9998\.ts\); start that version/,
    );
    await database.execute("DELETE FROM knex_migrations WHERE name LIKE '9999%'");
    expect(await findProblem()).toBeUndefined();
    await drop();
  });

  it('that a restored backup lacks make a running process not ready', async () => {
    const { database, drop } = await createTestDatabase(engine);
    const findProblem = await createReadinessCheck(database, { write: async () => {} });
    await database.execute("DELETE FROM knex_migrations WHERE name LIKE '0029%'");
    expect(await findProblem()).toMatch(/^lacks the migration 0029.*; restart the process/);
    await drop();
  });

  it('create at most one table per file', () => {
    const folder = new URL('../../migrations/', import.meta.url);
    const texts = readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const);
    const several = texts.filter(([, text]) => text.split('createTable(schema').length > 2);
    expect(texts.length).toBeGreaterThan(20);
    expect(several.map(([name]) => name)).toEqual([]);
  });

  it('continue after a killed process', async () => {
    const { database, drop } = await createTestDatabase(engine);
    // Its table is there, the record that it was applied is not.
    await database.execute(
      'DELETE FROM knex_migrations WHERE name = (SELECT last FROM (SELECT MAX(name) AS last FROM knex_migrations) AS newest)',
    );
    expect(await migrate(database, log)).toBe(1);
    expect(await pendingMigrations(database)).toEqual([]);
    await drop();
  });
});
