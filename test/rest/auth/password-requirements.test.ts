// Requirements for passwords and their recovery (OWASP ASVS 5.0, chapter V6) that no other test shows as a whole.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { caller } from '../../support/callers.ts';
import { ON_SQLITE } from '../../support/deployment.ts';
import { seedTotp } from '../../support/factors.ts';
import { mailFolder } from '../../support/mails.ts';
import { restClient } from '../../support/rest-client.ts';
import { openAdministration } from '../admin/administration.ts';

rememberPasswords();

const YEAR_MS = 365 * 86_400_000;

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({
    ...kind,
    settings: { ...mails.settings, 'app.security.password.forbidden-words': 'wile-e,anvilworks' },
  });
  const rest = () => restClient(acme.world.deployment.url);
  const login = async (username: string, password: string) => (await rest().login({ username, password })).status;

  it.each([
    ['small letters', 'correcthorsebatterystaple'],
    ['digits', '84710593628105'],
    ['signs', '#[]{}<>&"%;--\\/|~'],
    ['letters of several scripts', 'пароль з літер 密码'],
    ['emoji', '🐎🔋🖇️🌵🦔🍋🧭🪁🎈🛶🧵🪐'],
    ['64 characters', `${'long and longer, '.repeat(4).slice(0, 63)}!`],
    ['1,024 characters', 'many words of a long sentence '.repeat(35).slice(0, 1_023) + '!'],
  ])('a password of %s is accepted, whole and in its case only', async (_, password) => {
    const { account, put } = await caller(acme.world.deployment, { roles: ['SALES'] });
    const changed = await put('/account/password', { currentPassword: PASSWORD, newPassword: password });
    expect(changed.status).toBe(204);
    const shorter = [...password].slice(0, -1).join('');
    const otherCase = password === password.toUpperCase() ? password.toLowerCase() : password.toUpperCase();
    for (const wrong of [shorter, otherCase])
      if (wrong !== password) expect(await login(account.username, wrong)).toBe(401);
    expect(await login(account.username, password)).toBe(200);
  });

  it('a forbidden word is named, and the password stays', async () => {
    const { account, put } = await caller(acme.world.deployment, { roles: ['SALES'] });
    const newPassword = 'AnvilWorks for ever';
    const changed = await put('/account/password', { currentPassword: PASSWORD, newPassword });
    expect(changed).toMatchObject({
      status: 400,
      body: { violations: [{ message: 'must not contain anvilworks', props: ['newPassword'] }] },
    });
    expect(await login(account.username, newPassword)).toBe(401);
    expect(await login(account.username, PASSWORD)).toBe(200);
  });

  it('a recovery opens no session, and leaves the second factor in force', async () => {
    const email = `${newId()}@mail.test`;
    const { account, code } = await seedTotp(acme.world.deployment, { email });
    const token = await mails.tokenTo(email, () =>
      rest().postJson('/api/v1/auth/recovery', { username: account.username }),
    );
    const newPassword = 'a new and long password';
    const recovered = await rest().postJson('/api/v1/auth/recovery/confirm', { token, newPassword });
    expect([recovered.status, recovered.text, recovered.cookies]).toEqual([204, '', []]);
    const challenged = await rest().login({ username: account.username, password: newPassword });
    expect(challenged).toMatchObject({ status: 401, body: { errorCode: 'second-factor-required' }, cookies: [] });
    const { challenge } = challenged.body;
    expect((await rest().postJson('/api/v1/auth/second-factor', { challenge, totp: code() })).status).toBe(200);
  });

  it('no operation knows a hint of a password or a secret question', async () => {
    const document = await (await fetch(`${acme.world.deployment.url}/openapi.json`)).text();
    const names = new Set([...document.matchAll(/"([\w-]+)":/g)].map(([, name]) => name!));
    expect([...names]).toEqual(expect.arrayContaining(['currentPassword', 'loginHint', 'recoveryCode']));
    expect([...names].filter((name) => /hint|question/i.test(name))).toEqual(['loginHint', 'token_type_hint']);
  });

  it('a password stays right for ten years', async () => {
    const { username } = await acme.world.seed({ roles: ['SALES'] });
    acme.world.deployment.clock.advance(10 * YEAR_MS);
    expect(await login(username, PASSWORD)).toBe(200);
  });
});
