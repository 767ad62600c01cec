// A process that runs the cleanup of files. Arguments: URL of the database, object store, time.
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
