// The pages in Debian's Firefox: a login, a second factor and a list.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PASSWORD, seedAccount } from '../../../test/support/accounts.ts';
import { codeAt } from '../../../test/support/totp.ts';
import { ENGINES } from '../../../test/support/databases.ts';
import { launchFirefox, type Firefox } from '../support/firefox.ts';
import { startSeededService, type SeededService } from '../support/seeded-service.ts';

const USERS = 25;

let firefox: Firefox;
let service: SeededService;

beforeAll(async () => {
  // One after the other: if the service cannot start, Firefox is still known, and ended.
  firefox = await launchFirefox();
  service = await startSeededService(ENGINES[0]!);
});
afterAll(async () => {
  await firefox?.close();
  await service?.close();
});

const showsText = (text: string) => document.body.innerText.includes(text);

it('logs in, sets up a second factor, logs in with it and pages through a list', async () => {
  const { database, clock } = service.deployment;
  const root = { username: 'root@firefox.test', tenantId: undefined, roles: ['SUPER_ADMIN'] };
  const { username } = await seedAccount(database, root);
  for (let index = 0; index < USERS; index += 1) await seedAccount(database, { roles: ['SALES'] });
  const logIn = async () => {
    await firefox.type('input[name=username]', username);
    await firefox.type('input[name=password]', PASSWORD);
    await firefox.click('button', 'Log in');
  };
  await firefox.open(`${service.origin}/account`);
  await logIn();
  await firefox.click('link', 'Set up app');
  const secret = await firefox.waitFor(() => document.querySelector('.secret code')?.textContent ?? '');
  await firefox.type('input[name=code]', codeAt(secret.replaceAll(' ', ''), clock.now()));
  await firefox.click('button', 'Set up app');
  await firefox.click('checkbox', 'I have saved these codes');
  await firefox.click('button', 'Continue');
  await firefox.waitFor(showsText, '10 left');

  await firefox.click('button', 'Log out');
  await firefox.waitFor(showsText, 'Log in');
  await firefox.open(`${service.origin}/login?return=/console/users?role=SALES`);
  await logIn();
  clock.advance(30_000);
  await firefox.type('input[name=code]', codeAt(secret.replaceAll(' ', ''), clock.now()));
  await firefox.click('button', 'Log in');
  await firefox.waitFor(showsText, `1–20 of ${USERS}`);
  await firefox.click('button', 'Next page');
  await firefox.waitFor(showsText, `21–${USERS} of ${USERS}`);
  expect(firefox.complaints).toEqual([]);
});
