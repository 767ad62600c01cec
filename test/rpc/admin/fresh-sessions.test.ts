// Administration that needs a session whose user was authenticated recently (RFC 9470).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAccessRules } from '../../../src/platform/rpc/pipeline/access-rules.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { ON_SQLITE } from '../../support/deployment.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { mailFolder } from '../../support/mails.ts';
import { outcomeOf, refusal } from '../../support/rpc-outcomes.ts';
import { authorizedBy, seedSession, signIn } from '../../support/sessions.ts';
import { openWorld, SERVICES, type World } from '../../support/world.ts';
import { seedClient } from '../../rest/m2m/clients.ts';
import { ADMINISTRATION, EVERYBODY, missingRecords, NO_POLICY, userUpdate } from './rpcs.ts';

/** A change of this list is a decision: each can give an attacker with an unattended session lasting access. */
/** Has the rule of its successor. */
const DEPRECATED = ['session.rotateSigningKey'];
const FRESH = [
  'apiKey.issueApiKey',
  'apiKey.revokeApiKey',
  'application.createApplication',
  'application.createApplicationSecret',
  'application.deleteApplication',
  'application.expireApplicationSecret',
  'application.updateApplication',
  'authorization.decideDeviceRequest',
  'clientCredentials.createClientSecret',
  'clientCredentials.createServiceAccount',
  'clientCredentials.expireClientSecret',
  'email.requestEmailChange',
  'factor.confirmMyTotp',
  'factor.createAccessCode',
  'factor.createMyPasskey',
  'factor.createMyPasskeyOptions',
  'factor.createMyRecoveryCodes',
  'factor.createMyTotp',
  'factor.deleteMyPasskey',
  'factor.deleteMyTotp',
  'factor.deleteUserFactor',
  'factor.deleteUserFactors',
  'factor.updateMyPasskey',
  'identity.createUser',
  'identity.secureUser',
  'identity.setUserPassword',
  'identity.setUserRoles',
  'invitation.createInvitationLink',
  'invitation.inviteUser',
  'invitation.inviteUsers',
  'key.revokeSigningKey',
  'key.rotateSigningKey',
  'recovery.sendRecovery',
  'role.createRole',
  'role.deleteRole',
  'role.updateRole',
  'tenancy.updateTenantPolicy',
  'webhook.createWebhook',
  'webhook.deleteWebhook',
  'webhook.rotateWebhookSecret',
  'webhook.updateWebhook',
];
const MINUTE_MS = 60_000;

it('the proto requires a fresh session for exactly these RPCs', () => {
  const rules = readAccessRules();
  const marked = [...rules].filter(([, rule]) => rule.fresh).map(([path]) => path);
  const named = Object.entries(SERVICES).flatMap(([service, definition]) =>
    Object.entries(definition)
      .filter(([, { path }]) => marked.includes(path))
      .map(([name]) => `${service}.${name}`),
  );
  expect(named.toSorted()).toEqual([...FRESH, ...DEPRECATED].toSorted());
  expect(marked).toHaveLength(FRESH.length + DEPRECATED.length);
});

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let world: World;
  beforeAll(async () => {
    const settings = {
      ...mailFolder().settings,
      'app.security.api-key.enabled': 'true',
      'app.tenancy.isolation': 'false',
    };
    world = await openWorld({ ...kind, settings });
  });
  afterAll(() => world?.close());

  const call = (rpc: string, as: Parameters<(typeof ADMINISTRATION)[string]>[2]) =>
    ADMINISTRATION[rpc]!(world.clients, missingRecords(), as);
  const old = (ageMs: number, seed: Parameters<World['seed']>[0] = { tenantId: undefined, roles: ['SUPER_ADMIN'] }) =>
    world.seed(seed).then((account) => signIn(world.deployment, account, ageMs));

  it.each(FRESH)('%s is refused for a session of 10 minutes and a second, with the limit', async (rpc) => {
    const { reason, stepUp } = await refusal(call(rpc, await old(10 * MINUTE_MS + 1_000)));
    expect([reason, stepUp]).toEqual(['FRESH_SESSION_REQUIRED', { maxAge: 600 }]);
    expect(await outcomeOf(call(rpc, await old(10 * MINUTE_MS)))).not.toBe('FRESH_SESSION_REQUIRED');
  });

  it.each(FRESH.filter((rpc) => !EVERYBODY.has(rpc)))('%s checks the permission first', async (rpc) => {
    const seller = await old(60 * MINUTE_MS, { tenantId: 'acme', roles: ['SALES'] });
    expect(await outcomeOf(call(rpc, seller))).toBe('PERMISSION_DENIED');
  });

  it.each(FRESH)('%s accepts an old token of a confirmed session', async (rpc) => {
    const as = await old(60 * MINUTE_MS);
    await world.clients.session.confirmSession({ proof: { $case: 'password', value: PASSWORD } }, as);
    expect(await outcomeOf(call(rpc, as))).not.toBe('FRESH_SESSION_REQUIRED');
  });

  it.each(Object.keys(ADMINISTRATION).filter((rpc) => !FRESH.includes(rpc)))(
    '%s accepts an old session',
    async (rpc) => {
      expect(await outcomeOf(call(rpc, await old(60 * MINUTE_MS)))).not.toBe('FRESH_SESSION_REQUIRED');
    },
  );

  it('accepts tokens of machine clients', async () => {
    const client = await seedClient(world.deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const grant = { grantType: 'client_credentials', clientId: client.id, clientSecret: client.secret };
    const as = authorizedBy(await world.clients.clientCredentials.issueToken(grant));
    for (const rpc of FRESH) expect(await outcomeOf(call(rpc, as))).not.toMatch(/FRESH|TOKEN/);
  });

  it('requires it to change an e-mail address, not to change a name', async () => {
    const { id } = await world.seed({ roles: ['SALES'] });
    const as = await old(60 * MINUTE_MS);
    const update = (user: Parameters<typeof userUpdate>[1]) =>
      outcomeOf(world.clients.identity.updateUser(userUpdate(id, user), as));
    expect(await update({ name: 'Changed' })).toBe('OK');
    expect(await update({ email: 'new@acme.test' })).toBe('FRESH_SESSION_REQUIRED');
    expect(await update({ email: undefined })).toBe('FRESH_SESSION_REQUIRED');
  });

  it('shortens the time by the policy of the tenant of the caller, from the next request on', async () => {
    const tenantId = 'globex';
    const create = (as: Awaited<ReturnType<typeof old>>) => outcomeOf(call('role.createRole', as));
    const admin = await old(5 * MINUTE_MS, { tenantId, roles: ['ADMIN'] });
    expect(await create(admin)).not.toBe('FRESH_SESSION_REQUIRED');
    await world.clients.tenancy.updateTenantPolicy(
      { tenantId, policy: { ...NO_POLICY, freshSession: 60 }, updateMask: ['fresh_session'] },
      world.root.as,
    );
    expect((await refusal(call('role.createRole', admin))).stepUp).toEqual({ maxAge: 60 });
    expect(await create(await old(5 * MINUTE_MS, { tenantId: 'acme', roles: ['ADMIN'] }))).not.toBe(
      'FRESH_SESSION_REQUIRED',
    );
  });

  it('has the challenge of RFC 9470 over REST, before the record and the body are checked', async () => {
    const admin = await world.seed({ roles: ['ADMIN'] });
    const { accessToken } = await seedSession(world.deployment, admin, 60 * MINUTE_MS);
    const path = `/api/v1/users/${missingRecords().user}/roles`;
    const rest = restClient(world.deployment.url);
    for (const body of ['{}', '[']) {
      const headers = { ...bearer(accessToken), 'content-type': 'application/json' };
      const response = await rest.send('PUT', path, { headers, body });
      expect(response).toMatchObject({ status: 401, body: { errorCode: 'fresh-session-required' } });
      expect(response.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_user_authentication", max_age="600"',
      );
    }
  });
});

it('app.security.fresh-session=0 accepts sessions of any age', async () => {
  const settings = { ...mailFolder().settings, 'app.security.fresh-session': '0' };
  const world = await openWorld({ engine: 'sqlite', transport: 'local', settings });
  try {
    const account = await world.seed({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const as = await signIn(world.deployment, account, 24 * 60 * MINUTE_MS);
    for (const rpc of FRESH)
      expect(await outcomeOf(ADMINISTRATION[rpc]!(world.clients, missingRecords(), as))).not.toMatch(/FRESH/);
  } finally {
    await world.close();
  }
});
