// A process that migrates a database and reports the number of applied migrations. Argument: URL of the database.
import { pino } from 'pino';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { migrate } from '../../src/platform/db/migrate.ts';

const database = connectDatabase({ url: process.argv[2]!, poolSize: 2, log: pino({ level: 'silent' }) });
process.send?.(await migrate(database, pino({ level: 'silent' })));
await database.close();
process.disconnect?.();
