// PUT /account/email and /auth/email/confirm.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import type { Seed } from '../../support/accounts.ts';
import { caller, callerWith, faults, type Caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { mailFolder, PUBLIC_URL } from '../../support/mails.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { openAdministration } from '../admin/administration.ts';

const CONFIRM = '/api/v1/auth/email/confirm';
const MINUTE_MS = 60_000;
const newAddress = () => `${newId()}@mail.test`;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: mails.settings });
  const confirm = (token: string) => restClient(acme.world.deployment.url).postJson(CONFIRM, { token });
  const stop = (token: string) => restClient(acme.world.deployment.url).postJson('/api/v1/auth/email/stop', { token });
  const invalid = { status: 400, body: { errorCode: 'mail-token-invalid' } };

  async function open(seed: Seed = {}) {
    const email = newAddress();
    const user = await caller(acme.world.deployment, { roles: ['SALES'], email, ...seed });
    // With a session of its own: the clock of the tests moves, and only a new session is fresh.
    const opened = async () => {
      const { accessToken } = await seedSession(acme.world.deployment, user.account);
      return callerWith(acme.world.deployment.url, user.account, bearer(accessToken));
    };
    const change = async (to: string) => (await opened()).put('/account/email', { email: to });
    const account = async () => (await (await opened()).get('/account')).body;
    /** Requests a change and returns its token. */
    const newToken = (to: string) => mails.tokenTo(to, async () => expect((await change(to)).status).toBe(202));
    return { user, email, change, account, newToken };
  }

  const events = async (accountId: string) => {
    const { body } = await acme.admin.get(`/audit-records?accountId=${accountId}`);
    return body.map(({ event, details }: { event: string; details: object }) => [event, details]).toReversed();
  };

  it('changes the address when its token is confirmed, and tells the old one', async () => {
    const { user, email, change, account, newToken } = await open();
    const next = newAddress();
    const token = await newToken(next);
    expect(mails.to(next)).toMatchObject([{ subject: 'Confirm your e-mail address for acme' }]);
    expect(mails.to(next)[0]!.text).toContain(`${PUBLIC_URL}/email#token=${token}\n`);
    expect(await account()).toMatchObject({ email, emailVerified: false });
    const response = await confirm(token);
    expect([response.status, response.text, response.headers.get('cache-control')]).toEqual([204, '', 'no-store']);
    expect(await account()).toMatchObject({ email: next, emailVerified: true });
    await eventually(() =>
      expect(mails.to(email)).toMatchObject([
        { subject: 'The e-mail address of your account of acme was changed', token: undefined },
      ]),
    );
    expect(mails.to(email)[0]!.text).not.toContain(next);
    expect(mails.to(next)).toHaveLength(1);
    expect(await confirm(token)).toMatchObject(invalid);
    expect(await events(user.account.id)).toEqual([
      ['account.email-change-requested', {}],
      ['account.email-verified', { changed: 'true' }],
    ]);
    const { status, text } = await change(newAddress());
    expect([status, text]).toEqual([202, '']);
  });

  it('tells the verified address at once, with a link that stops the change', async () => {
    const { user, email, account, newToken } = await open({ emailVerifiedAt: 1 });
    const next = newAddress();
    const token = await newToken(next);
    const [mail] = await eventually(() => {
      expect(mails.to(email)).toHaveLength(1);
      return mails.to(email);
    });
    expect(mail).toMatchObject({ subject: 'Another e-mail address for your account of acme', token: undefined });
    expect(mail!.text).toContain(`${PUBLIC_URL}/email#stop=${mail!.stop}\n`);
    expect(mail!.text).not.toContain(next);
    expect(await stop(token)).toMatchObject(invalid);
    expect(await confirm(mail!.stop!)).toMatchObject(invalid);
    const response = await stop(mail!.stop!);
    expect([response.status, response.text, response.headers.get('cache-control')]).toEqual([204, '', 'no-store']);
    expect(await confirm(token)).toMatchObject(invalid);
    expect(await stop(mail!.stop!)).toMatchObject(invalid);
    expect(await account()).toMatchObject({ email, emailVerified: true });
    expect(await events(user.account.id)).toEqual([
      ['account.email-change-requested', {}],
      ['account.email-change-stopped', {}],
    ]);
  });

  it('stops no change that was confirmed, and none after 30 minutes', async () => {
    const confirmed = await open({ emailVerifiedAt: 1 });
    const token = await confirmed.newToken(newAddress());
    const stopOf = (address: string) =>
      eventually(() => {
        expect(mails.to(address)).toHaveLength(1);
        return mails.to(address)[0]!.stop!;
      });
    const late = await stopOf(confirmed.email);
    expect((await confirm(token)).status).toBe(204);
    expect(await stop(late)).toMatchObject(invalid);
    const other = await open({ emailVerifiedAt: 1 });
    await other.newToken(newAddress());
    const old = await stopOf(other.email);
    acme.world.deployment.clock.advance(30 * MINUTE_MS);
    expect(await stop(old)).toMatchObject(invalid);
  });

  it('verifies the present address without a notice', async () => {
    const { email, account, newToken } = await open();
    expect((await confirm(await newToken(email))).status).toBe(204);
    expect(await account()).toMatchObject({ email, emailVerified: true });
    expect(mails.to(email)).toHaveLength(1);
  });

  it('gives an account without an address its first one', async () => {
    const { account, newToken } = await open({ email: undefined });
    const next = newAddress();
    expect((await confirm(await newToken(next))).status).toBe(204);
    expect(await account()).toMatchObject({ email: next, emailVerified: true });
  });

  it('does not tell whether another account has the address, and lets both have it', async () => {
    const other = await open();
    const { change, account, newToken } = await open();
    expect((await confirm(await newToken(other.email))).status).toBe(204);
    const [taken, free] = [await change(other.email), await change(newAddress())];
    expect([taken.status, taken.text]).toEqual([free.status, free.text]);
    expect(await account()).toMatchObject({ email: other.email, emailVerified: true });
    expect(await other.account()).toMatchObject({ email: other.email, emailVerified: false });
  });

  it('accepts the newest token alone, for 30 minutes, once, also in parallel', async () => {
    const { account, newToken } = await open();
    const [older, next, last] = [await newToken(newAddress()), newAddress(), newAddress()];
    const token = await newToken(next);
    expect(await confirm(older)).toMatchObject(invalid);
    acme.world.deployment.clock.advance(30 * MINUTE_MS - 1);
    const responses = await Promise.all(Array.from({ length: 5 }, () => confirm(token)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 400, 400, 400, 400]);
    expect((await account()).email).toBe(next);
    const late = await newToken(last);
    acme.world.deployment.clock.advance(30 * MINUTE_MS);
    expect(await confirm(late)).toMatchObject(invalid);
  });

  it.each<[change: string, act: (by: Caller, id: string) => Promise<unknown>]>([
    ['a new password', (by, id) => by.put(`/users/${id}/password`, { password: 'another long password' })],
    ['another address by an administrator', (by, id) => by.patch(`/users/${id}`, { email: newAddress() })],
    [
      'a disabled account, enabled later',
      async (by, id) => [await by.post(`/users/${id}/disable`), await by.post(`/users/${id}/enable`)],
    ],
    ['a deleted account', (by, id) => by.delete(`/users/${id}`)],
    ['an expired account', (by, id) => by.patch(`/users/${id}`, { accountExpiresAt: '2020-01-01T00:00:00Z' })],
  ])('ends the token after %s', async (_, act) => {
    const { user, newToken } = await open();
    const token = await newToken(newAddress());
    await act(await caller(acme.world.deployment, { roles: ['ADMIN'] }), user.account.id);
    expect(await confirm(token)).toMatchObject(invalid);
  });

  it.each(['ann', 'ann@', 'a b@mail.test', '"a"@mail.test', '<ann@mail.test>', 'ann@[127.0.0.1]', 'a@b@mail.test'])(
    'refuses %j, which no mail can be sent to',
    async (email) => {
      const { user } = await open();
      const refused = { status: 400, body: { errorCode: 'validation-error', violations: [{ props: ['email'] }] } };
      expect(await user.put('/account/email', { email })).toMatchObject(refused);
    },
  );

  it('refuses tokens of other purposes, and those that do not exist', async () => {
    const { user, email } = await open();
    const recovery = () =>
      restClient(acme.world.deployment.url).postJson('/api/v1/auth/recovery', { username: user.account.username });
    for (const token of [await mails.tokenTo(email, recovery), 'x', 'A'.repeat(43), 'x'.repeat(200)])
      expect(await confirm(token)).toMatchObject(invalid);
  });

  it('sends an account at most 5 mails an hour. Further requests end no token', async () => {
    const { change, newToken } = await open();
    let token = '';
    for (let count = 0; count < 5; count += 1) token = await newToken(newAddress());
    const beyond = newAddress();
    const refused = await change(beyond);
    expect(refused).toMatchObject({ status: 429, body: { errorCode: 'too-many-requests' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect((await confirm(token)).status).toBe(204);
    acme.world.deployment.clock.advance(60 * MINUTE_MS);
    expect(await newToken(newAddress())).toMatch(/^[\w-]{43}$/);
    expect(mails.to(beyond)).toEqual([]);
  });

  it('needs a fresh session of a user', async () => {
    const { user } = await open();
    acme.world.deployment.clock.advance(11 * MINUTE_MS);
    expect(await user.put('/account/email', { email: newAddress() })).toMatchObject({
      status: 401,
      body: { errorCode: 'fresh-session-required' },
    });
  });

  it.each([
    'x',
    'no address',
    'a@b\r\nBcc: c@d',
    'a@b c',
    '<a@b>, c@d',
    '"a b"@mail.test',
    `${'x'.repeat(320)}@mail.test`,
    '',
    1,
    null,
  ])('refuses the address %j', async (email) => {
    const { user } = await open();
    const response = await user.put('/account/email', { email });
    expect([response.status, response.body.errorCode, faults(response)]).toEqual([400, 'validation-error', ['email']]);
  });
});

describe.each(DIAGONAL)('under Profile B, $engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: { ...mails.settings, 'app.security.auth-profile': 'B' } });

  it('responds in the format of the profile', async () => {
    const user = await caller(acme.world.deployment, { roles: ['SALES'] });
    const email = newAddress();
    const token = await mails.tokenTo(email, () => user.put('/account/email', { email }));
    const confirm = (body: object) => restClient(acme.world.deployment.url).postJson(CONFIRM, body);
    expect(await confirm({})).toMatchObject({ status: 400, body: { error: 'AUTH_VALIDATION_ERROR', path: CONFIRM } });
    expect((await confirm({ token })).status).toBe(204);
    expect(await confirm({ token })).toMatchObject({ status: 400, body: { error: 'AUTH_MAIL_TOKEN_INVALID' } });
    // Administration and self-service have problem documents in both profiles.
    expect(await user.put('/account/email', {})).toMatchObject({
      status: 400,
      body: { errorCode: 'validation-error' },
    });
  });
});

describe('without mail', () => {
  const acme = openAdministration(DIAGONAL[0]!);

  it('is not served', async () => {
    const { url } = acme.world.deployment;
    expect((await acme.admin.put('/account/email', { email: newAddress() })).status).toBe(404);
    expect((await restClient(url).postJson(CONFIRM, { token: 'x' })).status).toBe(404);
    const document = await (await fetch(`${url}/openapi.json`)).text();
    for (const path of ['/account/email', '/auth/email', '/invite', '/auth/invitation'])
      expect(document).not.toContain(path);
  });
});
