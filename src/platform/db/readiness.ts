import { DatabaseError, isRolledBack, within } from './errors.ts';
import { type SchemaComparison, type SchemaOptions, createSchemaCheck, describeTooNew } from './migrate.ts';
import type { Database } from './types.ts';

const LIMIT_MS = 1_500;

/** The row that the check writes. */
const NAME = Buffer.from('readiness');
const NO_HOLDER = Buffer.alloc(16);

/**
 * Creates the check whether a core can serve: the database responds, its schema fits the code, and a row can be written, as each login
 * does. The schema can change under a running process, by a later version or a restored backup. The check returns the problem;
 * undefined if there is none.
 */
export async function createReadinessCheck(
  database: Database,
  options: SchemaOptions = {},
): Promise<() => Promise<string | undefined>> {
  const compare = await createSchemaCheck(database, options);

  const findProblem = async (): Promise<string | undefined> => {
    await database.ping(LIMIT_MS);
    const problem = describe(await compare());
    if (problem === undefined) await write(database);
    return problem;
  };
  return () => within(LIMIT_MS, findProblem()).catch((error: unknown) => (error as Error).message);
}

function describe({ missing: [missing], tooNew }: SchemaComparison): string | undefined {
  if (tooNew !== undefined) return describeTooNew(tooNew);
  return missing === undefined ? undefined : `lacks the migration ${missing}; restart the process to apply it`;
}

/** Writes the time into a row. A full disk and a read-only database refuse it. */
async function write(database: Database): Promise<void> {
  try {
    const now = Date.now();
    const changed = await database.execute('UPDATE job_leases SET last_run_at = ? WHERE name = ?', [now, NAME]);
    if (changed > 0) return;
    await database.execute('INSERT INTO job_leases (name, holder, expires_at, last_run_at) VALUES (?, ?, 0, ?)', [
      NAME,
      NO_HOLDER,
      now,
    ]);
  } catch (error) {
    // Another process has written the row at the same time.
    if (!isRolledBack(error) && !(error instanceof DatabaseError && error.kind === 'duplicate')) throw error;
  }
}
