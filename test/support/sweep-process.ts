// A process that runs the cleanup of files. Arguments: URL of the database, object store, time.
import { pino } from 'pino';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { cleanUpFiles } from './file-cleanup.ts';

const [url, store, time] = process.argv.slice(2) as [string, string, string];
const database = connectDatabase({ url, poolSize: 2, log: pino({ level: 'silent' }) });
await cleanUpFiles(database, store, Number(time));
await database.close();
