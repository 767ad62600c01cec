// Two services on two nodes of a Galera cluster: a recovery does not outlive a change of the address or the password on the
// other node.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import { seedAccount } from '../support/accounts.ts';
import { untilServed } from '../support/at-once.ts';
import { ENGINES } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';
import { mailFolder } from '../support/mails.ts';
import { onMysqlServer } from '../support/mysql-server.ts';
import { restClient } from '../support/rest-client.ts';
import { ROUNDS } from '../support/rounds.ts';
import { startGalera, type GaleraCluster } from './galera.ts';

const DATABASE = 'recoveries';
const RECOVERY = '/api/v1/auth/recovery';

const mails = mailFolder();
let cluster: GaleraCluster;
let services: readonly Deployment[] = [];

beforeAll(async () => {
  cluster = await startGalera();
  await onMysqlServer(cluster.nodes[0]!.url, (connection) => connection.query(`CREATE DATABASE ${DATABASE}`));
  const hosts = cluster.nodes.map(({ url }) => new URL(url).host);
  const on = (node: number) => ({
    engine: ENGINES.at(-1)!,
    transport: 'local' as const,
    databaseUrl: `mysql://root@${[...hosts.slice(node), ...hosts.slice(0, node)].join(',')}/${DATABASE}`,
    settings: mails.settings,
  });
  const first = await deploy(on(0));
  services = [first];
  services = [first, await deploy({ ...on(1), clock: first.clock })];
});
afterAll(async () => {
  for (const service of services.toReversed()) await service.close();
  await cluster?.stop();
});

/** Changes of an account, with their values. */
const CHANGES = {
  'the address': () => ['email = ?', `${newId()}@mail.test`],
  'the password': () => ['password_hash = ?, password_version = password_version + 1', newId()],
} as const;

it.each(Object.entries(CHANGES))('a recovery ends with a change of %s that has not seen it', async (_name, change) => {
  const [one, two] = services as [Deployment, Deployment];
  for (let round = 0; round < ROUNDS; round += 1) {
    const email = `${newId()}@mail.test`;
    const { id, username } = await seedAccount(one.database, { username: `${newId()}@acme.test`, email });
    const key = idToBytes(id);
    await eventually(async () =>
      expect(await two.database.query('SELECT id FROM accounts WHERE id = ?', [key])).toHaveLength(1),
    );
    // The statements of a change on the second node. The locks of its rows hold there only.
    await two.database.transaction(UNLIMITED, async (tx) => {
      const [assignment, value] = change();
      await tx.execute(`UPDATE accounts SET ${assignment} WHERE id = ?`, [value!, key]);
      await tx.execute('DELETE FROM mail_tokens WHERE account_id = ?', [key]);
      const { status } = await untilServed(() => restClient(one.url).postJson(RECOVERY, { username }));
      expect(status).toBe(202);
    });
    const token = await eventually(() => mails.to(email)[0]!.token!);
    for (const { url } of services) {
      const confirm = () =>
        restClient(url).postJson(`${RECOVERY}/confirm`, { token, newPassword: 'a new and long password' });
      expect(await untilServed(confirm)).toMatchObject({ status: 400, body: { errorCode: 'mail-token-invalid' } });
    }
  }
});
