// A policy that one process changes is in force at the next login or refresh of every process, and costs no statement.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccountStore } from '../../../src/auth/identity/account-store.ts';
import { createDefinitions } from '../../../src/auth/access/roles/definitions.ts';
import { createPolicies } from '../../../src/auth/access/policy/policies.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import type { Database } from '../../../src/platform/db/types.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { SERVICE_POLICY } from '../../support/policies.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { restClient, sessionOf, type RestClient } from '../../support/rest-client.ts';
import { openWorld, type World } from '../../support/world.ts';

rememberPasswords();

const PARALLEL = 4;

describe.each(ON_SQLITE)('$engine over $transport', ({ engine, transport }) => {
  let world: World;
  let second: Deployment;
  let there: RestClient;

  beforeAll(async () => {
    world = await openWorld({ engine, transport });
    const { databaseUrl, clock } = world.deployment;
    second = await deploy({ engine, transport: 'grpc', databaseUrl, clock });
    there = restClient(second.url);
  });
  afterAll(async () => {
    await second?.close();
    await world?.close();
  });

  const setTtl = (tenantId: string, accessTokenTtl: number | undefined) =>
    world.clients.tenancy.updateTenantPolicy(
      {
        tenantId,
        policy: { allowedOrigins: [], ...(accessTokenTtl !== undefined && { accessTokenTtl }) },
        updateMask: ['access_token_ttl'],
      },
      world.root.as,
    );

  it('obeys a change at the other process', { timeout: 120_000 }, async () => {
    const chain = async () => {
      const user = await world.seed({ tenantId: `tenant-${newId()}` });
      let session = sessionOf(await there.login({ username: user.username, password: PASSWORD }));
      const stale: number[] = [];
      for (let round = 0; round < 3 * ROUNDS; round += 1) {
        const wanted = round % 3 === 2 ? undefined : 60 + round;
        await setTtl(user.tenantId!, wanted);
        session = sessionOf(await there.refresh(session.cookie));
        if (session.response.body.expiresIn !== (wanted ?? 900)) stale.push(round);
      }
      return stale;
    };
    const stale = await Promise.all(Array.from({ length: PARALLEL }, chain));
    expect(stale.flat()).toEqual([]);
  });

  it('is read once after a change, and then with the account', async () => {
    const user = await world.seed({ tenantId: `tenant-${newId()}` });
    await setTtl(user.tenantId!, 60);
    const { database } = world.deployment;
    let statements = 0;
    const counted: Database = { ...database, query: (...call) => ((statements += 1), database.query(...call)) };
    const definitions = createDefinitions(counted);
    const accounts = createAccountStore(counted, definitions);
    const policies = createPolicies(SERVICE_POLICY, definitions);
    const read = async () => {
      statements = 0;
      const found = await accounts.find({ tenantId: user.tenantId, id: user.id });
      return [policies.of(found?.definitions).effective.accessTokenTtl, statements];
    };
    expect([await read(), await read(), await read()]).toEqual([
      [60, 2],
      [60, 1],
      [60, 1],
    ]);
    await setTtl(user.tenantId!, 61);
    expect([await read(), await read()]).toEqual([
      [61, 2],
      [61, 1],
    ]);
    await setTtl(user.tenantId!, undefined);
    expect((await read())[0]).toBe(900);
  });

  it('locks usernames without an account like the tenant of their login domain', async () => {
    const minimal = await deploy({
      engine,
      transport: 'local',
      databaseUrl: world.deployment.databaseUrl,
      clock: world.deployment.clock,
      settings: { 'app.api.error-disclosure.mode': 'minimal', 'app.security.auth-profile': 'B' },
    });
    try {
      const tenantId = `tenant-${newId()}`;
      const domain = `${newId()}.test`;
      const { username } = await world.seed({ tenantId, username: `ann@${domain}` });
      await world.clients.tenancy.setLoginDomains({ tenantId, loginDomains: [domain] }, world.root.as);
      await world.clients.tenancy.updateTenantPolicy(
        { tenantId, policy: { lockMaxFailures: 3, allowedOrigins: [] }, updateMask: ['lock_max_failures'] },
        world.root.as,
      );
      const rest = restClient(minimal.url);
      const statusesOf = async (name: string) => {
        const statuses = [];
        for (let count = 0; count < 6; count += 1)
          statuses.push((await rest.login({ username: name, password: 'wrong' })).status);
        return statuses;
      };
      expect(await statusesOf(username)).toEqual([401, 401, 401, 423, 423, 423]);
      expect(await statusesOf(`nobody@${domain}`)).toEqual([401, 401, 401, 423, 423, 423]);
      expect(await statusesOf(`nobody@${newId()}.test`)).toEqual([401, 401, 401, 401, 401, 423]);
    } finally {
      await minimal.close();
    }
  });
});
