// A login replaces an outdated hash by a new one of the same password. To the attempts and the mails beside it, that is no change.
import * as argon2 from 'argon2';
import { describe, expect, it } from 'vitest';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import { replacePasswordHash } from '../../../src/auth/identity/account-store.ts';
import { PASSWORD, type Seed } from '../../support/accounts.ts';
import { holdVerifications, rememberPasswords } from '../../support/argon2.ts';
import { caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { mailFolder } from '../../support/mails.ts';
import { restClient } from '../../support/rest-client.ts';
import { openAdministration } from '../admin/administration.ts';

rememberPasswords();

/** The parameters of an earlier release. */
const OUTDATED = { type: argon2.argon2id, memoryCost: 8_192, timeCost: 2, parallelism: 1 } as const;
const CURRENT = { ...OUTDATED, memoryCost: 19_456 };
const NEW_PASSWORD = 'a new and long password';

/** Half of the places are for one network. */
const PLACES = { 'app.security.password.max-concurrent-hashes': '4' };

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: { ...mails.settings, ...PLACES } });
  const rest = () => restClient(acme.world.deployment.url);

  /** A user whose hash has outdated parameters. */
  async function open(seed: Seed = {}) {
    const { database } = acme.world.deployment;
    const user = await caller(acme.world.deployment, { roles: ['SALES'], ...seed });
    const { account } = user;
    const id = idToBytes(account.id);
    const outdated = await argon2.hash(PASSWORD, OUTDATED);
    await database.execute('UPDATE accounts SET password_hash = ? WHERE id = ?', [outdated, id]);
    const login = () => rest().login({ username: account.username, password: PASSWORD });
    const hashOf = async () =>
      (await database.query('SELECT password_hash FROM accounts WHERE id = ?', [id]))[0]!['password_hash'];
    const renew = async () => replacePasswordHash(database, account, outdated, await argon2.hash(PASSWORD, CURRENT));
    /** Renews the hash while the password of a request is verified. */
    async function during<T>(request: () => Promise<T>): Promise<T> {
      const barrier = holdVerifications();
      const response = request();
      await barrier.reached(1);
      await renew();
      barrier.lift();
      return response;
    }
    return { user, account, login, renew, during, hashOf, outdated };
  }

  it('opens a session for each of several logins at once', async () => {
    const { login, hashOf, outdated } = await open();
    const responses = await Promise.all(Array.from({ length: 4 }, login));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await eventually(async () => expect(await hashOf()).not.toBe(outdated));
  });

  it('lets a login go on', async () => {
    const { login, during } = await open();
    expect((await during(login)).status).toBe(200);
  });

  it('lets a confirmation and a change of the password go on', async () => {
    const one = await open();
    expect((await one.during(() => one.user.post('/account/confirm', { password: PASSWORD }))).status).toBe(200);
    const other = await open();
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await other.during(() => other.user.put('/account/password', body))).status).toBe(204);
  });

  it('resets the failures after a right password that opens no session', async () => {
    const { account, login, during } = await open({ credentialsExpireAt: 1, loginFailedCount: 3 });
    expect(await during(login)).toMatchObject({ status: 401, body: { errorCode: 'credentials-expired' } });
    await eventually(async () => expect((await acme.admin.get(`/users/${account.id}`)).body.loginFailedCount).toBe(0));
  });

  it('does not end the link of a recovery', async () => {
    const email = `${newId()}@mail.test`;
    const { account, renew } = await open({ email });
    const request = () => rest().postJson('/api/v1/auth/recovery', { username: account.username });
    const token = await mails.tokenTo(email, request);
    await renew();
    const confirmed = await rest().postJson('/api/v1/auth/recovery/confirm', { token, newPassword: NEW_PASSWORD });
    expect(confirmed.status).toBe(204);
  });

  it('differs from another password, which refuses the login that it overtakes', async () => {
    const { account, login } = await open();
    const barrier = holdVerifications();
    const response = login();
    await barrier.reached(1);
    const path = `/users/${account.id}/password`;
    expect((await acme.admin.put(path, { password: NEW_PASSWORD })).status).toBe(200);
    barrier.lift();
    expect((await response).status).toBe(503);
  });
});
