import type { Logger } from 'pino';
import { within } from './errors.ts';
import { type SchemaComparison, type SchemaOptions, createSchemaCheck, describeTooNew } from './migrate.ts';
import type { Database } from './types.ts';

const LIMIT_MS = 1_500;

/**
 * Creates the check whether a core can serve: the database responds, and its schema fits the code. The schema can change
 * under a running process, by a later version or a restored backup. Logs when it stops to fit, and when it fits again.
 */
export async function createReadinessCheck(
  database: Database,
  log: Logger,
  options: SchemaOptions = {},
): Promise<() => Promise<boolean>> {
  const compare = await createSchemaCheck(database, options);
  let problem: string | undefined;

  const check = async (): Promise<boolean> => {
    await database.ping(LIMIT_MS);
    const found = describe(await compare());
    if (found !== problem) {
      if (found === undefined) log.info(`${database.address} has a schema that fits again`);
      else log.error(`${database.address} ${found}; not ready`);
    }
    problem = found;
    return found === undefined;
  };
  return () => within(LIMIT_MS, check()).catch(() => false);
}

function describe({ missing: [missing], tooNew }: SchemaComparison): string | undefined {
  if (tooNew !== undefined) return describeTooNew(tooNew);
  return missing === undefined ? undefined : `lacks the migration ${missing}; restart the process to apply it`;
}
