// Transactions on two nodes of a Galera cluster that change the same row, with statements that their connections have not prepared.
// MariaDB 10.11 loses the end of a transaction by another node if it comes during a preparation: what follows is a new transaction.
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { onMysqlServer } from '../support/mysql-server.ts';
import { ROUNDS } from '../support/rounds.ts';
import { startGalera, type GaleraCluster } from './galera.ts';

const TRANSACTIONS_OF_NODE = 12;
const DATABASE = 'preparation';

let cluster: GaleraCluster;
let databases: readonly Database[];

beforeAll(async () => {
  cluster = await startGalera();
  const [one, two] = cluster.nodes.map(({ url }) => url) as [string, string];
  await onMysqlServer(one, (connection) =>
    connection.query(`CREATE DATABASE ${DATABASE};
      CREATE TABLE ${DATABASE}.codes (id INT PRIMARY KEY, used INT NULL);
      CREATE TABLE ${DATABASE}.uses (id INT, user INT, PRIMARY KEY (id, user))`),
  );
  databases = [one, two].map((url) =>
    connectDatabase({
      url: new URL(DATABASE, url).href,
      poolSize: TRANSACTIONS_OF_NODE,
      log: pino({ level: 'silent' }),
    }),
  );
});
afterAll(async () => {
  for (const database of databases ?? []) await database.close();
  await cluster?.stop();
});

/** Uses a code in a transaction. Returns whether it was unused. */
const use = (database: Database, id: number, user: number): Promise<boolean> =>
  database.transaction(UNLIMITED, async (tx) => {
    const changed = await tx.execute('UPDATE codes SET used = ? WHERE id = ? AND used IS NULL', [user, id]);
    if (changed === 0) return false;
    // The comments make statements that no connection has prepared.
    for (const step of [1, 2, 3, 4]) await tx.query(`SELECT ${step} FROM codes WHERE id = ? /* ${id} ${user} */`, [id]);
    await tx.execute(`INSERT INTO uses VALUES (?, ?) /* ${id} */`, [id, user]);
    return true;
  });

it('let one transaction use a code', async () => {
  for (let id = 1; id <= 60 * ROUNDS; id += 1) {
    await databases[0]!.execute('INSERT INTO codes VALUES (?, NULL)', [id]);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 2 * TRANSACTIONS_OF_NODE }, (_none, user) => use(databases[user % 2]!, id, user)),
    );
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(DependencyUnavailableError);
    const told = outcomes.flatMap((outcome, user) =>
      outcome.status === 'fulfilled' && outcome.value ? [{ id, user }] : [],
    );
    expect(told.length).toBeLessThanOrEqual(1);
    expect(await databases[1]!.query('SELECT id, user FROM uses WHERE id = ?', [id])).toEqual(told);
  }
});
