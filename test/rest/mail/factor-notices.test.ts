// Notices: mails about changes of second factors.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { caller, callerWith } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { codeOf, CREDENTIALS, seedTotp, wrongCode } from '../../support/factors.ts';
import { mailFolder } from '../../support/mails.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { setUpTotp } from '../../support/totp.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { openAdministration } from '../admin/administration.ts';

rememberPasswords();

const ADDED = 'Your account of acme has a new second factor';
const REMOVED = 'A second factor of your account of acme was removed';
const LOCKED = 'The second factor of your account of acme is locked';
const AUTH = '/api/v1/auth';
const MAX_WRONG = 5;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: mails.settings });
  const newAddress = () => `${newId()}@mail.test`;
  const deployment = () => acme.world.deployment;
  const rest = () => restClient(deployment().url);
  const now = () => deployment().clock.now();
  /** Expects these mails and no other one that waits. */
  const expectMails = (email: string, subjects: readonly string[]) =>
    eventually(async () => {
      expect(await deployment().database.query('SELECT id FROM mails')).toEqual([]);
      expect(mails.to(email).map(({ subject }) => subject)).toEqual(subjects);
    });

  /** A user with a TOTP and a session. */
  async function openOwner() {
    const email = newAddress();
    const owner = await seedTotp(deployment(), { email });
    const { accessToken } = await seedSession(deployment(), owner.account);
    return { ...owner, email, user: callerWith(deployment().url, owner.account, bearer(accessToken)) };
  }

  it('tell the owner of an account that a factor was added', async () => {
    const email = newAddress();
    await setUpTotp(await caller(deployment(), { email }), { now });
    await expectMails(email, [ADDED]);
  });

  it('tell it also if a login has added the factor', async () => {
    const tenantId = `t-${newId().slice(-12)}`;
    const admin = await caller(deployment(), { tenantId, roles: ['TENANT_ADMIN'] });
    expect((await admin.patch(`/tenants/${tenantId}/policy`, { secondFactor: 'REQUIRED' })).status).toBe(200);
    const email = newAddress();
    const account = await acme.world.seed({ tenantId, roles: ['SALES'], email });
    const { challenge } = (await rest().postJson(`${AUTH}/login`, CREDENTIALS(account))).body;
    const asked = await rest().postJson(`${AUTH}/second-factor/enrolment`, { challenge, method: 'totp' });
    const answer = { challenge, totp: codeOf(asked.body.secret, now()) };
    expect((await rest().postJson(`${AUTH}/second-factor`, answer)).status).toBe(200);
    await expectMails(email, [`Your account of ${tenantId} has a new second factor`]);
  });

  it('tell it that a factor was removed', async () => {
    const { user, email } = await openOwner();
    expect((await user.delete('/account/factors/totp')).status).toBe(204);
    await expectMails(email, [REMOVED]);
  });

  it('tell it that an administrator has removed all factors, but not if there were none', async () => {
    const { account, email } = await openOwner();
    const reset = () => acme.admin.delete(`/users/${account.id}/factors`);
    expect([(await reset()).status, (await reset()).status]).toEqual([204, 204]);
    await expectMails(email, [REMOVED]);
  });

  it('tell it once that wrong codes have locked the second factor', async () => {
    const owner = await openOwner();
    const { challenge } = (await rest().postJson(`${AUTH}/login`, CREDENTIALS(owner.account))).body;
    const statuses: number[] = [];
    for (let tries = 0; tries < MAX_WRONG; tries += 1)
      statuses.push((await rest().postJson(`${AUTH}/second-factor`, { challenge, totp: wrongCode(owner) })).status);
    expect(statuses).toEqual(Array.from({ length: MAX_WRONG }, () => 401));
    const next = (await rest().postJson(`${AUTH}/login`, CREDENTIALS(owner.account))).body;
    const refused = await rest().postJson(`${AUTH}/second-factor`, { challenge: next.challenge, totp: owner.code() });
    expect(refused.status).toBe(423);
    await expectMails(owner.email, [LOCKED]);
  });
});
