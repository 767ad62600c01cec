// A login of a browser ends the session whose refresh cookie it replaces.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { seedTotp } from '../../support/factors.ts';
import { addPasskey, ORIGIN, PASSKEYS } from '../../support/passkeys.ts';
import { restClient, type RestResponse } from '../../support/rest-client.ts';
import { authorizedBy, seedSession, type SeededSession } from '../../support/sessions.ts';
import { clientsOf } from '../../support/world.ts';

rememberPasswords();

const OTHER_ORIGIN = 'https://shop.test';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy({
      ...kind,
      settings: { ...PASSKEYS, 'app.http.cors.allowed-origins': OTHER_ORIGIN },
    });
  });
  afterAll(() => deployment?.close());

  const rest = () => restClient(deployment.url);
  const open = async () => {
    const account = await seedAccount(deployment.database);
    return { account, session: await seedSession(deployment, account) };
  };
  const login = (username: string, cookie: string, headers = {}) =>
    rest().login({ username, password: PASSWORD }, { cookie, ...headers });
  /** The statuses of the access token and of the refresh cookie. */
  const statuses = async ({ accessToken, cookie }: SeededSession) => [
    (await rest().me(accessToken)).status,
    (await rest().refresh(cookie)).status,
  ];
  const [OPEN, ENDED] = [
    [200, 200],
    [401, 401],
  ];

  /** Logs in with a cookie in each way. */
  const LOGINS: Readonly<Record<string, (cookie: string) => Promise<RestResponse>>> = {
    'a password': async (cookie) => login((await seedAccount(deployment.database)).username, cookie),
    'a second factor': async (cookie) => {
      const { account, code } = await seedTotp(deployment);
      const challenged = await login(account.username, cookie);
      expect(challenged.status).toBe(401);
      const body = { challenge: challenged.body.challenge, totp: code() };
      return rest().postJson('/api/v1/auth/second-factor', body, { cookie });
    },
    'a passkey': async (cookie) => {
      const { session } = await open();
      const { authenticator } = await addPasskey(
        clientsOf(deployment),
        authorizedBy(session),
        createAuthenticator({ origin: ORIGIN }),
      );
      const { challenge, options } = (await rest().postJson('/api/v1/auth/passkey/options', undefined)).body;
      return rest().postJson('/api/v1/auth/passkey', { challenge, passkey: authenticator.get(options) }, { cookie });
    },
  };

  it.each(Object.keys(LOGINS))('a login with %s ends the session of another account', async (way) => {
    const { session } = await open();
    expect((await LOGINS[way]!(session.cookie)).status).toBe(200);
    expect(await statuses(session)).toEqual(ENDED);
  });

  it('ends the session of the same account, and records it', async () => {
    const { account, session } = await open();
    const again = await login(account.username, session.cookie);
    expect(again.status).toBe(200);
    expect(await statuses(session)).toEqual(ENDED);
    expect((await rest().me(again.body.accessToken)).status).toBe(200);
    const rows = await deployment.database.query(
      "SELECT details FROM audit_records WHERE event = 'session.revoked' ORDER BY id DESC LIMIT 1",
    );
    expect(JSON.parse(String(rows[0]!['details']))).toEqual({ sessionId: session.id, reason: 'replaced' });
  });

  it('a wrong password, and a challenge that is not answered, end nothing', async () => {
    const { account, session } = await open();
    const cookie = { cookie: session.cookie };
    expect((await rest().login({ username: account.username, password: 'wrong' }, cookie)).status).toBe(401);
    expect((await login((await seedTotp(deployment)).account.username, session.cookie)).status).toBe(401);
    expect(await statuses(session)).toEqual(OPEN);
  });

  it.each([
    ['a forged value', (value: string) => `${value.slice(0, -2)}AA`],
    ['an empty value', () => ''],
    ['another text', () => 'x'],
  ])('%s beside the cookie counts for nothing', async (_, forge) => {
    const { account, session } = await open();
    const [name, value] = session.cookie.split('=') as [string, string];
    expect((await login(account.username, `${name}=${forge(value)}`)).status).toBe(200);
    const beside = `${name}=${forge(value)}; ${session.cookie}`;
    expect((await login(account.username, beside)).status).toBe(200);
    expect(await statuses(session)).toEqual(ENDED);
  });

  it('two different cookies of this service end no session', async () => {
    const [one, other] = [await open(), await open()];
    const both = `${one.session.cookie}; ${other.session.cookie}`;
    expect((await login(one.account.username, both)).status).toBe(200);
    expect(await statuses(one.session)).toEqual(OPEN);
    expect(await statuses(other.session)).toEqual(OPEN);
  });

  it('a session of another browser origin stays', async () => {
    const account = await seedAccount(deployment.database);
    const first = await rest().login({ username: account.username, password: PASSWORD }, { origin: ORIGIN });
    const [cookie] = first.cookies;
    const header = `${cookie!.name}=${cookie!.value}`;
    expect((await login(account.username, header, { origin: OTHER_ORIGIN })).status).toBe(200);
    expect((await rest().me(first.body.accessToken)).status).toBe(200);
  });
});
