// Login domains: the tenants that may create usernames of a domain.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { ENGINES } from '../../support/databases.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { restClient } from '../../support/rest-client.ts';
import { NEW_USER } from './rpcs.ts';
import { userUpdate } from './rpcs.ts';
import { openWorld, type Actor, type World } from '../../support/world.ts';
import { outcomeOf, refusal, violationsOf } from '../../support/rpc-outcomes.ts';

const label = () => newId().slice(-12);

function helpersOf(world: World) {
  const { identity, clientCredentials, tenancy } = world.clients;
  return {
    own: (tenantId: string, ...loginDomains: string[]) =>
      tenancy.setLoginDomains({ tenantId, loginDomains }, world.root.as),
    user: (by: Actor, username: string, tenantId?: string) =>
      identity.createUser({ ...NEW_USER(), username, ...(tenantId !== undefined && { tenantId }) }, by.as),
    client: (by: Actor, clientId: string) =>
      clientCredentials.createServiceAccount({ clientId, name: 'Client', roles: ['SALES'] }, by.as),
  };
}

describe.each(DIAGONAL)('$engine, $transport', ({ engine, transport }) => {
  let world: World;
  let own: ReturnType<typeof helpersOf>['own'];
  let user: ReturnType<typeof helpersOf>['user'];
  let client: ReturnType<typeof helpersOf>['client'];

  beforeAll(async () => {
    world = await openWorld({ engine, transport });
    ({ own, user, client } = helpersOf(world));
  });
  afterAll(() => world?.close());

  it('are stored in lower case as A-labels, sorted, and returned with the tenant', async () => {
    const mark = label();
    const { tenant } = await own('acme', `Z-${mark}.TEST`, `bücher-${mark}.example`, `straße-${mark}.example`);
    expect(tenant!.loginDomains).toEqual([
      expect.stringMatching(/^xn--bcher-[0-9a-z-]+\.example$/),
      expect.stringMatching(/^xn--strae-[0-9a-z-]+\.example$/),
      `z-${mark}.test`,
    ]);
    expect(await world.clients.tenancy.getTenant({ tenantId: 'acme' }, world.root.as)).toEqual({ tenant });
    const { tenants } = await world.clients.tenancy.listTenants({ status: 0, query: 'acme' }, world.root.as);
    expect(tenants).toContainEqual(tenant);
    expect((await own('acme')).tenant!.loginDomains).toEqual([]);
  });

  it.each([
    ['', 'a b.test', 'a..test', '-a.test', 'a-.test', '.test', 'a.test.', 'a.test/x', 'a@b.test', 'a.test:1'],
    [
      '127.0.0.1',
      '1.2.3',
      '[::1]',
      '*.a.test',
      'a_b.test',
      `${'a'.repeat(64)}.test`,
      `${'a.'.repeat(127)}test`,
      'a\0.test',
    ],
  ])('cannot be %j or similar texts', async (...domains) => {
    expect(await violationsOf(own('acme', ...domains))).toEqual(
      domains.map((_, index) => `loginDomains.${index}: domain`),
    );
  });

  it('are limited to 100 without duplicates', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `d${index}.test`);
    expect(await violationsOf(own('acme', ...many))).toEqual(['loginDomains: maxItems']);
    expect(await violationsOf(own('acme', 'a.test', 'A.Test'))).toEqual(['loginDomains.1: uniqueItems']);
    expect(await outcomeOf(own('missing', '-'))).toBe('NOT_FOUND');
    expect(
      await outcomeOf(world.clients.tenancy.setLoginDomains({ tenantId: 'acme', loginDomains: [] }, world.admin.as)),
    ).toBe('PERMISSION_DENIED');
  });

  it('have one owner: a second tenant gets CONFLICT and no domain', async () => {
    const domain = `${label()}.test`;
    await own('acme', domain);
    const refused = await refusal(own('globex', `free-${domain}`, domain.toUpperCase()));
    expect(refused.reason).toBe('CONFLICT');
    expect(refused.message).not.toContain('acme');
    expect((await own('globex')).tenant!.loginDomains).toEqual([]);
    expect((await own('acme', domain, `more-${domain}`)).tenant!.loginDomains).toEqual(
      [domain, `more-${domain}`].toSorted(),
    );
    await own('acme', `more-${domain}`);
    expect((await own('globex', domain)).tenant!.loginDomains).toEqual([domain]);
  });

  it('reserve their usernames for their tenant', async () => {
    const domain = `${label()}.test`;
    await own('acme', domain);
    for (const name of [`a@${domain}`, ` A2@${domain.toUpperCase()} `, `a3@x@${domain}`, `a4@${domain}.`]) {
      const refused = await refusal(user(world.other, name));
      expect(refused).toMatchObject({
        reason: 'VALIDATION_ERROR',
        violations: [{ format: 'loginDomain', props: ['username'] }],
      });
      expect(JSON.stringify({ ...refused, diagnostics: undefined })).not.toContain('acme');
      expect(await violationsOf(client(world.other, name))).toEqual(['clientId: loginDomain']);
      expect(await violationsOf(user(world.root, name, 'globex'))).toEqual(['username: loginDomain']);
    }
    const superAdmin = { ...NEW_USER(), username: `root@${domain}`, roles: ['SUPER_ADMIN'] };
    expect(await violationsOf(world.clients.identity.createUser(superAdmin, world.root.as))).toEqual([
      'username: loginDomain',
    ]);
    expect(await outcomeOf(user(world.admin, `a@${domain}`))).toBe('OK');
    expect(await outcomeOf(client(world.admin, `client@${domain}`))).toBe('OK');
    expect(await outcomeOf(user(world.root, `b@${domain}`, 'acme'))).toBe('OK');
  });

  it('do not reserve usernames of subdomains, parent domains or without a domain', async () => {
    const domain = `${label()}.test`;
    await own('acme', domain);
    for (const name of [
      `a@sub.${domain}`,
      `a@x${domain}`,
      domain,
      `${domain}@`,
      `a@${domain}@free.test`,
      `c-${label()}`,
    ]) {
      expect(await outcomeOf(user(world.other, name))).toBe('OK');
    }
  });

  it('are compared in canonical form, in any spelling of the username', async () => {
    const mark = label();
    await own('acme', `bücher-${mark}.example`);
    const [ascii] = (await world.clients.tenancy.getTenant({ tenantId: 'acme' }, world.root.as)).tenant!.loginDomains;
    for (const name of [
      `a@bücher-${mark}.example`,
      `a@BU\u0308CHER-${mark}.example`,
      `a@${ascii}`,
      `a@bücher-${mark}。example`,
    ]) {
      expect(await violationsOf(user(world.other, name))).toEqual(['username: loginDomain']);
    }
  });

  it('do not change existing usernames', async () => {
    const domain = `${label()}.test`;
    const account = await seedAccount(world.deployment.database, { username: `old@${domain}`, tenantId: 'globex' });
    await own('acme', domain);
    expect(
      (await restClient(world.deployment.url).login({ username: account.username, password: PASSWORD })).status,
    ).toBe(200);
    expect(await outcomeOf(user(world.admin, account.username))).toBe('CONFLICT');
    const change = userUpdate(account.id, { name: 'New' });
    expect(await outcomeOf(world.clients.identity.updateUser(change, world.other.as))).toBe('OK');
  });

  it('are audited with the added and removed ones', async () => {
    const domain = `${label()}.test`;
    await own('globex');
    await own('globex', domain);
    await own('globex', domain);
    await own('globex');
    const request = { tenantId: 'globex', events: ['tenant.login-domains-set'], page: { page: 1, perPage: 2 } };
    const { records } = await world.clients.audit.listAuditRecords(request, world.root.as);
    expect(records.map(({ details, actorId }) => [JSON.parse(details), actorId])).toEqual([
      [{ added: '', removed: domain }, world.root.account.id],
      [{ added: domain, removed: '' }, world.root.account.id],
    ]);
  });
});

describe.each(ENGINES)('parallel changes of login domains: %s', (engine) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ engine, transport: 'local' });
  });
  afterAll(() => world?.close());

  it('one of two tenants gets a domain that both claim', async () => {
    const { own } = helpersOf(world);
    for (let round = 0; round < ROUNDS; round += 1) {
      const domain = `${label()}.test`;
      const outcomes = await Promise.all(['acme', 'globex'].map((tenantId) => outcomeOf(own(tenantId, domain))));
      expect(outcomes.toSorted()).toEqual(['CONFLICT', 'OK']);
    }
  });

  it('no username of another tenant is created after the domain was claimed', async () => {
    const { own, client } = helpersOf(world);
    const { database } = world.deployment;
    /** Creates usernames while the domain is claimed. Returns how many are created. */
    const race = async (order: 'claim first' | 'at once' | 'username first') => {
      const domain = `${label()}.test`;
      const names = Array.from({ length: 8 }, (_, index) => `c${index}@${domain}`);
      if (order === 'claim first') await own('acme', domain);
      const creations = names.map((name) => outcomeOf(client(world.other, name)));
      if (order === 'username first') await Promise.race(creations);
      await own('acme', domain);
      const there = await Promise.all(
        names.map(async (name) => {
          const rows = await database.query('SELECT 1 AS one FROM accounts WHERE username = ?', [Buffer.from(name)]);
          return rows.length === 1 ? 'OK' : 'VALIDATION_ERROR';
        }),
      );
      expect(await Promise.all(creations)).toEqual(there);
      return there.filter((outcome) => outcome === 'OK').length;
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      expect(await race('claim first')).toBe(0);
      await race('at once');
      expect(await race('username first')).toBeGreaterThan(0);
    }
  });
});
