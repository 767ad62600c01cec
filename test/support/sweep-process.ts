// A process that cleans up the files of the database of its first argument and the store of its second, at the time of its third.
import { pino } from 'pino';
import { fileCleanupTargets } from '../../src/business/files/cleanup.ts';
import { connectDatabase } from '../../src/db/connect.ts';
import { createObjectStore } from '../../src/files/create-object-store.ts';
import { cleanup } from '../../src/jobs/cleanup.ts';

const [url, store, at] = process.argv.slice(2) as [string, string, string];
const database = connectDatabase({ url, poolSize: 2, log: pino({ level: 'silent' }) });
const objects = await createObjectStore(store, 'my-shop');
const clock = () => Number(at);
await cleanup({ database, clock, targets: fileCleanupTargets({ database, objects, clock }) });
objects.close();
await database.close();
