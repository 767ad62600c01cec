// A process that reads a number and writes it back plus one, in as many transactions as its second argument says, on the
// database of its first.
import { pino } from 'pino';
import { connectDatabase } from '../../src/db/connect.ts';

const [url, rounds] = process.argv.slice(2) as [string, string];
const database = connectDatabase({ url, poolSize: 2, log: pino({ level: 'silent' }) });
for (let round = 0; round < Number(rounds); round += 1) {
  await database.transaction({ at: Date.now() + 10_000, signal: new AbortController().signal }, async (tx) => {
    const [row] = await tx.query<{ points: number }>('SELECT points FROM rate_limits');
    await tx.execute('UPDATE rate_limits SET points = ?', [row!.points + 1]);
  });
}
await database.close();
