// Migrations: applied, planned, and compared with those of the code.
import { readdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { DependencyUnavailableError } from '../errors.ts';
import { featureOf } from './lowest-version.ts';
import { assertMigrations, type ModuleMigration, restrictToModule } from './module-migrations.ts';
import type { Database, MigrationStatements, SqlValue, Statements } from './types.ts';

const DIRECTORY = new URL('../../../migrations/', import.meta.url);
/** A build has JavaScript. The names of migrations are those of their sources all the same. */
const EXTENSION = import.meta.url.endsWith('.js') ? '.js' : '.ts';
/** The table's name and columns are those of knex, which managed it before, so older databases need no conversion. */
const TABLE = 'knex_migrations';
const CREATE_TABLE: Readonly<Record<Database['engine'], string>> = {
  mysql: `CREATE TABLE IF NOT EXISTS ${TABLE} (id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(255),
    batch INT, migration_time TIMESTAMP NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
  sqlite: `CREATE TABLE IF NOT EXISTS ${TABLE} (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, name VARCHAR(255),
    batch INTEGER, migration_time DATETIME)`,
};

const ofModules = new Map<string, ModuleMigration>();

/**
 * Adds the migrations of a module to those of this process. They run after those of the service, in the order of their names.
 * Throws if their names are invalid.
 */
export function addMigrations(module: string, migrations: unknown): void {
  assertMigrations(migrations);
  for (const migration of migrations) ofModules.set(`${module}/${migration.name}`, migration);
}

/**
 * Applies the missing migrations in the order of their names and returns their number. Several processes can call it at
 * once: one works, the others wait and find nothing to do. Every migration can run twice, so the next call completes
 * one that was killed. Names of later releases are ignored. So a process of the previous release can restart after the
 * next release has applied its migrations. Rejects if a later migration needs later code.
 */
export async function migrate(database: Database, log: Logger, options: SchemaOptions = {}): Promise<number> {
  const applied = await database.migrateExclusively(log, async (schema) => {
    await schema.execute(CREATE_TABLE[schema.engine]);
    const { missing, tooNew, ignored } = compareSchema(await migrationNames(), await appliedNames(schema), options);
    if (ignored.length > 0)
      log.warn(
        { features: ignored },
        'app.database.ignore-lowest-version is true: this version does not enforce these features, which the database uses',
      );
    if (tooNew !== undefined) throw new Error(`${database.address} ${describeTooNew(tooNew)}`);
    for (const name of missing) await apply(name, schema);
    return missing;
  });
  for (const name of applied) log.debug({ migration: name }, 'migration applied');
  if (applied.length > 0) log.info({ count: applied.length }, 'migrations applied');
  return applied.length;
}

/** A missing migration and its statements. */
export interface PlannedMigration {
  readonly name: string;
  readonly sql: readonly string[];
}

/**
 * Returns the migrations that the database lacks, in order, with the statements that they run if tables have no rows. For
 * existing rows, some run further statements. Changes nothing.
 */
export async function planMigrations(database: Database): Promise<PlannedMigration[]> {
  const planned: PlannedMigration[] = [];
  for (const name of await pendingMigrations(database)) {
    const recorded = recordStatements(database.engine);
    if (planned.length === 0) await recorded.schema.execute(CREATE_TABLE[database.engine]);
    await apply(name, recorded.schema);
    planned.push({ name, sql: recorded.sql });
  }
  return planned;
}

/** Returns the names of all migrations in order, and whether the database has them. Changes nothing. */
export async function migrationStates(database: Database): Promise<{ name: string; applied: boolean }[]> {
  const pending = new Set(await pendingMigrations(database));
  return (await migrationNames()).map((name) => ({ name, applied: !pending.has(name) }));
}

/** Returns the names of the migrations that the database lacks, in order. Changes nothing. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  return [...(await checkSchema(database, {})).missing];
}

/** Returns a check whether the schema still fits this code. It reads one small table. */
export async function createSchemaCheck(
  database: Database,
  options: SchemaOptions,
): Promise<() => Promise<SchemaComparison>> {
  const known = await migrationNames();
  return async () => compareSchema(known, await appliedNames(database), options);
}

/** Compares the schema with this code once. An empty database lacks all migrations. */
export async function checkSchema(database: Database, options: SchemaOptions): Promise<SchemaComparison> {
  return compareSchema(await migrationNames(), (await hasTable(database)) ? await appliedNames(database) : [], options);
}

async function migrationNames(): Promise<string[]> {
  return [...(await ownMigrationNames()), ...[...ofModules.keys()].toSorted()];
}

async function ownMigrationNames(): Promise<string[]> {
  const files = (await readdir(DIRECTORY)).filter((name) => name.endsWith(EXTENSION));
  return files.map((name) => name.replace(/\.\w+$/, '.ts')).toSorted();
}

async function appliedNames(statements: Statements): Promise<string[]> {
  const rows = await statements.query<{ name: string }>(`SELECT name FROM ${TABLE}`);
  return rows.map(({ name }) => name);
}

async function hasTable(database: Database): Promise<boolean> {
  const tables =
    database.engine === 'mysql'
      ? 'information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?'
      : "sqlite_master WHERE type = 'table' AND name = ?";
  return (await database.query(`SELECT 1 AS one FROM ${tables}`, [TABLE])).length > 0;
}

async function apply(name: string, schema: MigrationStatements): Promise<void> {
  const ofModule = ofModules.get(name);
  if (ofModule) await applyOfModule(name, ofModule, schema);
  else await (await load(name)).up(schema);
  await schema.execute(`INSERT INTO ${TABLE} (name, batch, migration_time) VALUES (?, 1, CURRENT_TIMESTAMP)`, [name]);
}

async function applyOfModule(name: string, migration: ModuleMigration, schema: MigrationStatements): Promise<void> {
  const [module] = name.split('/') as [string];
  try {
    await migration.up(restrictToModule(module, await serviceTables(), schema));
  } catch (error) {
    if (error instanceof DependencyUnavailableError) throw error;
    throw new Error(`migration ${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Returns the names of all tables of the service, also of those that a later migration drops. */
async function serviceTables(): Promise<ReadonlySet<string>> {
  const { schema, sql } = recordStatements('sqlite');
  await schema.execute(CREATE_TABLE.sqlite);
  for (const name of await ownMigrationNames()) await (await load(name)).up(schema);
  return new Set(sql.flatMap((statement) => /^CREATE TABLE IF NOT EXISTS `?(\w+)/.exec(statement)?.[1] ?? []));
}

async function load(name: string): Promise<Pick<ModuleMigration, 'up'>> {
  return (await import(new URL(name.replace(/\.ts$/, EXTENSION), DIRECTORY).href)) as Pick<ModuleMigration, 'up'>;
}

// Records the statements of a migration instead of running them.

/** Returns statements that run nothing and find no rows, and the SQL text of all changes so far. */
function recordStatements(engine: Database['engine']): {
  readonly schema: MigrationStatements;
  readonly sql: readonly string[];
} {
  const recorded: string[] = [];
  return {
    sql: recorded,
    schema: {
      engine,
      query: async () => [],
      async execute(sql, values = []) {
        recorded.push(withValues(sql, values));
        return 0;
      },
    },
  };
}

/** Returns the statement with literals for its values, on one line. */
function withValues(sql: string, values: readonly SqlValue[]): string {
  const rest = [...values];
  return sql.replaceAll(/\s+/g, ' ').replaceAll('?', () => literal(rest.shift()!));
}

function literal(value: SqlValue): string {
  if (value === null || typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`;
  throw new TypeError('This value has no literal');
}

/**
 * `0031_drop_old_column.needs-0030.ts` takes away what older code uses. Only code that has migration 0030 works with the
 * changed schema.
 */
const NEEDS = /\.needs-(\d{4})\.ts$/;

export interface SchemaOptions {
  /** Whether to serve a database with records of features that this code does not enforce. */
  readonly ignoreLowestVersion?: boolean;
}

export interface SchemaComparison {
  /** The migrations that the database lacks, in order. */
  readonly missing: readonly string[];
  /** A migration of the database that this code cannot work with. */
  readonly tooNew: string | undefined;
  /** The features that this code does not enforce, if it serves the database all the same. */
  readonly ignored: readonly string[];
}

/** Compares, by name, the migrations that this code knows, in order, with those that the database has. */
export function compareSchema(
  known: readonly string[],
  applied: readonly string[],
  { ignoreLowestVersion = false }: SchemaOptions = {},
): SchemaComparison {
  const newest = known.findLast((name) => !name.includes('/')) ?? '';
  const newer = applied.filter((name) => (NEEDS.exec(name)?.[1] ?? '') > newest.slice(0, 4));
  const ignored = ignoreLowestVersion ? newer.map(featureOf).filter((feature) => feature !== undefined) : [];
  return {
    missing: known.filter((name) => !applied.includes(name)),
    tooNew: newer.find((name) => !ignoreLowestVersion || featureOf(name) === undefined),
    ignored,
  };
}

/** Describes the problem of a database with an incompatible migration, and the remedy. */
export function describeTooNew(migration: string): string {
  const feature = featureOf(migration);
  if (feature !== undefined)
    return (
      `has ${feature}, which this version does not enforce (${migration}); start a later version, or set ` +
      'app.database.ignore-lowest-version=true to serve it without them'
    );
  return `has the schema of a later version (migration ${migration}); start that version`;
}
