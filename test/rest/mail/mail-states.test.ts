// What administrators see of the mails with links: their state, their language, and a link instead of a mail.
import { describe, expect, it } from 'vitest';
import { createOutboxStore } from '../../../src/auth/mail/outbox-store.ts';
import { hexToId, newId } from '../../../src/platform/db/ids.ts';
import { API, caller, faults } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { mailFolder, PUBLIC_URL } from '../../support/mails.ts';
import { restClient } from '../../support/rest-client.ts';
import { openAdministration, TIME } from '../admin/administration.ts';

const PASSWORD = 'a long first password';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: mails.settings });
  const newAddress = () => `${newId()}@mail.test`;
  const draft = (more: object = {}) => ({ username: newAddress(), name: 'Ann', roles: ['SALES'], ...more });
  const get = async (id: string) => (await acme.admin.get(`/users/${id}`)).body;
  const listed = async (username: string) => (await acme.admin.get(`/users?query=${username}`)).body[0];
  const confirm = (token: string) =>
    restClient(acme.world.deployment.url).postJson(`${API}/auth/invitation/confirm`, { token, password: PASSWORD });
  const login = (username: string) => restClient(acme.world.deployment.url).login({ username, password: PASSWORD });
  /** Gives the mails of the outbox up, as the job does if a server refuses their receiver. */
  const refuse = (at: number) =>
    acme.world.deployment.database.execute('UPDATE mails SET next_at = NULL, expires_at = ?', [at]);
  const invite = async (more: object = {}) => {
    const email = newAddress();
    const { status, body } = await acme.admin.post('/users', draft({ email, invite: true, ...more }));
    expect(status).toBe(201);
    return body;
  };

  describe('of an invitation', () => {
    it('is queued, then sent, then unknown', async () => {
      const { id, username, email, invitationMail } = await invite();
      expect(invitationMail).toBe('QUEUED');
      await eventually(async () => expect((await get(id)).invitationMail).toBe('SENT'));
      expect((await listed(username)).invitationMail).toBe('SENT');
      expect(mails.to(email)).toHaveLength(1);
      await confirm(mails.to(email)[0]!.token!);
      expect(await get(id)).toMatchObject({ emailVerified: true });
      expect((await get(id)).invitationMail).toBeUndefined();
    });

    it('is refused if the mail was given up, until another one is sent', async () => {
      const { id, username } = await invite();
      await eventually(async () => expect((await get(id)).invitationMail).toBe('SENT'));
      // The row of a mail that was given up stays.
      const { database, clock } = acme.world.deployment;
      const [token] = await database.query<{ mail_id: Uint8Array }>(
        'SELECT mail_id FROM mail_tokens WHERE mail_id IS NOT NULL ORDER BY mail_id DESC LIMIT 1',
      );
      const now = clock.now();
      await database.execute(
        `INSERT INTO mails (tenant_id, id, template, encrypted, created_at, give_up_at, expires_at)
          VALUES (?, ?, 'invitation', ?, ?, ?, ?)`,
        [Buffer.from('acme'), token!.mail_id, Buffer.from('x'), now, now, now + 1000],
      );
      expect((await get(id)).invitationMail).toBe('REFUSED');
      expect((await listed(username)).invitationMail).toBe('REFUSED');
      await database.execute('UPDATE mails SET next_at = give_up_at + 86400000, expires_at = NULL');
      expect((await get(id)).invitationMail).toBe('QUEUED');
      await refuse(now + 1000);
      // An operator deletes it: it was not sent.
      const mailId = hexToId(Buffer.from(token!.mail_id).toString('hex'));
      expect(await createOutboxStore(database).removeDead(mailId)).toBe(true);
      expect((await get(id)).invitationMail).toBeUndefined();
      expect((await acme.admin.post(`/users/${id}/invite`)).status).toBe(202);
      await eventually(async () => expect((await get(id)).invitationMail).toBe('SENT'));
      await acme.admin.delete(`/users/${id}/invite`);
      expect((await get(id)).invitationMail).toBeUndefined();
    });
  });

  it('shows the state of the mail of a recovery', async () => {
    const { id } = await acme.world.seed({ email: newAddress() });
    expect((await get(id)).recoveryMail).toBeUndefined();
    await acme.admin.post(`/users/${id}/recovery`);
    await eventually(async () => expect((await get(id)).recoveryMail).toBe('SENT'));
    expect((await get(id)).invitationMail).toBeUndefined();
  });

  describe('a link of an invitation', () => {
    const linkOf = (id: string, body: object = {}) => acme.admin.post(`/users/${id}/invitation-link`, body);
    const tokenOf = (link: string) => /#token=([\w-]{43})$/.exec(link)![1]!;

    it('is shown once, replaces the mail, and does not prove the address', async () => {
      const created = await invite();
      const { id, email, username } = created;
      await eventually(() => expect(mails.to(email)).toHaveLength(1));
      const shown = await linkOf(id, { reason: 'ticket 4711' });
      expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(shown.body).toEqual({ link: expect.stringContaining(`${PUBLIC_URL}/invite#token=`), expiresAt: TIME });
      expect((await get(id)).invitationMail).toBe('NONE');
      expect((await confirm(mails.to(email)[0]!.token!)).status).toBe(400);
      expect((await confirm(tokenOf(shown.body.link))).status).toBe(204);
      expect(await get(id)).toMatchObject({ state: 'ENABLED', emailVerified: false });
      expect((await login(username)).status).toBe(200);
      expect(mails.to(email)).toHaveLength(1);
      const { body } = await acme.admin.get(`/audit-records?accountId=${id}&events=account.invited`);
      expect(body.map(({ details }: { details: object }) => details)).toEqual([
        { link: 'shown', reason: 'ticket 4711' },
        {},
      ]);
      expect(JSON.stringify(body)).not.toContain(tokenOf(shown.body.link));
      expect(await linkOf(id)).toMatchObject({ status: 409, body: { errorCode: 'conflict' } });
    });

    it('ends with the mail of a later invitation, whose link proves the address', async () => {
      const { id, email } = await invite();
      await eventually(() => expect(mails.to(email)).toHaveLength(1));
      const { link } = (await linkOf(id)).body;
      const newest = await mails.tokenTo(email, () => acme.admin.post(`/users/${id}/invite`));
      expect((await confirm(tokenOf(link))).status).toBe(400);
      expect((await confirm(newest)).status).toBe(204);
      expect((await get(id)).emailVerified).toBe(true);
    });

    it('needs no address, and is in the results of several invitations', async () => {
      const [named, addressed] = [newId(), newAddress()];
      const users = [named, addressed, 'x'].map((username) => ({
        username,
        roles: username === 'x' ? ['BOSS'] : ['SALES'],
      }));
      const { status, body, headers } = await acme.admin.post('/users/invitations', { users, link: true });
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(body.map(({ link }: { link?: string }) => typeof link)).toEqual(['string', 'string', 'undefined']);
      expect([body[0].user.email, body[1].user.email]).toEqual([undefined, addressed]);
      expect(body.map(({ user }: { user?: { invitationMail: string } }) => user?.invitationMail)).toEqual([
        'NONE',
        'NONE',
        undefined,
      ]);
      expect((await confirm(tokenOf(body[0].link))).status).toBe(204);
      expect((await login(named)).status).toBe(200);
      expect((await linkOf(body[1].user.id)).body.link).not.toBe(body[1].link);
      expect((await confirm(tokenOf(body[1].link))).status).toBe(400);
      expect(mails.to(addressed)).toEqual([]);
    });

    it('is for those who may set the password of the user', async () => {
      const { id } = await invite();
      const helper = await caller(acme.world.deployment, { roles: ['HELP_DESK'] });
      const stranger = await caller(acme.world.deployment, { tenantId: 'globex', roles: ['ADMIN'] });
      expect((await helper.post(`/users/${id}/invitation-link`)).status).toBe(403);
      expect((await stranger.post(`/users/${id}/invitation-link`)).status).toBe(404);
      const { id: root } = await acme.world.seed({ tenantId: undefined, roles: ['SUPER_ADMIN'], hasPassword: false });
      expect((await acme.root.post(`/users/${root}/invitation-link`)).status).toBe(409);
      const { id: disabled } = await acme.world.seed({ hasPassword: false, disabled: true });
      expect((await linkOf(disabled)).status).toBe(409);
      expect(faults(await linkOf(id, { reason: 'x'.repeat(501) }))).toEqual(['reason']);
    });
  });

  it('sends a mail in the language of the request, else in that of the tenant', async () => {
    const subjectOf = async (address: string, act: () => Promise<{ status: number }>) => {
      const count = mails.to(address).length;
      expect((await act()).status).toBeLessThan(300);
      return eventually(() => {
        expect(mails.to(address).length).toBeGreaterThan(count);
        return mails.to(address).at(-1)!.subject;
      });
    };
    const email = newAddress();
    const created = () => acme.admin.post('/users', draft({ username: email, email, invite: true, language: 'de' }));
    expect(await subjectOf(email, created)).toBe('Einladung zu acme');
    const { id } = await listed(email);
    const again = (body: object) => () => acme.admin.post(`/users/${id}/invite`, body);
    expect(await subjectOf(email, again({}))).toBe('Invitation to acme');
    expect(await subjectOf(email, again({ language: 'de' }))).toBe('Einladung zu acme');
    const other = newAddress();
    const users = [{ username: other, roles: ['SALES'] }];
    const several = () => acme.admin.post('/users/invitations', { users, language: 'de' });
    expect(await subjectOf(other, several)).toBe('Einladung zu acme');
    const known = newAddress();
    const user = await acme.world.seed({ email: known });
    const recovery = (body: object) => () => acme.admin.post(`/users/${user.id}/recovery`, body);
    const english = await subjectOf(known, recovery({}));
    expect(await subjectOf(known, recovery({ language: 'de' }))).not.toBe(english);
    expect(faults(await acme.admin.post(`/users/${user.id}/recovery`, { language: 'fr' }))).toEqual(['language']);
  });
});
