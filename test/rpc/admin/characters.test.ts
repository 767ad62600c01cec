// Usernames, client ids, e-mail addresses, names and labels with confusable or control characters.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../../src/platform/db/ids.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBootstrapPlan } from '../../../src/composition/bootstrap/plan-file.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openWorld, type World } from '../../support/world.ts';
import { violationsOf } from '../../support/rpc-outcomes.ts';

const FORBIDDEN = ['a\r\nb', 'a\0b', 'a\u001bb', 'a\u009bb', 'a\u200bb', 'a\u202eb', 'a\ufeffb', 'a\ue000b'];
const JOINED = 'a\u200cb\u200dc';

describe.each(DIAGONAL)('$engine over $transport', (options) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(options);
  });
  afterAll(() => world?.close());

  const user = { tenantId: undefined, username: 'u', password: PASSWORD, name: 'U', roles: ['SALES'] };
  const client = { tenantId: undefined, clientId: 'c', name: 'C', roles: ['SALES'] };

  it.each(FORBIDDEN)('rejects the username %j', async (text) => {
    const { identity, clientCredentials } = world.clients;
    const { as } = world.admin;
    expect(await violationsOf(identity.createUser({ ...user, username: text }, as))).toEqual(['username: characters']);
    expect(await violationsOf(identity.createUser({ ...user, email: `${text}@b.test` }, as))).toEqual([
      'email: characters',
    ]);
    const create = clientCredentials.createServiceAccount({ ...client, clientId: text }, as);
    expect(await violationsOf(create)).toEqual(['clientId: characters']);
  });

  it.each([...FORBIDDEN, 'a\tb'])('rejects a name with %j', async (name) => {
    const { identity, clientCredentials, tenancy } = world.clients;
    const { as } = world.admin;
    const tenantId = `t-${newId()}`;
    expect(await violationsOf(identity.createUser({ ...user, name }, as))).toEqual(['name: characters']);
    const create = clientCredentials.createServiceAccount({ ...client, name }, as);
    expect(await violationsOf(create)).toEqual(['name: characters']);
    expect(await violationsOf(tenancy.createTenant({ tenantId, name }, world.root.as))).toEqual(['name: characters']);
  });

  it('rejects such a label, and a joiner everywhere except in names', async () => {
    const { identity, clientCredentials, apiKey } = world.clients;
    const { as } = world.admin;
    const made = await clientCredentials.createServiceAccount({ ...client, clientId: 'key-holder', name: JOINED }, as);
    expect(made.serviceAccount?.name).toBe(JOINED);
    const serviceAccountId = made.serviceAccount!.id;
    for (const label of [...FORBIDDEN, JOINED])
      expect(await violationsOf(apiKey.issueApiKey({ serviceAccountId, label }, as))).toEqual(['label: characters']);
    const joined = identity.createUser({ ...user, username: JOINED, name: 'a\u202eb' }, as);
    expect(await violationsOf(joined)).toEqual(['username: characters', 'name: characters']);
  });
});

it('rejects a bootstrap file with such names, without their values in the message', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plan-'));
  try {
    const path = join(folder, 'plan.yaml');
    const plan = {
      superAdmins: [{ username: 'ro\u200bot', password: PASSWORD }],
      tenants: [
        {
          id: 'acme',
          users: [{ username: 'a', name: 'a\u202eb', email: 'a\u0085@b.test', password: PASSWORD, roles: ['SALES'] }],
          serviceAccounts: [{ clientId: 'a\u001bb', roles: ['SALES'] }],
        },
      ],
    };
    await writeFile(path, JSON.stringify(plan));
    const error = await readBootstrapPlan(path).then(String, String);
    for (const place of ['superAdmins/0/username', 'users/0/name', 'serviceAccounts/0/clientId'])
      expect(error).toMatch(new RegExp(`${place}: must not contain control or format characters`));
    expect(error).toMatch(/users\/0\/email: must be an e-mail address/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
