// What the endpoints of mails tell strangers, in both profiles and at both levels of disclosure.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import type { Seed } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { mailFolder } from '../../support/mails.ts';
import { restClient, type RestResponse } from '../../support/rest-client.ts';
import { openAdministration } from '../admin/administration.ts';

rememberPasswords();

const RECOVERY = '/api/v1/auth/recovery';
const NEW_PASSWORD = 'a new and long password';
const UNKNOWN_TOKEN = 'A'.repeat(43);

/** A response without what differs between two equal requests: times, ids, and the stack of maximal disclosure. */
function comparable({ status, text, headers }: RestResponse) {
  const { stackTrace: _stack, timestamp: _time, ...body } = JSON.parse(text || '{}') as Record<string, unknown>;
  const named = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name));
  return { status, body, headers: named };
}

const LEVELS = ['A', 'B'].flatMap((profile, index) =>
  ['maximal', 'minimal'].map((mode) => ({ profile, mode, kind: DIAGONAL[index % DIAGONAL.length]! })),
);

describe.each(LEVELS)('Profile $profile, $mode disclosure', ({ profile, mode, kind }) => {
  const mails = mailFolder();
  const acme = openAdministration({
    ...kind,
    settings: {
      ...mails.settings,
      'app.security.auth-profile': profile,
      'app.api.error-disclosure.mode': mode,
    },
  });
  const rest = () => restClient(acme.world.deployment.url);
  const password = profile === 'A' ? 'newPassword' : 'new_password';
  const CONFIRMS: Readonly<Record<string, (token: string, chosen?: string) => object>> = {
    [`${RECOVERY}/confirm`]: (token, chosen = NEW_PASSWORD) => ({ token, [password]: chosen }),
    '/api/v1/auth/invitation/confirm': (token, chosen = NEW_PASSWORD) => ({ token, password: chosen }),
    '/api/v1/auth/email/confirm': (token) => ({ token }),
    '/api/v1/auth/email/stop': (token) => ({ token }),
  };
  const codeOf = ({ body }: { readonly body: { readonly errorCode?: string; readonly error?: string } }) =>
    body.errorCode ?? body.error;
  const [INVALID, REFUSED] =
    profile === 'A' ? ['mail-token-invalid', 'validation-error'] : ['AUTH_MAIL_TOKEN_INVALID', 'AUTH_VALIDATION_ERROR'];

  async function seed(more: Seed = {}) {
    const email = `${newId()}@mail.test`;
    return { ...(await acme.world.seed({ username: `${newId()}@acme.test`, email, ...more })), email };
  }

  it('a request for a recovery has one response', async () => {
    const { username, email } = await seed();
    const users = {
      disabled: await seed({ disabled: true }),
      'without a password': await seed({ hasPassword: false }),
      'without an address': await acme.world.seed({ username: `${newId()}@acme.test` }),
      'of no tenant': await seed({ tenantId: undefined, roles: ['SUPER_ADMIN'] }),
    };
    const request = async (name: string) => comparable(await rest().postJson(RECOVERY, { username: name }));
    const expected = await request(username);
    expect(expected).toMatchObject({ status: 202, body: {} });
    for (const user of Object.values(users)) expect(await request(user.username)).toEqual(expected);
    expect(await request(newId())).toEqual(expected);
    await mails.tokenTo(email, () => request(username));
    for (const user of Object.values(users)) expect(mails.to(user.email ?? '')).toEqual([]);
  });

  it('a token that was used, replaced or ended is like one that never was', async () => {
    const path = `${RECOVERY}/confirm`;
    const send = async (token: string) => rest().postJson(path, CONFIRMS[path]!(token));
    const unknown = await send(UNKNOWN_TOKEN);
    expect([unknown.status, codeOf(unknown)]).toEqual([400, INVALID]);
    const requested = async () => {
      const user = await seed();
      const again = () => rest().postJson(RECOVERY, { username: user.username });
      return { ...user, again, token: await mails.tokenTo(user.email, again) };
    };
    const [used, replaced, ended] = [await requested(), await requested(), await requested()];
    expect((await send(used.token)).status).toBe(204);
    await mails.tokenTo(replaced.email, replaced.again);
    const admin = await caller(acme.world.deployment, { roles: ['ADMIN'] });
    expect((await admin.post(`/users/${ended.id}/disable`)).status).toBe(200);
    for (const { token, username, email, id } of [used, replaced, ended]) {
      const response = await send(token);
      expect(comparable(response)).toEqual(comparable(unknown));
      for (const secret of [token, username, email, id]) expect(response.text).not.toContain(secret);
    }
  });

  it.each(Object.keys(CONFIRMS))('%s tells of no token, whatever it is', async (path) => {
    const send = async (token: string) => rest().postJson(path, CONFIRMS[path]!(token));
    const expected = await send(UNKNOWN_TOKEN);
    expect([expected.status, codeOf(expected)]).toEqual([400, INVALID]);
    expect(expected.headers.get('cache-control')).toBe('no-store');
    for (const token of ['x', 'B'.repeat(43), 'C'.repeat(200)])
      expect(comparable(await send(token))).toEqual(comparable(expected));
    expect(expected.text).not.toContain(UNKNOWN_TOKEN);
    if (mode === 'minimal') expect(expected.text).not.toMatch(/diagnostics|exception|stack/i);
    const tooLong = await send('D'.repeat(201));
    expect([tooLong.status, codeOf(tooLong)]).toEqual([400, REFUSED]);
  });

  it.each([`${RECOVERY}/confirm`, '/api/v1/auth/invitation/confirm'])(
    '%s judges the form of a password before the token',
    async (path) => {
      const response = await rest().postJson(path, CONFIRMS[path]!(UNKNOWN_TOKEN, 'short'));
      expect([response.status, codeOf(response)]).toEqual([400, REFUSED]);
      expect(response.text).not.toContain('"short"');
    },
  );
});
