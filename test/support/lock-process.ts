// A process that locks a SQLite file, reports that, and releases the lock on request. Arguments: path of the file, statements.
import { DatabaseSync } from 'node:sqlite';

const [file, statements] = process.argv.slice(2) as [string, string];
const db = new DatabaseSync(file, { timeout: 5_000 });
db.exec(statements);
process.once('message', () => {
  db.exec('COMMIT');
  db.close();
  process.disconnect?.();
});
process.send?.('locked');
