// Notices: mails about changes of an account.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { mailFolder } from '../../support/mails.ts';
import { seedTotp } from '../../support/factors.ts';
import { seedPasskey } from '../../support/passkeys.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { openAdministration } from '../admin/administration.ts';

rememberPasswords();

const NEW_PASSWORD = 'a new and long password';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: mails.settings });
  const newAddress = () => `${newId()}@mail.test`;
  const openUser = (email: string | undefined, more: object = {}) =>
    caller(acme.world.deployment, { tenantId: 'acme', roles: ['SALES'], email, ...more });
  const changeOwn = (user: Awaited<ReturnType<typeof openUser>>, currentPassword = PASSWORD) =>
    user.put('/account/password', { currentPassword, newPassword: NEW_PASSWORD });

  it('tell the owner of an account that its password was changed', async () => {
    const email = newAddress();
    const user = await openUser(email);
    expect((await changeOwn(user)).status).toBe(204);
    const [mail] = await eventually(() => {
      expect(mails.to(email)).toHaveLength(1);
      return mails.to(email);
    });
    expect(mail).toMatchObject({
      subject: 'Your password for acme was changed',
      from: 'acme <no-reply@auth.shop.test>',
      token: undefined,
    });
  });

  it('tell it also if an administrator has set the password, in the language of the tenant', async () => {
    const email = newAddress();
    const tenantId = `t-${newId()}`;
    const admin = await caller(acme.world.deployment, { tenantId, roles: ['TENANT_ADMIN'] });
    expect((await admin.patch(`/tenants/${tenantId}/policy`, { language: 'de' })).status).toBe(200);
    const { id } = await acme.world.seed({ tenantId, roles: ['SALES'], email, username: `${newId()}@grüße.test` });
    expect((await admin.put(`/users/${id}/password`, { password: NEW_PASSWORD })).status).toBe(200);
    await eventually(() =>
      expect(mails.to(email)).toMatchObject([{ subject: `Ihr Passwort für ${tenantId} wurde geändert` }]),
    );
    expect(mails.to(email)[0]!.text).toContain('@grüße.test');
  });

  it('tell the old address that an administrator has set another one', async () => {
    const [email, next] = [newAddress(), newAddress()];
    const user = await openUser(email);
    const admin = await caller(acme.world.deployment, { tenantId: 'acme', roles: ['ADMIN'] });
    for (const body of [{ email }, { name: 'Other' }, { email: next }])
      expect((await admin.patch(`/users/${user.account.id}`, body)).status).toBe(200);
    await eventually(async () => {
      expect(await acme.world.deployment.database.query('SELECT id FROM mails')).toEqual([]);
      expect(mails.to(email)).toHaveLength(1);
    });
    expect(mails.to(email)[0]!.text).toContain(user.account.username);
    expect(mails.to(next)).toEqual([]);
  });

  it('tell it once that a replayed refresh token has ended a session', async () => {
    const email = newAddress();
    const user = await openUser(email);
    const rest = restClient(acme.world.deployment.url);
    const { cookie } = await seedSession(acme.world.deployment, user.account);
    expect((await rest.refresh(cookie)).status).toBe(200);
    expect(mails.to(email)).toEqual([]);
    const replays = await Promise.all([rest.refresh(cookie), rest.refresh(cookie), rest.refresh(cookie)]);
    expect(replays.map(({ status }) => status)).toEqual([401, 401, 401]);
    await eventually(async () => {
      expect(await acme.world.deployment.database.query('SELECT id FROM mails')).toEqual([]);
      expect(mails.to(email)).toMatchObject([{ subject: 'A session of your account of acme was ended' }]);
    });
  });

  it.each([
    [
      'en',
      'The account has these second factors:',
      'Passkey “Seeded”: since 1970-01-01 00:00 UTC',
      'Authenticator app: since 20',
      'none',
    ],
    [
      'de',
      'Das Konto hat diese zweiten Faktoren:',
      'Passkey „Seeded“: seit 1970-01-01 00:00 UTC',
      'Authentifizierungs-App: seit',
      'keine',
    ],
  ])('list the factors of an account after a recovery, in %s', async (language, intro, passkey, totp, none) => {
    const tenantId = `t-${newId()}`;
    const admin = await caller(acme.world.deployment, { tenantId, roles: ['TENANT_ADMIN'] });
    expect((await admin.patch(`/tenants/${tenantId}/policy`, { language })).status).toBe(200);
    const rest = restClient(acme.world.deployment.url);
    const recover = async ({ username }: { readonly username: string }, email: string) => {
      const path = '/api/v1/auth/recovery';
      const token = await mails.tokenTo(email, () => rest.postJson(path, { username }));
      expect((await rest.postJson(`${path}/confirm`, { token, newPassword: NEW_PASSWORD })).status).toBe(204);
      return eventually(() => {
        expect(mails.to(email)).toHaveLength(2);
        return mails.to(email)[1]!.text;
      });
    };
    const [secured, plain] = [newAddress(), newAddress()];
    const { account } = await seedTotp(acme.world.deployment, { tenantId, email: secured });
    await seedPasskey(acme.world.deployment.database, account);
    const text = await recover(account, secured);
    for (const part of [intro, totp, passkey]) expect(text).toContain(part);
    const { username } = await acme.world.seed({ tenantId, email: plain, username: `${newId()}@acme.test` });
    expect(await recover({ username }, plain)).toContain(`${intro}\n\n- ${none}\n`);
  });

  it('are not sent if the change failed, or the account has no address', async () => {
    const email = newAddress();
    expect((await changeOwn(await openUser(email), 'a wrong password')).status).toBe(401);
    expect((await changeOwn(await openUser(undefined))).status).toBe(204);
    const rows = await acme.world.deployment.database.query('SELECT id FROM mails');
    expect(rows).toEqual([]);
    expect(mails.to(email)).toEqual([]);
  });
});

describe('without notices', () => {
  const mails = mailFolder();
  const acme = openAdministration({ ...DIAGONAL[0]!, settings: { ...mails.settings, 'app.mail.notices': 'false' } });

  it('sends none', async () => {
    const user = await caller(acme.world.deployment, { tenantId: 'acme', roles: ['SALES'], email: 'ann@mail.test' });
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await user.put('/account/password', body)).status).toBe(204);
    expect(await acme.world.deployment.database.query('SELECT id FROM mails')).toEqual([]);
  });
});
