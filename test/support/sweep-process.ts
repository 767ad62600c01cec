// A process that cleans up the files of the database of its first argument and the store of its second, at the time of its third.
import { pino } from 'pino';
import { fileCleanUpTargets } from '../../src/business/files/clean-up.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import { openObjects } from '../../src/files/open-objects.ts';
import { cleanUp } from '../../src/jobs/clean-up.ts';

const [url, store, at] = process.argv.slice(2) as [string, string, string];
const database = connectDatabase({ url, poolSize: 2, log: pino({ level: 'silent' }) });
const objects = await openObjects(store, 'my-shop');
const clock = () => Number(at);
await cleanUp({ database, clock, targets: fileCleanUpTargets({ database, objects, clock }) });
objects.close();
await database.close();
