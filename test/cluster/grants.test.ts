// Two services on two nodes of a Galera cluster keep codes and grants of applications as the model of grants does.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES } from '../support/databases.ts';
import { onMysqlServer } from '../support/mysql-server.ts';
import { checkHistories } from '../support/oauth/grant-histories.ts';
import { openScene, type Scene } from '../support/oauth/grant-scene.ts';
import { ENDS, type Operation } from '../support/oauth/grant-model.ts';
import { openService, type Service } from '../support/oauth/service.ts';
import { ROUNDS } from '../support/rounds.ts';
import { startGalera, type GaleraCluster } from './galera.ts';

const DATABASE = 'grants';
const HISTORIES = 5 * ROUNDS;
const RACES = 5 * ROUNDS;

let cluster: GaleraCluster;
/** The services with the nodes 1 and 2 as their first host. */
const services = [] as unknown as [Service, Service];

beforeAll(async () => {
  cluster = await startGalera();
  await onMysqlServer(cluster.nodes[0]!.url, (connection) => connection.query(`CREATE DATABASE ${DATABASE}`));
  const [one, two, three] = cluster.nodes.map(({ url }) => new URL(url).host);
  const urlOf = (hosts: readonly unknown[]) => `mysql://root@${hosts.join(',')}/${DATABASE}`;
  const databaseUrl = urlOf([one, two, three]);
  const first = await openService({ engine: ENGINES.at(-1)!, transport: 'local', databaseUrl, isPatient: true });
  services.push(first);
  services.push(await first.beside({ databaseUrl: urlOf([two, three, one]) }));
});
afterAll(async () => {
  for (const service of services.toReversed()) await service.close();
  await cluster?.stop();
});

describe('two services on two Galera nodes', () => {
  it(
    `keep codes and grants as the model does, in ${HISTORIES} histories`,
    () => checkHistories(services, HISTORIES),
    300_000 * ROUNDS,
  );

  /** Opens a scene with a code for lasting access. */
  async function begin(): Promise<Scene> {
    const scene = await openScene(services);
    await scene.perform({ kind: 'open', session: 0 }, 0);
    await scene.perform({ kind: 'authorize', grant: 0, session: 0, party: 1, offline: true }, 0);
    return scene;
  }

  const atOnce = (scene: Scene, ...operations: readonly Operation[]) =>
    Promise.all(operations.map((operation, index) => scene.perform(operation, index % 2)));

  it(`redeem a code once, and end its grant, ${RACES} times`, async () => {
    for (let race = 0; race < RACES; race += 1) {
      const scene = await begin();
      const outcomes = await atOnce(scene, { kind: 'exchange', grant: 0 }, { kind: 'exchange', grant: 0 });
      expect(outcomes.toSorted()).toEqual(['invalid_grant', 'tokens 1']);
      expect(await scene.perform({ kind: 'refresh', grant: 0, generation: 1 }, race % 2)).toBe('invalid_grant');
    }
  });

  it.each(ENDS)(`leave no grant of a code beside the end of all (%s), ${RACES} times`, async (how) => {
    for (let race = 0; race < RACES; race += 1) {
      const scene = await begin();
      const [redeemed] = await atOnce(scene, { kind: 'exchange', grant: 0 }, { kind: 'end all', how });
      if (redeemed === 'tokens 1')
        expect(await scene.perform({ kind: 'refresh', grant: 0, generation: 1 }, race % 2)).toBe('invalid_grant');
    }
  });

  it(`leave no code of a consent that is revoked beside it, ${RACES} times`, async () => {
    for (let race = 0; race < RACES; race += 1) {
      const scene = await begin();
      await scene.perform({ kind: 'exchange', grant: 0 }, 0);
      const again = { kind: 'authorize', grant: 1, session: 0, party: 1, offline: true } as const;
      const [asked] = await atOnce(scene, again, { kind: 'delete', grant: 0 });
      const redeemed = await scene.perform({ kind: 'exchange', grant: 1 }, race % 2);
      expect([asked, redeemed]).toEqual(asked === 'code' ? ['code', 'invalid_grant'] : ['consent, code', 'tokens 1']);
    }
  });
});
