// A leaked API key must not outlive its revocation: it can issue no credential and grant no role.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import type { Role } from '../../../src/auth/access/roles/built-in-roles.ts';
import { readAccessRules } from '../../../src/platform/rpc/pipeline/access-rules.ts';
import type { CallOptions } from '../../../src/platform/rpc/types.ts';
import { ON_SQLITE } from '../../support/deployment.ts';
import { seedSession } from '../../support/sessions.ts';
import { ADMINISTRATION, EVERYBODY, existingRecords, missingRecords, type Records } from './rpcs.ts';
import { actorOf, openWorld, SERVICES, type World } from '../../support/world.ts';
import { mailFolder } from '../../support/mails.ts';
import { outcomeOf, refusal } from '../../support/rpc-outcomes.ts';

/** Has the rule of its successor. */
const DEPRECATED = ['session.rotateSigningKey'];
const REFUSED = [
  'apiKey.issueApiKey',
  'apiKey.revokeApiKey',
  'application.createApplication',
  'application.createApplicationSecret',
  'application.deleteApplication',
  'application.expireApplicationSecret',
  'application.updateApplication',
  'authorization.continueAuthorization',
  'authorization.decideDeviceRequest',
  'authorization.getDeviceRequest',
  'clientCredentials.createClientSecret',
  'clientCredentials.createServiceAccount',
  'clientCredentials.enableServiceAccount',
  'clientCredentials.expireClientSecret',
  'clientCredentials.updateServiceAccount',
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
  'factor.getMyFactors',
  'factor.updateMyPasskey',
  'identity.changeOwnPassword',
  'identity.createUser',
  'identity.enableUser',
  'identity.secureUser',
  'identity.setUserPassword',
  'identity.setUserRoles',
  'identity.unlockUser',
  'identity.updateUser',
  'invitation.createInvitationLink',
  'invitation.inviteUser',
  'invitation.inviteUsers',
  'key.revokeSigningKey',
  'key.rotateSigningKey',
  'recovery.sendRecovery',
  'role.createRole',
  'role.deleteRole',
  'role.updateRole',
  'session.confirmSession',
  'session.createConfirmationPasskeyOptions',
  'tenancy.activateTenant',
  'tenancy.updateTenantPolicy',
  'webhook.createWebhook',
  'webhook.deleteWebhook',
  'webhook.rotateWebhookSecret',
  'webhook.updateWebhook',
];
/** The RPCs for users, which no service account can call. */
const isForUsers = (rpc: string) => /^(factor|email)\./.test(rpc) && EVERYBODY.has(rpc);
const DETAIL = 'An API key issues no credentials and raises no rights';

it('the proto excludes API keys from exactly these RPCs', () => {
  const rules = readAccessRules();
  const marked = [...rules].filter(([, rule]) => rule.refusesApiKeys).map(([path]) => path);
  const named = Object.entries(SERVICES).flatMap(([service, definition]) =>
    Object.entries(definition)
      .filter(([, { path }]) => marked.includes(path))
      .map(([name]) => `${service}.${name}`),
  );
  expect(named.toSorted()).toEqual([...REFUSED, ...DEPRECATED].toSorted());
  expect(marked).toHaveLength(REFUSED.length + DEPRECATED.length);
});

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let world: World;
  let records: Records;
  let root: { readonly byKey: CallOptions; readonly byToken: CallOptions };

  beforeAll(async () => {
    const settings = {
      ...mailFolder().settings,
      'app.security.api-key.enabled': 'true',
      'app.tenancy.isolation': 'false',
    };
    world = await openWorld({ ...kind, settings });
    records = await existingRecords(world, 'acme');
    root = await holder(undefined, 'SUPER_ADMIN');
  });
  afterAll(() => world?.close());

  async function keyOf(account: Account): Promise<CallOptions> {
    const { apiKey } = await world.clients.apiKey.issueApiKey(
      { serviceAccountId: account.id, label: 'Key' },
      world.root.as,
    );
    return { apiKey: [apiKey] };
  }

  async function holder(tenantId: string | undefined, role: Role) {
    const account = await world.seed({ tenantId, roles: [role], interactive: false });
    const byToken = actorOf(account, await seedSession(world.deployment, account)).as;
    return { byKey: await keyOf(account), byToken };
  }

  it.each(REFUSED)('%s rejects an API key, but not a token of the same account', async (rpc) => {
    const call = ADMINISTRATION[rpc]!;
    expect((await refusal(call(world.clients, records, { apiKey: ['garbage'] }))).reason).toBe('TOKEN_INVALID');
    for (const of of [records, missingRecords()]) {
      expect(await refusal(call(world.clients, of, root.byKey))).toMatchObject({
        reason: 'PERMISSION_DENIED',
        message: DETAIL,
      });
    }
    const outcome = await outcomeOf(call(world.clients, missingRecords(), root.byToken));
    expect(outcome === 'PERMISSION_DENIED').toBe(isForUsers(rpc));
  });

  it.each(Object.keys(ADMINISTRATION).filter((rpc) => !REFUSED.includes(rpc)))('%s accepts an API key', async (rpc) => {
    expect(await outcomeOf(ADMINISTRATION[rpc]!(world.clients, missingRecords(), root.byKey))).not.toMatch(
      /PERMISSION_DENIED|TOKEN/,
    );
  });

  it.each(REFUSED)("%s rejects the API key of a tenant's administrator, after it has checked the role", async (rpc) => {
    const call = ADMINISTRATION[rpc]!;
    const admin = await holder('acme', 'ADMIN');
    const seller = await holder('acme', 'SALES');
    expect((await refusal(call(world.clients, records, admin.byKey))).reason).toBe('PERMISSION_DENIED');
    const { reason, message } = await refusal(call(world.clients, records, seller.byKey));
    expect(reason).toBe('PERMISSION_DENIED');
    expect(message === DETAIL).toBe(EVERYBODY.has(rpc));
  });
});
