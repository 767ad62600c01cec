// Clients of two services with a MySQL replication group whose primary fails, moves or leaves.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'mysql2';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discard, openConnection, send } from '../../src/platform/db/mysql/connection.ts';
import { checkServer } from '../../src/platform/db/mysql/server.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { checkHistory } from '../cluster/history.ts';
import { recordDuring, summaryOf } from '../cluster/recording.ts';
import { seedAccount } from '../support/accounts.ts';
import { ENGINES } from '../support/databases.ts';
import { testClock } from '../support/clock.ts';
import { type Deployment, deploy } from '../support/deployment.ts';
import { onMysqlServer } from '../support/mysql-server.ts';
import { type RestClient, restClient } from '../support/rest-client.ts';
import { type GroupMember, type MysqlGroup, startMysqlGroup } from './mysql-group.ts';

const CLIENTS = 8;
const CALM_MS = 1_500;
const DATABASE = 'grouped';
/** Longer than a member needs to notice that the others do not respond. */
const MAJORITY_LOST_MS = 8_000;

/** Of both services: a service refuses tokens that another one has issued in its future. */
const CLOCK = testClock();

interface Service {
  readonly deployment: Deployment;
  readonly rest: RestClient;
}

let group: MysqlGroup;
let services: readonly Service[];
let accounts: readonly Account[];

beforeAll(async () => {
  group = await startMysqlGroup();
  await onMysqlServer((await group.primary()).url, (connection) => connection.query(`CREATE DATABASE ${DATABASE}`));
  const [one, two, three] = group.members as [GroupMember, GroupMember, GroupMember];
  services = [await startService([one, two, three]), await startService([two, three, one])];
  const { database } = services[0]!.deployment;
  accounts = [];
  for (let index = 0; index < CLIENTS; index += 1) accounts = [...accounts, await seedAccount(database)];
});
afterAll(async () => {
  for (const { deployment } of services ?? []) await deployment.close();
  await group?.stop();
});

async function startService(members: readonly GroupMember[]): Promise<Service> {
  const hosts = members.map(({ url }) => new URL(url).host).join(',');
  const databaseUrl = `mysql://root@${hosts}/${DATABASE}`;
  const settings = { 'app.security.sessions-per-account': '1000' };
  const deployment = await deploy({
    engine: ENGINES.at(-1)!,
    transport: 'local',
    databaseUrl,
    settings,
    clock: CLOCK,
  });
  return { deployment, rest: restClient(deployment.url) };
}

/** Returns the port of the member that each service uses. */
function usedPorts(): Promise<string[]> {
  return Promise.all(
    services.map(async ({ deployment: { database } }) => {
      const [row] = await database.query<{ port: number }>('SELECT @@port AS port');
      return String(row!.port);
    }),
  );
}

function connectionOptions({ url }: GroupMember): ConnectionOptions {
  return { host: '127.0.0.1', port: Number(new URL(url).port), user: 'root', database: DATABASE };
}

const portOf = ({ url }: GroupMember) => new URL(url).port;

/** Resolves when another member has become the primary. */
async function replaced(primary: GroupMember): Promise<void> {
  await expect.poll(() => group.primary(), { timeout: 60_000, interval: 200 }).not.toBe(primary);
}

const FAULTS: readonly {
  readonly name: string;
  readonly begin: (primary: GroupMember) => Promise<void>;
  readonly end: (primary: GroupMember) => Promise<void> | void;
}[] = [
  { name: 'the primary is killed', begin: (primary) => primary.kill(), end: (primary) => primary.restart() },
  { name: 'the primary is frozen', begin: (primary) => primary.freeze(), end: (primary) => primary.thaw() },
  { name: 'another member becomes primary', begin: (primary) => group.replacePrimary(primary), end: () => {} },
  { name: 'the primary leaves', begin: (primary) => primary.leave(), end: () => {} },
];

describe('two services on a MySQL replication group', () => {
  it('use the primary only, whatever their preferred member is', async () => {
    const primary = portOf(await group.primary());
    expect(await usedPorts()).toEqual([primary, primary]);
  });

  it.each(FAULTS)('keep all promises and continue on the new primary if $name', async ({ name, begin, end }) => {
    const primary = await group.primary();
    const recording = await recordDuring(services, accounts, async () => {
      await sleep(CALM_MS);
      const since = performance.now();
      await begin(primary);
      await replaced(primary);
      console.log(`${name}: another primary after ${Math.round(performance.now() - since)} ms`);
      await sleep(CALM_MS);
      await end(primary);
      await group.healed();
      await sleep(CALM_MS);
    });
    console.log(`${name}: ${summaryOf(recording)}`);
    expect(checkHistory(recording)).toEqual([]);
    const next = portOf(await group.primary());
    await expect.poll(usedPorts).toEqual([next, next]);
  });

  it('lose and get back the majority without a broken promise if both secondaries are frozen', async () => {
    const primary = await group.primary();
    const secondaries = group.members.filter((member) => member !== primary);
    const recording = await recordDuring(services, accounts, async () => {
      await sleep(CALM_MS);
      await Promise.all(secondaries.map((member) => member.freeze()));
      await sleep(MAJORITY_LOST_MS);
      // A client of the service would wait for this member until its time limit, although another one could be used.
      await expect(
        openConnection(connectionOptions(primary), { statementMs: 500, mustBeWritable: true }),
      ).rejects.toThrow(DependencyUnavailableError);
      for (const member of secondaries) member.thaw();
      await group.healed();
      await sleep(CALM_MS);
    });
    console.log(`without a majority: ${summaryOf(recording)}`);
    expect(checkHistory(recording)).toEqual([]);
  });
});

describe('a connection to a secondary', () => {
  it('reads what the primary has committed, even if the secondary has not applied it yet', async () => {
    const primary = await group.primary();
    const secondary = group.members.find((member) => member !== primary)!;
    const update = (value: number) =>
      onMysqlServer(primary.url, (connection) => connection.query('UPDATE test.delayed SET value = ?', [value]));
    await onMysqlServer(primary.url, (connection) =>
      connection.query(`CREATE DATABASE test; CREATE TABLE test.delayed (id INT PRIMARY KEY, value INT);
        INSERT INTO test.delayed VALUES (1, 0)`),
    );
    const causal = await openConnection(connectionOptions(secondary));
    const read = async () => {
      const rows = await send(causal, 'query', 'SELECT value FROM test.delayed', [], 10_000);
      return (rows as { value: number }[])[0]?.value;
    };
    await expect.poll(read).toBe(0);
    await onMysqlServer(secondary.url, async (delaying) => {
      // The member cannot apply changes of the table until it is unlocked.
      await delaying.query('LOCK TABLES test.delayed READ');
      await update(1);
      const [plain] = await delaying.query('SELECT value FROM test.delayed');
      expect(plain).toEqual([{ value: 0 }]);
      const value = read();
      await sleep(200);
      await delaying.query('UNLOCK TABLES');
      expect(await value).toBe(1);
    });
    discard(causal, 'closed');
  });
});

describe('a group in which all members are primaries', () => {
  it('is refused at the start, with the remedy', async () => {
    await group.setMultiPrimary(true);
    const target = { connection: connectionOptions(group.members[0]!), address: '' };
    const log = pino({ level: 'silent' });
    await expect(checkServer(target, log, { connectMs: 2_000, statementMs: 2_000 })).rejects.toThrow(
      'use single-primary mode',
    );
    await group.setMultiPrimary(false);
    await expect(checkServer(target, log, { connectMs: 2_000, statementMs: 2_000 })).resolves.toBeUndefined();
  });
});
