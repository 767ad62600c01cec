// POST /users/{id}/secure: what ends, what the answer says, and races with a login, a refresh and a grant: nothing survives.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD, type Seed } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { untilServed } from '../../support/at-once.ts';
import { API, caller, faults } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { seedTotp } from '../../support/factors.ts';
import { codeOf, createClient, credentialsOf, grantTo, type Client } from '../../support/grants.ts';
import { mailFolder } from '../../support/mails.ts';
import { problem } from '../../support/problems.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { authorizedBy, seedSession } from '../../support/sessions.ts';
import { openAdministration, TIME } from './administration.ts';

rememberPasswords();

const OFFLINE = { scope: 'openid offline_access', prompt: 'consent' };

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: mails.settings });
  const rest = () => restClient(acme.world.deployment.url);
  const login = (username: string, password = PASSWORD) => rest().login({ username, password });
  const seed = (more: Seed = {}) => acme.world.seed({ email: `${newId()}@mail.test`, ...more });
  const secure = (id: string, body: object = {}) => acme.admin.post(`/users/${id}/secure`, body);
  const offlineClient = () =>
    createClient(acme.world.clients, acme.world.admin.as, { scopes: ['openid', 'offline_access'] });
  const isActive = async (token: string) =>
    (await rest().send('GET', `${API}/account`, { headers: bearer(token) })).status === 200;

  /** Returns the outcome of a refresh of an application. */
  const renew = (client: Client, refreshToken: string | undefined) =>
    outcomeOf(
      acme.world.clients.authorization.exchangeToken(
        { grantType: 'refresh_token', refreshToken, ...credentialsOf(client) },
        {},
      ),
    );

  it('ends all in one transaction, says how many, and mails a recovery', async () => {
    const email = `${newId()}@mail.test`;
    const { account, recoveryCodes, code } = await seedTotp(acme.world.deployment, { email });
    const session = await seedSession(acme.world.deployment, account);
    const client = await offlineClient();
    const grant = await grantTo(acme.world.clients, authorizedBy(session), client, OFFLINE);
    const challenge = (await login(account.username)).body.challenge as string;
    const old = await mails.tokenTo(email, () =>
      rest().postJson(`${API}/auth/recovery`, { username: account.username }),
    );
    const accessCode = (await acme.admin.post(`/users/${account.id}/access-code`, { minutes: 60 })).body.accessCode;

    let response: Awaited<ReturnType<typeof secure>> | undefined;
    const token = await mails.tokenTo(email, async () => {
      response = await secure(account.id, { reason: 'a strange login' });
    });
    expect([response!.status, response!.body]).toEqual([
      200,
      {
        sessions: 1,
        grants: 1,
        mails: 1,
        challenges: 1,
        recoveryCodes: recoveryCodes.length,
        factors: [{ id: 'totp', createdAt: TIME }],
        networks: [expect.any(String)],
      },
    ]);
    expect(await isActive(session.accessToken)).toBe(false);
    expect((await rest().refresh(session.cookie)).status).toBe(401);
    expect(await renew(client, grant.refreshToken)).toBe('INVALID_GRANT');
    expect((await login(account.username)).status).toBe(401);
    const answer = (body: object) => rest().postJson(`${API}/auth/second-factor`, body);
    expect((await answer({ challenge, totp: code() })).status).toBe(401);
    const confirm = (given: string) =>
      rest().postJson(`${API}/auth/recovery/confirm`, { token: given, newPassword: 'a new and long password' });
    expect((await confirm(old)).status).toBe(400);
    expect((await confirm(token)).status).toBe(204);
    const next = await login(account.username, 'a new and long password');
    expect(next.body.methods).toEqual(['totp']);
    for (const proof of [{ recoveryCode: recoveryCodes[0] }, { accessCode }])
      expect((await answer({ challenge: next.body.challenge, ...proof })).status).toBe(401);
    expect((await answer({ challenge: next.body.challenge, totp: code() })).status).toBe(200);
    const [record] = (await acme.admin.get(`/audit-records?accountId=${account.id}&events=account.secured`)).body;
    expect(record.details).toEqual({
      sessions: 1,
      grants: 1,
      mails: 1,
      challenges: 1,
      recoveryCodes: 10,
      reason: 'a strange login',
    });
  });

  it('answers with a temporary password where no mail can be sent', async () => {
    const user = await seed({ email: undefined });
    const { body } = await secure(user.id);
    expect((await login(user.username)).status).toBe(401);
    const required = await login(user.username, body.temporaryPassword);
    expect(required.body.errorCode).toBe('password-change-required');
    const invited = await seed({ hasPassword: false });
    expect('temporaryPassword' in (await secure(invited.id)).body).toBe(false);
  });

  it('is for others, whose permissions the caller holds', async () => {
    const path = `/users/${acme.admin.account.id}/secure`;
    expect(await acme.admin.post(path, {})).toEqual(problem(409, 'conflict', API + path));
    const { id } = await seed();
    for (const role of ['HELP_DESK', 'AUDITOR', 'MANAGER']) {
      const by = await caller(acme.world.deployment, { roles: [role] });
      expect([role, (await by.post(`/users/${id}/secure`, {})).status]).toEqual([role, 403]);
    }
    expect(faults(await secure(id, { reason: 'x'.repeat(501) }))).toEqual(['reason']);
    expect((await secure(newId())).status).toBe(404);
  });

  it('lets no login survive that comes at the same time', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const user = await seed();
      const [logins, secured] = await Promise.all([
        Promise.all([1, 2, 3].map(() => untilServed(() => login(user.username)))),
        untilServed(() => secure(user.id)),
      ]);
      expect(secured.status).toBe(200);
      for (const { status, body } of logins)
        if (status === 200) expect(await isActive(body.accessToken)).toBe(false);
        else expect(status).toBe(401);
      expect((await acme.admin.get(`/users/${user.id}/sessions`)).body).toEqual([]);
    }
  });

  it('lets no refresh survive that comes at the same time', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const user = await seed();
      const session = await seedSession(acme.world.deployment, user);
      const [refreshed, secured] = await Promise.all([
        untilServed(() => rest().refresh(session.cookie)),
        untilServed(() => secure(user.id)),
      ]);
      expect(secured.status).toBe(200);
      expect(await isActive(session.accessToken)).toBe(false);
      if (refreshed.status === 200) {
        expect(await isActive(refreshed.body.accessToken)).toBe(false);
        const [cookie] = refreshed.cookies;
        expect((await rest().refresh(`${cookie!.name}=${cookie!.value}`)).status).toBe(401);
      } else expect(refreshed.status).toBe(401);
    }
  });

  it('lets no grant survive that comes at the same time', async () => {
    const client = await offlineClient();
    const { authorization } = acme.world.clients;
    for (let round = 0; round < ROUNDS; round += 1) {
      const user = await seed();
      const as = authorizedBy(await seedSession(acme.world.deployment, user));
      const exchange = await codeOf(acme.world.clients, as, client, OFFLINE);
      let refreshToken: string | undefined;
      const [outcome, secured] = await Promise.all([
        outcomeOf(authorization.exchangeToken(exchange, {}).then((tokens) => ({ refreshToken } = tokens))),
        untilServed(() => secure(user.id)),
      ]);
      expect(secured.status).toBe(200);
      if (outcome === 'OK') expect(await renew(client, refreshToken)).toBe('INVALID_GRANT');
      expect((await acme.admin.get(`/users/${user.id}/grants`)).body).toEqual([]);
    }
  });
});
