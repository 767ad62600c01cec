// Two services on two nodes of a Galera cluster: what one commits, the next request at the other obeys.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/auth/access/account.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { authorizedBy, seedSession } from '../support/sessions.ts';
import { ENGINES } from '../support/databases.ts';
import { deploy } from '../support/deployment.ts';
import { openEvents, type EventStream } from '../support/event-stream.ts';
import { onMysqlServer } from '../support/mysql-server.ts';
import { bearer, restClient, sessionOf, type RestClient } from '../support/rest-client.ts';
import { ROUNDS } from '../support/rounds.ts';
import { outcomeOf } from '../support/rpc-outcomes.ts';
import { clientsOf, openWorld, type Clients, type World } from '../support/world.ts';
import { startGalera, type GaleraCluster, type GaleraNode } from './galera.ts';

/** Changes of each rule. */
const CHANGES = 25 * ROUNDS;
/** Chains of changes with a tenant each, so that each node has changes of the other to apply. */
const PARALLEL = 4;
const DATABASE = 'obedience';
const NONE = { permissions: [], inherits: [] };
const SOON_MS = 1_000;

interface Service {
  readonly rest: RestClient;
  readonly clients: Clients;
  readonly revocations: EventStream;
}

let cluster: GaleraCluster;
let world: World;
/** The services with the nodes 1 and 2 as their first host. */
let services: readonly Service[] = [];
let closeSecond: (() => Promise<void>) | undefined;

beforeAll(async () => {
  cluster = await startGalera();
  await onMysqlServer(cluster.nodes[0]!.url, (connection) => connection.query(`CREATE DATABASE ${DATABASE}`));
  const [one, two, three] = cluster.nodes as [GaleraNode, GaleraNode, GaleraNode];
  const engine = ENGINES.at(-1)!;
  world = await openWorld({ engine, transport: 'local', databaseUrl: urlOf([one, two, three]) });
  const { clock } = world.deployment;
  const second = await deploy({ engine, transport: 'grpc', databaseUrl: urlOf([two, three, one]), clock });
  closeSecond = second.close;
  const accessToken = world.root.session.accessToken;
  services = await Promise.all(
    [world.deployment, second].map(async (deployment) => {
      const revocations = await openEvents(`${deployment.url}/api/v1/auth/revocations`, bearer(accessToken));
      await revocations.find('snapshot-end');
      return { rest: restClient(deployment.url), clients: clientsOf(deployment), revocations };
    }),
  );
  const ports = [world.deployment, second].map(({ database }) =>
    database.query<{ port: number }>('SELECT @@port AS port'),
  );
  expect((await Promise.all(ports)).map(([row]) => row!.port)).toEqual(
    [one, two].map(({ url }) => Number(new URL(url).port)),
  );
});
afterAll(async () => {
  for (const { revocations } of services) revocations.close();
  await closeSecond?.();
  await world?.close();
  await cluster?.stop();
});

function urlOf(nodes: readonly GaleraNode[]): string {
  return `mysql://root@${nodes.map(({ url }) => new URL(url).host).join(',')}/${DATABASE}`;
}

/** Changes something through one service, and returns whether the next request at the other one obeys. */
type Round = (here: Service, there: Service, round: number) => Promise<boolean>;

interface Rule {
  readonly name: string;
  readonly parallel: number;
  /** Prepares a chain of rounds. */
  begin(user: Account): Promise<Round>;
}

/** The permission of a round is held in this round only. */
async function followRole(user: Account, tenantId: string | undefined): Promise<Round> {
  const root = world.root.as;
  const name = `R${newId().replaceAll('-', '').toUpperCase()}`;
  await services[0]!.clients.role.createRole({ ...NONE, name, ...(tenantId !== undefined && { tenantId }) }, root);
  await services[0]!.clients.identity.setUserRoles({ userId: user.id, roles: [name] }, root);
  const as = authorizedBy(await seedSession(world.deployment, user));
  const permissionOf = (round: number) => [`round:r${round}`];
  return async (here, there, round) => {
    const role = { permissions: permissionOf(round), inherits: [] };
    const target = { name, ...(tenantId !== undefined && { tenantId }) };
    await here.clients.role.updateRole({ ...target, role, updateMask: ['permissions'] }, root);
    const [now, before] = await Promise.all(
      [round, round - 1].map((one) =>
        outcomeOf(there.clients.identity.verifyAccess({ permission: permissionOf(one) }, as)),
      ),
    );
    return now === 'OK' && before === 'PERMISSION_DENIED';
  };
}

const RULES: readonly Rule[] = [
  { name: 'a changed role', parallel: PARALLEL, begin: (user) => followRole(user, user.tenantId) },
  // Its changes write the rows of all tenants.
  { name: 'a changed role for every tenant', parallel: 1, begin: (user) => followRole(user, undefined) },
  {
    name: 'a changed policy',
    parallel: PARALLEL,
    async begin(user) {
      let { cookie } = await seedSession(world.deployment, user);
      return async (here, there, round) => {
        const accessTokenTtl = 60 + round;
        const policy = { allowedOrigins: [], accessTokenTtl };
        const change = { tenantId: user.tenantId!, policy, updateMask: ['access_token_ttl'] };
        await here.clients.tenancy.updateTenantPolicy(change, world.root.as);
        const session = sessionOf(await there.rest.refresh(cookie));
        cookie = session.cookie;
        return session.response.body.expiresIn === accessTokenTtl;
      };
    },
  },
  {
    name: 'a logout',
    parallel: PARALLEL,
    begin: async (user) => async (here, there) => {
      const session = await seedSession(world.deployment, user);
      if ((await there.rest.me(session.accessToken)).status !== 200) return false;
      expect((await here.rest.logout(session)).status).toBe(200);
      const committedBy = performance.now();
      const refusals = [await there.rest.me(session.accessToken), await there.rest.refresh(session.cookie)];
      const event = await there.revocations.find('session', session.id);
      return refusals.every(({ status }) => status === 401) && event.at - committedBy < SOON_MS;
    },
  },
];

describe('two services on two Galera nodes', () => {
  it.each(RULES)(`obey $name at once: ${CHANGES} changes, none stale`, async ({ parallel, begin }) => {
    const chain = async () => {
      const round = await begin(await world.seed({ tenantId: `tenant-${newId()}`, roles: ['SALES'] }));
      const stale: number[] = [];
      for (let index = 0; index < CHANGES / parallel; index += 1) {
        // Each service changes and obeys in turn.
        const [here, there] = index % 2 === 0 ? services : services.toReversed();
        if (!(await round(here!, there!, index))) stale.push(index);
      }
      return stale;
    };
    const stale = await Promise.all(Array.from({ length: parallel }, chain));
    expect(stale.flat()).toEqual([]);
  });
});
