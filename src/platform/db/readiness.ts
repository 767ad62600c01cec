import { within } from './errors.ts';
import { type SchemaComparison, type SchemaOptions, createSchemaCheck, describeTooNew } from './migrate.ts';
import type { Database } from './types.ts';

const LIMIT_MS = 1_500;

/**
 * Creates the check whether a core can serve: the database responds, its schema fits the code, and a row can be written, as each login
 * does. The schema can change under a running process, by a later version or a restored backup. The check returns the problem;
 * undefined if there is none.
 *
 * @param options.write Writes a row that already exists after the first time.
 */
export async function createReadinessCheck(
  database: Database,
  { write, ...options }: SchemaOptions & { readonly write: () => Promise<void> },
): Promise<() => Promise<string | undefined>> {
  const compare = await createSchemaCheck(database, options);

  const findProblem = async (): Promise<string | undefined> => {
    await database.ping(LIMIT_MS);
    const problem = describe(await compare());
    if (problem === undefined) await write();
    return problem;
  };
  return () => within(LIMIT_MS, findProblem()).catch((error: unknown) => (error as Error).message);
}

function describe({ missing: [missing], tooNew }: SchemaComparison): string | undefined {
  if (tooNew !== undefined) return describeTooNew(tooNew);
  return missing === undefined ? undefined : `lacks the migration ${missing}; restart the process to apply it`;
}
