// POST /account/confirm: the user of a session is authenticated again, without a new session.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { PASSWORD, seedAccount, type Seed } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { bearer, restClient, sessionOf, type RestClient } from '../../support/rest-client.ts';
import { seedSession, seedTokens } from '../../support/sessions.ts';
import { administrator, ENABLED } from '../api-key/api-keys.ts';
import { isNotStored } from '../m2m/oauth-errors.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';

const CONFIRM = '/api/v1/account/confirm';
const MINUTE_MS = 60_000;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: ENABLED });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const seconds = () => Math.floor(deployment.clock.now() / 1000);
  const open = async (seed: Seed = {}) => {
    const account = await seedAccount(deployment.database, seed);
    return { account, ...(await seedSession(deployment, account)) };
  };
  const confirm = (accessToken: string, body: object = { password: PASSWORD }) =>
    rest.postJson(CONFIRM, body, bearer(accessToken));
  const isFresh = async (accessToken: string) =>
    (await rest.send('GET', '/api/v1/auth/verify?max-age=30', { headers: bearer(accessToken) })).status === 200;
  const eventsOf = async ({ id, tenantId }: Account) => {
    const admin = await administrator(deployment, { tenantId, roles: ['ADMIN'] });
    const path = `/api/v1/audit-records?accountId=${id}`;
    const { body } = await rest.send('GET', path, { headers: admin.headers });
    return (body as { event: string; details: object }[]).map(({ event, details }) => ({ event, details }));
  };

  it('returns an access token with the new time, and makes older ones of the session fresh', async () => {
    const { id, cookie, accessToken, account } = await open();
    const other = await seedSession(deployment, account);
    deployment.clock.advance(MINUTE_MS);
    expect(await isFresh(accessToken)).toBe(false);

    const response = await confirm(accessToken);
    expect(response).toMatchObject({ status: 200, body: { accessToken: expect.any(String), expiresIn: 900 } });
    expect(Object.keys(response.body)).toHaveLength(2);
    expect(isNotStored(response.headers)).toBe(true);
    expect(response.headers.getSetCookie()).toEqual([]);
    const claims = { sid: id, auth_time: seconds(), amr: ['pwd'], exp: seconds() + 900 };
    expect(decodeJwt(response.body.accessToken)).toMatchObject(claims);
    expect(await Promise.all([accessToken, response.body.accessToken, other.accessToken].map(isFresh))).toEqual([
      true,
      true,
      false,
    ]);
    expect(decodeJwt(sessionOf(await rest.refresh(cookie)).accessToken)).toMatchObject({ auth_time: seconds() });
    expect(await eventsOf(account)).toContainEqual({
      event: 'session.confirmed',
      details: { sessionId: id, by: 'pwd' },
    });
  });

  it('ends the new access token with its session', async () => {
    const { accessToken } = await open();
    const later = (await confirm(accessToken)).body.accessToken;
    expect((await rest.logout({ accessToken })).status).toBe(200);
    expect((await rest.me(later)).status).toBe(401);
    expect((await confirm(later)).body).toMatchObject({ status: 401, errorCode: 'unauthorized' });
  });

  it('does not continue a session that has expired', async () => {
    const { id, accessToken } = await open();
    const end = [deployment.clock.now(), idToBytes(id)];
    await deployment.database.execute('UPDATE session_families SET idle_expires_at = ? WHERE id = ?', end);
    expect(await confirm(accessToken)).toEqual(problem(401, 'unauthorized', CONFIRM));
  });

  it('counts a wrong password like a login, and locks', async () => {
    const { account, accessToken } = await open();
    deployment.clock.advance(MINUTE_MS);
    for (let count = 1; count <= 5; count += 1)
      expect(await confirm(accessToken, { password: 'wrong' })).toEqual(problem(401, 'bad-credentials', CONFIRM));
    expect(await confirm(accessToken)).toEqual(problem(423, 'account-locked', CONFIRM));
    expect(await isFresh(accessToken)).toBe(false);
    const events = (await eventsOf(account)).map(({ event }) => event);
    // The sixth attempt is recorded later, because it was not evaluated.
    expect(events.filter((event) => event === 'login.failed').length).toBeGreaterThanOrEqual(5);
    expect(events).toContain('account.locked');
    expect(events).not.toContain('session.confirmed');
  });

  it('starts counting again after a right password', async () => {
    const { account, accessToken } = await open();
    for (const password of ['wrong', 'wrong', 'wrong', 'wrong', PASSWORD, 'wrong'])
      await confirm(accessToken, { password });
    expect((await rest.login({ username: account.username, password: PASSWORD })).status).toBe(200);
  });

  it('evaluates at most five wrong passwords at once', async () => {
    const { accessToken } = await open();
    const responses = await Promise.all(Array.from({ length: 12 }, () => confirm(accessToken, { password: 'wrong' })));
    const countOf = (status: number) => responses.filter((response) => response.status === status).length;
    expect([countOf(401), countOf(423)]).toEqual([5, 7]);
  });

  it('returns 401 credentials-expired for an expired password', async () => {
    const { accessToken } = await open({ credentialsExpireAt: deployment.clock.now() - 1 });
    expect(await confirm(accessToken)).toEqual(problem(401, 'credentials-expired', CONFIRM));
  });

  it.each([
    ['nothing', {}],
    ['an empty password', { password: '' }],
    ['a number', { password: 7 }],
    ['1,025 characters', { password: 'x'.repeat(1_025) }],
    ['an unknown member', { password: PASSWORD, pin: '1' }],
  ])('returns 400 for %s', async (_what, body) => {
    const { accessToken } = await open();
    expect(await confirm(accessToken, body)).toEqual(problem(400, 'validation-error', CONFIRM));
  });

  it('returns 403 for a machine client and an API key, and 401 without a credential', async () => {
    const client = await seedClient(deployment.database);
    const { access_token: token } = (await tokenClient(deployment.url).byForm(client)).body;
    const { apiKey } = (await (await administrator(deployment)).issue(client.account)).body;
    // The role is checked before the body.
    const bodies: readonly (object | string)[] = [{ password: PASSWORD }, {}, { pin: 1 }, ''];
    for (const headers of [bearer(token), { 'x-api-key': apiKey as string }])
      for (const body of bodies)
        expect(await rest.postJson(CONFIRM, body, headers), JSON.stringify(body)).toEqual(
          problem(403, 'permission-denied', CONFIRM),
        );
    expect((await rest.postJson(CONFIRM, { password: PASSWORD })).status).toBe(401);
  });

  it('gives a session of Profile B its lifetime of 900 s, with the errors and names of all other paths', async () => {
    const settings = { 'app.security.auth-profile': 'B', 'app.security.access-token-ttl': '60s' };
    const { databaseUrl, clock } = deployment;
    const other = await deploy({ ...kind, settings, databaseUrl, clock });
    try {
      const account = await seedAccount(deployment.database);
      const { accessToken } = await seedTokens(deployment, account);
      const send = (body: object) => restClient(other.url).postJson(CONFIRM, body, bearer(accessToken));
      expect((await send({ password: PASSWORD })).body).toMatchObject({ expiresIn: 900 });
      expect(await send({ password: 'wrong' })).toEqual(problem(401, 'bad-credentials', CONFIRM));
    } finally {
      await other.close();
    }
  });
});
