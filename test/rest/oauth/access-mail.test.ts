// The mail about the first grant of an application that outlives the session.
import { describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { mailFolder } from '../../support/mails.ts';
import { openedServices, signedIn, type ServiceUser } from '../../support/oauth/service.ts';

rememberPasswords();

const OFFLINE = { scope: 'openid offline_access' };

describe.each(DIAGONAL)('the mail about access, $engine over $transport', (kind) => {
  const mails = mailFolder();
  const [service, second] = openedServices({ ...kind, settings: { 'app.mail.url': mails.settings['app.mail.url'] } });

  const mailsTo = ({ email }: ServiceUser) => mails.to(email);
  /** Waits for the mail of a second application, which comes after all mails of before. */
  const expectMails = async (user: ServiceUser, count: number) => {
    const last = await service.party({ name: 'Last' });
    await last.logIn(await signedIn(service, user), user, OFFLINE);
    await eventually(() => expect(mailsTo(user).some(({ subject }) => subject.startsWith('Last '))).toBe(true));
    const found = mailsTo(user).filter(({ subject }) => !subject.startsWith('Last '));
    expect(found.map(({ subject }) => subject)).toHaveLength(count);
    return found;
  };

  it('names the application, the account and the time, as text and HTML', async () => {
    const party = await service.party({ name: 'Wiki <b>&' });
    const user = await service.user();
    await party.logIn(await signedIn(service, user), user, OFFLINE);
    const [mail] = await expectMails(user, 1);
    const at = new Date(service.deployment.clock.now()).toISOString().slice(0, 10);
    expect(mail!.subject).toMatch(/^Wiki <b>& has access to your account of /);
    expect(mail!.text).toContain(`The application Wiki <b>& can act for the account ${user.username} of `);
    expect(mail!.text).toContain(at);
    expect(mail!.text).toContain('If this was not you, end its access on the page of your account');
    expect(mail!.html).toContain('Wiki &lt;b&gt;&amp; can act');
    expect(mail!.html).toContain('<html lang="en">');
    expect([mail!.token, mail!.text.includes('http')]).toEqual([undefined, false]);
  });

  it('is in the language of the tenant', async () => {
    const tenantId = `german-${kind.engine}`;
    const user = await service.user({ tenantId });
    const root = await service.root();
    expect((await root.patch(`/tenants/${tenantId}/policy`, { language: 'de' })).status).toBe(200);
    const party = await service.party({ tenantId });
    await party.logIn(await signedIn(service, user), user, OFFLINE);
    await eventually(() => expect(mailsTo(user)).toHaveLength(1));
    const [mail] = mailsTo(user);
    expect(mail!.subject).toMatch(/^Wiki hat Zugriff auf Ihr Konto von /);
    expect(mail!.text).toContain(`Die Anwendung Wiki kann für das Konto ${user.username} von `);
    expect(mail!.html).toContain('<html lang="de">');
  });

  it('is sent once for an application, also if codes are redeemed at two processes at once', async () => {
    const party = await service.party();
    const user = await service.user();
    const browser = await signedIn(service, user);
    const codes = [await party.signIn(browser, user, OFFLINE), await party.signIn(browser, user, OFFLINE)];
    const responses = await Promise.all(
      codes.map((code, index) => party.at(index === 0 ? service : second).redeem(code)),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    await party.logIn(browser, user, OFFLINE);
    await expectMails(user, 1);
  });

  it('is not sent for a grant of the session, or of a first party', async () => {
    const user = await service.user();
    const browser = await signedIn(service, user);
    await (await service.party()).logIn(browser, user);
    await (await service.party({ firstParty: true })).logIn(browser, user, OFFLINE);
    await expectMails(user, 0);
  });
});
