// What a session has begun, and does not complete before it ends. Nobody completes it afterwards, however the session ended.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { caller, callerWith, type Caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { mailFolder } from '../../support/mails.ts';
import { addPasskey } from '../../support/passkeys.ts';
import { bearer, restClient, type RestResponse } from '../../support/rest-client.ts';
import { authorizedBy, seedSession, type SeededSession } from '../../support/sessions.ts';
import { codeAt, setUpTotp } from '../../support/totp.ts';
import { clientsOf } from '../../support/world.ts';
import { openAdministration } from '../admin/administration.ts';

rememberPasswords();

const NEW_PASSWORD = 'a new and long password';
const MINUTE_MS = 60_000;

/** A session that has begun something, in a tenant of its own. */
interface Scene {
  readonly account: Account & { readonly email: string };
  readonly session: SeededSession;
  /** The session as a caller. */
  readonly by: Caller;
  readonly admin: Caller;
  /** Opens another session of the account. */
  readonly another: () => Promise<Caller>;
}

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: mails.settings });
  const rest = () => restClient(acme.world.deployment.url);
  const clock = () => acme.world.deployment.clock;
  const authenticator = () => createAuthenticator({ origin: mails.settings['app.public-url'] });

  async function open(): Promise<Scene> {
    const { deployment } = acme.world;
    const [tenantId, email] = [`t-${newId()}`, `${newId()}@mail.test`];
    const admin = await caller(deployment, { tenantId, roles: ['TENANT_ADMIN'] });
    const account = { ...(await acme.world.seed({ tenantId, email, emailVerifiedAt: 1, roles: ['SALES'] })), email };
    const as = ({ accessToken }: SeededSession) => callerWith(deployment.url, account, bearer(accessToken));
    const session = await seedSession(deployment, account);
    const another = async () => as(await seedSession(deployment, account));
    return { account, session, by: as(session), admin, another };
  }

  /** Begins something. Returns a function that completes it, in another session if it needs one. */
  type Begin = (scene: Scene) => Promise<(by: () => Promise<Caller>) => Promise<RestResponse>>;
  const BEGUN: Readonly<Record<string, readonly [begin: Begin, refused: object, done: number]>> = {
    'a change of the address': [
      async ({ by }) => {
        const to = `${newId()}@mail.test`;
        const token = await mails.tokenTo(to, async () =>
          expect((await by.put('/account/email', { email: to })).status).toBe(202),
        );
        return () => rest().postJson('/api/v1/auth/email/confirm', { token });
      },
      { status: 400, body: { errorCode: 'mail-token-invalid' } },
      204,
    ],
    'the enrolment of a TOTP': [
      async ({ by }) => {
        const { secret } = (await by.post('/account/factors/totp')).body;
        return async (other) =>
          (await other()).post('/account/factors/totp/confirm', { totp: codeAt(secret, clock().now()) });
      },
      { status: 409, body: { errorCode: 'conflict' } },
      200,
    ],
    'the registration of a passkey': [
      async ({ by }) => {
        const { options } = (await by.post('/account/factors/passkeys/options')).body;
        const passkey = authenticator().create(options);
        return async (other) => (await other()).post('/account/factors/passkeys', { label: 'Phone', passkey });
      },
      { status: 401, body: { errorCode: 'challenge-invalid' } },
      201,
    ],
  };

  const ENDS: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
    'a logout by access token': ({ session: { accessToken } }) => rest().logout({ accessToken }),
    'a logout by cookie': ({ session: { cookie } }) => rest().logout({ cookie }),
    'its user, in another session': async ({ session, another }) =>
      (await another()).delete(`/account/sessions/${session.id}`),
    'its user, with all other sessions': async ({ another }) => (await another()).delete('/account/sessions'),
    'an administrator': ({ admin, account, session }) => admin.delete(`/users/${account.id}/sessions/${session.id}`),
    'an administrator, with all sessions': ({ admin, account }) => admin.delete(`/users/${account.id}/sessions`),
    'a replay of its refresh token': async ({ session: { cookie } }) => {
      expect((await rest().refresh(cookie)).status).toBe(200);
      expect((await rest().refresh(cookie)).status).toBe(401);
    },
    'a disabled account': async ({ admin, account }) => {
      await admin.post(`/users/${account.id}/disable`);
      await admin.post(`/users/${account.id}/enable`);
    },
    'other roles': ({ admin, account }) => admin.put(`/users/${account.id}/roles`, { roles: ['FLORIST'] }),
    'a password of an administrator': ({ admin, account }) =>
      admin.put(`/users/${account.id}/password`, { password: NEW_PASSWORD }),
    'a new password of its user': async ({ another }) =>
      (await another()).put('/account/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
    'a recovery': async ({ account: { email, username } }) => {
      const path = '/api/v1/auth/recovery';
      const token = await mails.tokenTo(email, () => rest().postJson(path, { username }));
      expect((await rest().postJson(`${path}/confirm`, { token, newPassword: NEW_PASSWORD })).status).toBe(204);
    },
    'a new factor in another session': async ({ another }) => setUpTotp(await another(), clock()),
    'a reset of the factors': ({ admin, account }) => admin.delete(`/users/${account.id}/factors`),
    'the limit of sessions': async ({ admin, account: { tenantId, username } }) => {
      await admin.patch(`/tenants/${tenantId}/policy`, { sessionsPerAccount: 1 });
      expect((await rest().login({ username, password: PASSWORD })).status).toBe(200);
    },
    'a login that replaces its cookie': async ({ account: { username }, session: { cookie } }) =>
      expect((await rest().login({ username, password: PASSWORD }, { cookie })).status).toBe(200),
    'the idle window of a policy': async ({ admin, account: { tenantId } }) => {
      expect((await admin.patch(`/tenants/${tenantId}/policy`, { sessionIdleWindow: 60 })).status).toBe(200);
      clock().advance(2 * MINUTE_MS);
    },
    'the absolute lifetime of a policy': async ({ admin, account: { tenantId } }) => {
      expect((await admin.patch(`/tenants/${tenantId}/policy`, { sessionAbsoluteLifetime: 60 })).status).toBe(200);
      clock().advance(2 * MINUTE_MS);
    },
    'a policy that requires a second factor': async ({ admin, account: { tenantId } }) =>
      expect((await admin.patch(`/tenants/${tenantId}/policy`, { secondFactor: 'REQUIRED' })).status).toBe(200),
  };

  const rows = Object.keys(BEGUN).flatMap((begun) => Object.keys(ENDS).map((ended) => ({ begun, ended })));
  it.each(rows)('$begun ends with its session: $ended', async ({ begun, ended }) => {
    const [begin, refused] = BEGUN[begun]!;
    const scene = await open();
    const complete = await begin(scene);
    await ENDS[ended]!(scene);
    expect(await complete(scene.another)).toMatchObject(refused);
    const after = (await (await scene.another()).get('/account')).body;
    expect([after.email, after.emailVerified]).toEqual([scene.account.email, true]);
  });

  it.each(Object.keys(BEGUN))('%s is completed while its session is open', async (begun) => {
    const [begin, , done] = BEGUN[begun]!;
    const scene = await open();
    const complete = await begin(scene);
    expect((await complete(async () => scene.by)).status).toBe(done);
  });

  it('the options of a confirmation belong to their session', async () => {
    const scene = await open();
    const { deployment } = acme.world;
    const own = await addPasskey(clientsOf(deployment), authorizedBy(scene.session), authenticator());
    const { options } = (await scene.by.post('/account/confirm/passkey-options')).body;
    const passkey = own.authenticator.get(options);
    const refused = { status: 401, body: { errorCode: 'second-factor-invalid' } };
    expect(await (await scene.another()).post('/account/confirm', { passkey })).toMatchObject(refused);
    expect((await scene.by.post('/account/confirm', { passkey })).status).toBe(200);
  });

  it('a login that waits for its second factor ends with the other sessions of its user', async () => {
    const { account, by } = await open();
    const { secret } = await setUpTotp(by, clock());
    const login = await rest().login({ username: account.username, password: PASSWORD });
    expect(login).toMatchObject({ status: 401, body: { errorCode: 'second-factor-required' } });
    expect((await by.delete('/account/sessions')).status).toBe(200);
    clock().advance(MINUTE_MS);
    const body = { challenge: login.body.challenge, totp: codeAt(secret, clock().now()) };
    expect(await rest().postJson('/api/v1/auth/second-factor', body)).toMatchObject({
      status: 401,
      body: { errorCode: 'challenge-invalid' },
    });
  });
});
