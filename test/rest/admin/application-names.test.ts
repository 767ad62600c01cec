// /applications: names, audiences and limits, which statements decide.
import { beforeAll, describe, expect, it } from 'vitest';
import { insertApplication } from '../../../src/auth/oauth/applications/application-store.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { untilServed } from '../../support/at-once.ts';
import { API, caller, faults, type Caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { webApplication } from '../../support/oauth/applications.ts';
import { problem } from '../../support/problems.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { newUser, openAdministration } from './administration.ts';

const FIELDS = { name: 'Wiki', type: 'WEB', redirectUris: ['https://wiki.example.com/callback'] };
const TAKEN = problem(409, 'conflict', expect.any(String));

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);
  let globex: Caller;
  beforeAll(async () => {
    globex = await caller(acme.world.deployment, { tenantId: 'globex', roles: ['ADMIN'] });
  });
  const application = (clientId: string, by: Caller = acme.admin, more: object = {}) =>
    by.post('/applications', { ...FIELDS, clientId, ...more });
  const user = (username: string, by: Caller = acme.admin) => by.post('/users', newUser({ username }));
  const serviceAccount = (clientId: string, by: Caller = acme.admin) =>
    by.post('/service-accounts', { clientId, name: 'Sync', roles: ['SALES'] });

  it.each([
    ['a user', user],
    ['a service account', serviceAccount],
  ] as const)('has one name space with %s, of all tenants, without regard to case', async (_, account) => {
    const name = `Name-${newId()}`;
    expect(await application(name)).toMatchObject({ status: 201 });
    for (const by of [acme.admin, globex])
      for (const spelling of [name, name.toLowerCase(), name.toUpperCase()])
        expect([await account(spelling, by), await application(spelling, by)]).toEqual([TAKEN, TAKEN]);
    const other = `Name-${newId()}`;
    expect(await account(other)).toMatchObject({ status: 201 });
    for (const by of [acme.admin, globex])
      for (const spelling of [other, other.toLowerCase()]) expect(await application(spelling, by)).toEqual(TAKEN);
  });

  it('gives a name back when its application is deleted', async () => {
    const name = `name-${newId()}`;
    const { body } = await application(name);
    expect(await acme.admin.delete(`/applications/${body.application.id}`)).toMatchObject({ status: 204 });
    expect(await user(name)).toMatchObject({ status: 201 });
  });

  it('gives a name once when applications and accounts ask for it at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `raced-${newId()}`;
      const requests: (() => Promise<RestResponse>)[] = [
        () => application(name),
        () => user(name, globex),
        () => application(name.toUpperCase(), globex),
        () => serviceAccount(name),
      ];
      const statuses = await Promise.all(requests.map(async (request) => (await untilServed(request)).status));
      expect(statuses.toSorted((one, other) => one - other)).toEqual([201, 409, 409, 409]);
    }
  });

  it('has no client id as an audience', async () => {
    const [own, other, machine] = [newId(), newId(), newId()];
    expect(await application(other, globex)).toMatchObject({ status: 201 });
    expect(await serviceAccount(machine)).toMatchObject({ status: 201 });
    const resources = ['https://api.example.com', own, other, machine];
    const refused = await application(own, acme.admin, { resources });
    expect([refused.status, faults(refused)]).toEqual([400, ['resources.1', 'resources.2', 'resources.3']]);
    const { body } = await application(own);
    const path = `/applications/${body.application.id}`;
    expect(faults(await acme.admin.patch(path, { resources: [own] }))).toEqual(['resources.0']);
    expect(faults(await acme.admin.patch(path, { resources: ['x', other] }))).toEqual(['resources.1']);
    expect(await acme.admin.patch(path, { resources: ['x'] })).toMatchObject({ status: 200 });
  });

  it('has no audience of another application as its client id', async () => {
    const audience = `api-${newId()}`;
    expect(await application(newId(), globex, { resources: [audience] })).toMatchObject({ status: 201 });
    expect(await application(audience)).toEqual(TAKEN);
  });

  it('ends the secrets of an application that gets keys', async () => {
    const { body } = await application(newId());
    const path = `/applications/${body.application.id}`;
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: 'a' };
    expect(await acme.admin.patch(path, { jwks: { keys: [jwk] } })).toMatchObject({ status: 200 });
    expect((await acme.admin.get(`${path}/secrets`)).body).toEqual([]);
    expect(await acme.admin.post(`${path}/secrets`, {})).toEqual(problem(409, 'conflict', `${API}${path}/secrets`));
    expect(await acme.admin.patch(path, { jwks: null })).toMatchObject({ status: 200 });
    expect((await acme.admin.get(`${path}/secrets`)).body).toEqual([]);
    expect(await acme.admin.post(`${path}/secrets`, {})).toMatchObject({ status: 201 });
  });

  it('returns 409 beyond 1,000 applications of a tenant, also at once', async () => {
    const tenantId = 'initech';
    const admin = await caller(acme.world.deployment, { tenantId, roles: ['ADMIN'] });
    const { database } = acme.world.deployment;
    await database.transaction(UNLIMITED, async (tx) => {
      for (let index = 0; index < 998; index += 1)
        await insertApplication(tx, webApplication({ tenantId, clientId: newId() }));
    });
    const requests = Array.from({ length: 4 }, () => untilServed(() => application(newId(), admin)));
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([201, 201, 409, 409]);
    expect(await application(newId())).toMatchObject({ status: 201 });
  });
});
