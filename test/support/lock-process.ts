// A process that locks the SQLite file of its first argument with the statements of its second, says so, and lets go of it when it
// is told to.
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
