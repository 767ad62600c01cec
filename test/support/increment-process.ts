// A process that increments a number in the database. Arguments: URL of the database, number of transactions.
import { pino } from 'pino';
import { connectDatabase } from '../../src/platform/db/connect.ts';

const [url, rounds] = process.argv.slice(2) as [string, string];
const database = connectDatabase({ url, poolSize: 2, log: pino({ level: 'silent' }) });
for (let round = 0; round < Number(rounds); round += 1) {
  await database.transaction({ at: Date.now() + 10_000, signal: new AbortController().signal }, async (tx) => {
    const [row] = await tx.query<{ points: number }>('SELECT points FROM rate_limits');
    await tx.execute('UPDATE rate_limits SET points = ?', [row!.points + 1]);
  });
}
await database.close();
