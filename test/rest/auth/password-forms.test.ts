// The forms of one password in Unicode (RFC 8265, section 4.2): wherever it is set, and wherever it is checked.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as argon2 from 'argon2';
import { beforeAll, describe, expect, it } from 'vitest';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { countVerifications, rememberPasswords } from '../../support/argon2.ts';
import { caller, callerWith, type Caller } from '../../support/callers.ts';
import { deploy, DIAGONAL, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { mailFolder } from '../../support/mails.ts';
import { bearer, restClient, sessionOf } from '../../support/rest-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openAdministration } from '../admin/administration.ts';

rememberPasswords();

const COMPOSED = 'Crème brûlée für 42 Ångström'.normalize('NFC');
/** As macOS types it. */
const DECOMPOSED = COMPOSED.normalize('NFD');
/** With no-break and ideographic spaces. */
const OTHER_BLANKS = COMPOSED.replaceAll(' ', '\u00A0').replace('\u00A0', '\u3000');
/** Of hashes of this service. */
const PARAMETERS = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const FORMS = [COMPOSED, DECOMPOSED, OTHER_BLANKS];

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: mails.settings });
  const rest = () => restClient(acme.world.deployment.url);
  const login = async (username: string, password: string) => (await rest().login({ username, password })).status;
  const statuses = async (username: string) => Promise.all(FORMS.map((form) => login(username, form)));

  /** Sets a password, and returns the username. */
  type SetPassword = (password: string) => Promise<string>;
  const address = () => `${newId()}@mail.test`;
  const user = (more: object = {}) => ({ username: `${newId()}@acme.test`, name: 'Ann', roles: ['SALES'], ...more });
  const owner = async (more: object = {}): Promise<Caller> =>
    caller(acme.world.deployment, { roles: ['SALES'], ...more });
  const places: readonly [place: string, set: SetPassword][] = [
    [
      'a new user',
      async (password) => {
        const body = user({ password });
        expect((await acme.admin.post('/users', body)).status).toBe(201);
        return body.username;
      },
    ],
    [
      'an administrator',
      async (password) => {
        const { id, username } = (await owner()).account;
        expect((await acme.admin.put(`/users/${id}/password`, { password })).status).toBe(200);
        return username;
      },
    ],
    [
      'the user',
      async (newPassword) => {
        const by = await owner();
        expect((await by.put('/account/password', { currentPassword: PASSWORD, newPassword })).status).toBe(204);
        return by.account.username;
      },
    ],
    [
      'a recovery',
      async (newPassword) => {
        const email = address();
        const { username } = (await owner({ email })).account;
        const token = await mails.tokenTo(email, () => rest().postJson('/api/v1/auth/recovery', { username }));
        const response = await rest().postJson('/api/v1/auth/recovery/confirm', { token, newPassword });
        expect(response.status).toBe(204);
        return username;
      },
    ],
    [
      'an invitation',
      async (password) => {
        const body = { ...user({ invite: true }), email: address() };
        const token = await mails.tokenTo(body.email, () => acme.admin.post('/users', body));
        expect((await rest().postJson('/api/v1/auth/invitation/confirm', { token, password })).status).toBe(204);
        return body.username;
      },
    ],
  ];

  describe.each(places)('a password that is set by %s', (_place, set) => {
    it.each(FORMS)('as %j is right in each form', async (form) => {
      expect(await statuses(await set(form))).toEqual([200, 200, 200]);
    });
  });

  it('is right in each form to confirm a session and to change the password', async () => {
    const body = user({ password: COMPOSED });
    await acme.admin.post('/users', body);
    for (const form of FORMS) {
      const { accessToken } = sessionOf(await rest().login({ username: body.username, password: form }));
      const own = callerWith(acme.world.deployment.url, acme.admin.account, bearer(accessToken));
      expect((await own.post('/account/confirm', { password: form })).status).toBe(200);
      const changed = await own.put('/account/password', { currentPassword: form, newPassword: `${form} 2` });
      expect(changed.status).toBe(204);
      const again = sessionOf(await rest().login({ username: body.username, password: `${COMPOSED} 2` }));
      const back = callerWith(acme.world.deployment.url, acme.admin.account, bearer(again.accessToken));
      const kept = await back.put('/account/password', { currentPassword: `${form} 2`, newPassword: COMPOSED });
      expect(kept.status).toBe(204);
    }
  });

  it('refuses the current password in another form as the new one', async () => {
    const by = await owner();
    const other = PASSWORD.replaceAll(' ', '\u00A0');
    const response = await by.put('/account/password', { currentPassword: PASSWORD, newPassword: other });
    expect(response).toMatchObject({ status: 400, body: { violations: [{ format: 'password-policy' }] } });
  });

  it('accepts an earlier hash of the text as sent, and renews it', async () => {
    const { account } = await owner();
    const { database } = acme.world.deployment;
    const id = idToBytes(account.id);
    const earlier = await argon2.hash(DECOMPOSED, PARAMETERS);
    await database.execute('UPDATE accounts SET password_hash = ? WHERE id = ?', [earlier, id]);
    expect(await login(account.username, COMPOSED)).toBe(401);
    expect(await login(account.username, DECOMPOSED)).toBe(200);
    await eventually(async () => {
      const [row] = await database.query('SELECT password_hash FROM accounts WHERE id = ?', [id]);
      expect(row).not.toEqual({ password_hash: earlier });
    });
    expect(await statuses(account.username)).toEqual([200, 200, 200]);
  });

  it('counts one wrong password for a text with two forms', async () => {
    const { account } = await owner();
    for (let attempt = 1; attempt <= 4; attempt += 1) expect(await login(account.username, DECOMPOSED)).toBe(401);
    expect((await acme.admin.get(`/users/${account.id}`)).body.loginFailedCount).toBe(4);
    expect(await login(account.username, PASSWORD)).toBe(200);
  });
});

describe.each(['minimal', 'maximal'])('under %s disclosure', (mode) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy({ ...ON_SQLITE[0], settings: { 'app.api.error-disclosure.mode': mode } });
    return () => deployment.close();
  });

  it.each([
    ['one form', 'A wrong password', 1],
    ['two forms', DECOMPOSED, 2],
  ])('a text with %s costs the same for all accounts with a password', async (_, password, hashes) => {
    const rest = restClient(deployment.url);
    const { account } = await caller(deployment, { roles: ['SALES'] });
    const other = await caller(deployment, { roles: ['SALES'] });
    const change = 'UPDATE accounts SET password_hash = ? WHERE id = ?';
    const right = await argon2.hash(password.normalize('NFC'), PARAMETERS);
    await deployment.database.execute(change, [right, idToBytes(other.account.id)]);
    const disabled = await caller(deployment, { roles: ['SALES'], disabled: true });
    const count = countVerifications();
    const costs: number[] = [];
    const names = [account.username, other.account.username];
    // Under maximal disclosure, the response tells these apart anyway.
    if (mode === 'minimal') names.push('nobody@acme.test', disabled.account.username);
    for (const username of names) {
      const before = count();
      await rest.login({ username, password });
      costs.push(count() - before);
    }
    expect(costs).toEqual(names.map(() => hashes));
  });
});

it('is right in each form if a bootstrap file sets it', async () => {
  const path = join(temporaryFolder('bootstrap-'), 'bootstrap.yaml');
  writeFileSync(path, JSON.stringify({ superAdmins: [{ username: 'root', password: DECOMPOSED }] }), { mode: 0o600 });
  const deployment = await deploy({ ...ON_SQLITE[0], settings: { 'app.bootstrap.file': path } });
  try {
    for (const password of FORMS)
      expect((await restClient(deployment.url).login({ username: 'root', password })).status).toBe(200);
  } finally {
    await deployment.close();
  }
});
