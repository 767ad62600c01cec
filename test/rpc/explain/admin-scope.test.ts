// The credentials that an administrator may explain, and the effect of the deployment's settings.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Seed } from '../../support/accounts.ts';
import { ON_SQLITE } from '../../support/deployment.ts';
import { FORGERIES } from '../../support/forgeries.ts';
import { openWorld, type Actor, type World } from '../../support/world.ts';
import { HAND_OUT, refresh, remove, set, USE, type CredentialCase, type Handed } from './scene.ts';
import { violationsOf } from '../../support/rpc-outcomes.ts';

const KINDS = Object.keys(HAND_OUT) as CredentialCase[];
const NEEDS_TENANT: readonly CredentialCase[] = ['clientId', 'apiKey', 'authorizationCode', 'applicationRefreshToken'];
const SETTINGS = { 'app.security.api-key.enabled': 'true' };

const explainAs = ({ clients }: World, { as }: Actor, $case: CredentialCase, value: string) =>
  clients.identity.explainCredential({ credential: { $case, value } }, as);

describe.each(ON_SQLITE)('$engine, $transport', (deployment) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ ...deployment, settings: SETTINGS });
  });
  afterAll(() => world?.close());

  /** Ends a session and its tokens. */
  const revoke = async (sessionId: string) => {
    await world.clients.session.revokeSession({ sessionId }, world.root.as);
    const [row] = await world.deployment.database.query('SELECT id FROM token_blacklist WHERE id = ?', [
      idToBytes(sessionId),
    ]);
    expect(row).toBeDefined();
  };
  /** A service account has a tenant, and no application serves an account without one. */
  const isRefused = (of: CredentialCase, { tenantId }: Seed) => NEEDS_TENANT.includes(of) && tenantId === undefined;
  /** Makes what the credential names not exist. */
  const destroy = async ({ account, sessionId }: Handed) => {
    if (sessionId) await remove(world, 'session_families', 'id', sessionId);
    await remove(world, 'accounts', 'id', account.id);
  };

  describe.each(KINDS)('%s', (of) => {
    it.each<[whose: string, seed: Seed]>([
      ['another tenant', { tenantId: 'globex' }],
      ['no tenant', { tenantId: undefined, roles: ['SUPER_ADMIN'] }],
    ])('of %s is explained like a missing one, in any state', async (_whose, seed) => {
      const handed = await HAND_OUT[of](world, seed);
      const { account, sessionId, value } = handed;
      const seen = async () => JSON.stringify(await explainAs(world, world.admin, of, value));
      expect(await explainAs(world, world.root, of, value)).toMatchObject({ accepted: !isRefused(of, seed) });
      const fresh = await seen();
      await set(world, 'accounts', 'id', account.id, { disabled: 1 });
      const disabled = await seen();
      if (sessionId) await revoke(sessionId);
      const revoked = await seen();
      await destroy(handed);
      expect([disabled, revoked, await seen()]).toEqual([fresh, fresh, fresh]);
      expect(JSON.parse(fresh)).toMatchObject({ accepted: false });
      for (const id of [account.id, sessionId || account.id]) expect(fresh).not.toContain(id);
    });

    it("of the caller's tenant is explained as to a SUPER_ADMIN", async () => {
      const handed = await HAND_OUT[of](world, { tenantId: 'acme' });
      const explained = await explainAs(world, world.admin, of, handed.value);
      expect(explained).toEqual(await explainAs(world, world.root, of, handed.value));
      expect(explained).toMatchObject({ accepted: true, accountId: handed.account.id, tenantId: 'acme' });
    });

    it('returns VALIDATION_ERROR if empty', async () => {
      expect(await violationsOf(explainAs(world, world.admin, of, ''))).toEqual([`${of}: required`]);
    });
  });

  it('returns VALIDATION_ERROR without a credential', async () => {
    const call = world.clients.identity.explainCredential({}, world.admin.as);
    expect(await violationsOf(call)).toEqual(['credential: required']);
  });
});

describe('on one database', () => {
  let world: World;
  let victim: Handed;
  beforeAll(async () => {
    world = await openWorld({ engine: 'sqlite', transport: 'local', settings: SETTINGS });
    victim = await HAND_OUT.bearerToken(world, {});
  });
  afterAll(() => world?.close());

  /** The same accounts and credentials under other settings. */
  const under = async (settings: Record<string, string>, ask: (other: World) => Promise<void>) => {
    const { databaseUrl } = world.deployment;
    const other = await openWorld({ engine: 'sqlite', transport: 'local', databaseUrl, settings });
    try {
      await ask(other);
    } finally {
      await other.close();
    }
  };

  it.each(Object.keys(FORGERIES))('rejects a forged token: %s', async (name) => {
    const value = FORGERIES[name]!(await victim.forge(), victim.value);
    const { accepted, checks } = await explainAs(world, world.root, 'bearerToken', value);
    expect([accepted, checks.every(({ detail }) => detail.length < 200)]).toEqual([false, true]);
  });

  it('a valid API key is rejected if the deployment disables API keys', async () => {
    const { value } = await HAND_OUT.apiKey(world, {});
    await under({ 'app.security.api-key.enabled': 'false' }, async (other) => {
      const { accepted, checks } = await explainAs(other, other.root, 'apiKey', value);
      expect([accepted, await USE.apiKey(other, value, '')]).toEqual([false, 'TOKEN_MISSING']);
      expect(checks.map(({ passed }) => passed)).toEqual([false, true, true, true, true, true, true]);
    });
  });

  it('returns the same under minimal disclosure', async () => {
    const { value } = await HAND_OUT.username(world, { disabled: true });
    const explained = await explainAs(world, world.root, 'username', value);
    await under({ 'app.api.error-disclosure.mode': 'minimal' }, async (other) => {
      expect(await explainAs(other, other.root, 'username', value)).toEqual(explained);
    });
  });

  it('accepts an earlier generation in reusable mode', async () => {
    const { value } = await HAND_OUT.refreshCookie(world, {});
    await refresh(world, value, RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE);
    const settings = { 'app.env': 'DEV', 'app.security.refresh-session.rotation-mode': 'reusable' };
    await under(settings, async (other) => {
      const { accepted, checks } = await explainAs(other, other.root, 'refreshCookie', value);
      expect([accepted, await USE.refreshCookie(other, value, '')]).toEqual([true, 'OK']);
      expect(checks.map(({ detail }) => detail).join()).toContain('generation 1 was presented while 2 is current');
    });
  });
});
