// Migrations of modules: what they may be named, and which tables they may change.
import type { MigrationStatements } from './types.ts';

/** A change of the schema by a module. It must be able to run again, because it may be killed half-way. */
export interface ModuleMigration {
  /** A number of four digits, which orders the migrations of the module, and words: `0001_invoices`. */
  readonly name: string;
  up(schema: MigrationStatements): Promise<void>;
}

const NAME = /^\d{4}_[a-z0-9_]{1,100}$/;

/** Throws if migrations of a module have invalid names, or two have the same number. */
export function assertMigrations(migrations: unknown): asserts migrations is readonly ModuleMigration[] {
  if (!Array.isArray(migrations)) throw new Error('its migrations are not a list');
  const byNumber = new Map<string, string>();
  for (const { name, up } of migrations as readonly Partial<ModuleMigration>[]) {
    if (typeof name !== 'string' || !NAME.test(name) || typeof up !== 'function')
      throw new Error(`the migration ${name} needs a name such as 0001_invoices, and the function up`);
    const number = name.slice(0, 4);
    if (byNumber.has(number))
      throw new Error(`two migrations have the number ${number}: ${byNumber.get(number)} and ${name}`);
    byNumber.set(number, name);
  }
}

/** Whether a module may have a table of this name: `invoices` and `invoices_lines` for the module `invoices`. */
export function isTableOf(module: string, table: string): boolean {
  return table === module || table.startsWith(`${module}_`);
}

/** The statements that a migration of a module can run, up to the name of the table. An index of SQLite begins with that name. */
const CHANGES = [
  'CREATE TABLE(?: IF NOT EXISTS)?',
  'CREATE(?: UNIQUE)? INDEX(?: IF NOT EXISTS)? \\S+ ON',
  'ALTER TABLE',
  'DROP TABLE(?: IF EXISTS)?',
  'DROP INDEX(?: \\S+ ON| IF EXISTS)?',
  'INSERT(?: OR IGNORE| IGNORE)? INTO',
  'UPDATE',
  'DELETE FROM',
];
const CHANGE = new RegExp(`^(?:${CHANGES.join('|')}) [\`"]?(\\w+)`, 'i');
const READ = /^(?:SELECT|SHOW) /i;
const SHOWN_CHARACTERS = 80;

/**
 * Returns the statements of a migration of a module. They reject if they change a table without the module's prefix, or one of
 * the service. That keeps mistakes away; it is not a sandbox.
 *
 * @param tables The tables of the service.
 */
export function restrictToModule(
  module: string,
  tables: ReadonlySet<string>,
  schema: MigrationStatements,
): MigrationStatements {
  const assertAllowed = (statement: string): void => {
    const sql = statement.replaceAll(/\s+/g, ' ').trim();
    if (READ.test(sql)) return;
    const table = CHANGE.exec(sql)?.[1];
    const fail = (problem: string) => {
      throw new Error(`${problem}: ${sql.slice(0, SHOWN_CHARACTERS)}`);
    };
    if (table === undefined)
      fail('a migration of a module can only read, and create, alter, fill and drop its tables and indexes');
    else if (tables.has(table)) fail(`the table ${table} belongs to the service`);
    else if (!isTableOf(module, table))
      fail(`the table ${table} must have the name ${module} or begin with ${module}_`);
  };
  return {
    engine: schema.engine,
    async query(sql, values) {
      assertAllowed(sql);
      return schema.query(sql, values);
    },
    async execute(sql, values) {
      assertAllowed(sql);
      return schema.execute(sql, values);
    },
  };
}
