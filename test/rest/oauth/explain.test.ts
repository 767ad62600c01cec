// POST /credentials/explain for what applications have, compared with what introspection says to them.
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { createCanaries } from '../../support/canaries.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import type { Tokens } from '../../support/oauth/party.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import { callerOf, openedService, signedIn, type ServiceParty, type ServiceUser } from '../../support/oauth/service.ts';
import { ROUNDS } from '../../support/rounds.ts';

rememberPasswords();

/** In the gate on SQLite alone: no statement of its own decides this. */
const HERE = ROUNDS === 1 ? DIAGONAL.slice(0, 1) : DIAGONAL;

interface Check {
  readonly kind: string;
  readonly passed: boolean;
  readonly detail: string;
  readonly at?: string;
}

describe.each(HERE)('explain, $engine over $transport', (kind) => {
  const service = openedService(kind);
  let party: ServiceParty;
  beforeAll(async () => {
    party = await service.party({ resources: ['https://reports.example.com', 'my-shop'] });
  });

  interface Stage {
    readonly user: ServiceUser;
    readonly browser: Browser;
    readonly tokens: Tokens;
    readonly gid: string;
  }
  const stage = async (more: Readonly<Record<string, string>> = {}): Promise<Stage> => {
    const user = await service.user();
    const browser = await signedIn(service, user);
    const tokens = await party.logIn(browser, user, more);
    return { user, browser, tokens, gid: decodeJwt(tokens.accessToken)['gid'] as string };
  };
  const explain = async (credential: object, tenantId?: string) => {
    const { status, body } = await (await service.admin(tenantId)).post('/credentials/explain', credential);
    expect(status).toBe(200);
    return body as {
      accepted: boolean;
      checks: readonly Check[];
      accountId?: string;
      clientId?: string;
      grantId?: string;
    };
  };
  const failedOf = async (credential: object) =>
    (await explain(credential)).checks.filter(({ passed }) => !passed).map((check) => check.kind);
  const isActive = async (token: string): Promise<boolean> =>
    (await party.token({ token }, undefined, service.metadata['introspection_endpoint'])).body.active;

  it('says what a token is: of which application, account and grant, since when', async () => {
    const { user, tokens, gid } = await stage();
    for (const credential of [{ bearerToken: tokens.accessToken }, { applicationRefreshToken: tokens.refreshToken }]) {
      const explained = await explain(credential);
      expect(explained).toMatchObject({
        accepted: true,
        accountId: user.sub,
        tenantId: 'acme',
        clientId: party.client.id,
        grantId: gid,
      });
      const existence = explained.checks.find((check) => check.kind === 'EXISTENCE')!;
      expect(existence.detail).toContain(gid);
      expect(existence.at).toBe(new Date(service.deployment.clock.now()).toISOString());
    }
  });

  it.each<[audience: string, more: Readonly<Record<string, string>>, says: RegExp]>([
    ['the issuer', {}, /for userinfo and introspection/],
    ['a resource', { resource: 'https://reports.example.com' }, /for the resource https:\/\/reports\.example\.com/],
    ['this service', { resource: 'my-shop' }, /for this service/],
  ])('says what a token for %s is for', async (_audience, more, says) => {
    const { tokens } = await stage(more);
    const { accepted, checks } = await explain({ bearerToken: tokens.accessToken });
    expect([accepted, checks.find((check) => check.kind === 'SIGNATURE')!.detail]).toEqual([
      true,
      expect.stringMatching(says),
    ]);
  });

  it.each<[what: string, end: (at: Stage) => Promise<unknown>, failed: readonly string[]]>([
    [
      'revoked by its application',
      async ({ tokens }) =>
        party.token({ token: tokens.refreshToken }, undefined, service.metadata['revocation_endpoint']),
      ['REVOCATION'],
    ],
    [
      'revoked by its user',
      async ({ browser, gid }) => callerOf(service, browser).delete(`/account/grants/${gid}`),
      ['REVOCATION'],
    ],
    ['of a session that was logged out', ({ browser }) => callerOf(service, browser).post('/auth/logout'), ['SESSION']],
    [
      'of a disabled account',
      async ({ user }) => (await service.admin()).post(`/users/${user.sub}/disable`),
      ['ACCOUNT', 'SESSION'],
    ],
    ['that is expired', async () => service.advance(900_000), ['EXPIRY']],
  ])('an access token %s is explained as introspection refuses it', async (_what, end, failed) => {
    const at = await stage();
    const { accessToken } = at.tokens;
    expect(await isActive(accessToken)).toBe(true);
    await end(at);
    expect(await isActive(accessToken)).toBe(false);
    expect(await failedOf({ bearerToken: accessToken })).toEqual(failed);
  });

  it('a token with our audience whose grant is revoked is not accepted', async () => {
    const { browser, tokens, gid } = await stage({ resource: 'my-shop', scope: 'openid offline_access' });
    const me = () => callerOf(service, { ...browser, accessToken: tokens.accessToken }).get('/auth/me');
    expect((await me()).status).toBe(200);
    await callerOf(service, browser).delete(`/account/grants/${gid}`);
    expect((await me()).status).toBe(401);
    expect(await failedOf({ bearerToken: tokens.accessToken })).toEqual(['REVOCATION']);
  });

  it('an access token whose audience its application has lost is not accepted', async () => {
    const { tokens } = await stage({ resource: 'https://reports.example.com' });
    const path = `/applications/${party.client.applicationId}`;
    const root = await service.root();
    const { resources } = (await root.get(path)).body;
    expect((await root.patch(path, { resources: [] })).status).toBe(200);
    expect(await failedOf({ bearerToken: tokens.accessToken })).toEqual(['APPLICATION']);
    expect((await root.patch(path, { resources })).status).toBe(200);
  });

  it('says what became of the code of a device', async () => {
    const device = await service.party({ deviceGrant: true });
    const caller = callerOf(service, await signedIn(service, await service.user()));
    const started = await device.token(
      { scope: 'openid' },
      undefined,
      service.metadata['device_authorization_endpoint'],
    );
    const { device_code: code, user_code: userCode } = started.body;
    expect(await failedOf({ authorizationCode: code })).toEqual(['EXISTENCE']);
    await caller.post('/auth/oauth2/device-requests/decision', { userCode, decision: 'ALLOW' });
    expect(await explain({ authorizationCode: code })).toMatchObject({ accepted: true, clientId: device.client.id });
    const path = `/applications/${device.client.applicationId}`;
    expect((await (await service.root()).patch(path, { deviceGrant: false })).status).toBe(200);
    expect(await failedOf({ authorizationCode: code })).toEqual(['APPLICATION']);
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
    expect((await device.token({ grant_type, device_code: code })).body.error).toBe('unauthorized_client');
  });

  it('a replayed code, and the tokens of its grant', async () => {
    const user = await service.user();
    const authorized = await party.signIn(await signedIn(service, user), user);
    expect(await failedOf({ authorizationCode: authorized.code })).toEqual([]);
    const tokens = await party.tokensOf(await party.redeem(authorized));
    const grantId = decodeJwt(tokens.accessToken)['gid'];
    expect(await explain({ authorizationCode: authorized.code })).toMatchObject({ accepted: false, grantId });
    expect(await failedOf({ authorizationCode: authorized.code })).toEqual(['SINGLE_USE']);
    await party.redeem(authorized);
    for (const credential of [{ bearerToken: tokens.accessToken }, { applicationRefreshToken: tokens.refreshToken }]) {
      const failed = (await explain(credential)).checks.find(({ passed }) => !passed)!;
      expect([failed.kind, failed.detail]).toEqual(['REVOCATION', expect.stringMatching(/by the replay/)]);
    }
  });

  it('shows the administrators of another tenant as much as if it had never been', async () => {
    const user = await service.user();
    const browser = await signedIn(service, user);
    const authorized = await party.signIn(browser, user);
    const tokens = await party.logIn(browser, user);
    const credentials = [
      { authorizationCode: authorized.code },
      { bearerToken: tokens.accessToken },
      { applicationRefreshToken: tokens.refreshToken },
    ];
    const seen = () => Promise.all(credentials.map((one) => explain(one, 'globex')));
    const before = await seen();
    for (const [index, { accepted, checks, ...others }] of before.entries()) {
      expect([accepted, checks.at(-1)!.kind, others]).toEqual([false, 'EXISTENCE', {}]);
      expect(JSON.stringify(before[index])).not.toMatch(new RegExp(`${user.sub}|${party.client.id}`));
    }
    expect((await (await service.admin()).delete(`/users/${user.sub}`)).status).toBe(204);
    expect(await seen()).toEqual(before);
  });

  it('repeats no part of a credential', async () => {
    const canaries = createCanaries();
    const user = await service.user();
    const authorized = await party.signIn(await signedIn(service, user), user);
    const texts: string[] = [];
    const note = async (name: string, value: string) => {
      canaries.keep(name, value);
      texts.push(JSON.stringify(await explain({ [name]: value })));
    };
    await note('authorizationCode', authorized.code);
    const tokens = await party.tokensOf(await party.redeem(authorized));
    await note('bearerToken', tokens.accessToken);
    await note('applicationRefreshToken', tokens.refreshToken);
    for (const name of ['verifier', 'nonce', 'state'] as const) canaries.keep(name, authorized[name]);
    expect(canaries.foundIn(texts.join('\n'))).toEqual([]);
  });
});
