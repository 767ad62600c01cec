// The limits of mails that callers can request, over two processes with one database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { untilServed } from '../../support/at-once.ts';
import { callerWith } from '../../support/callers.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { mailFolder } from '../../support/mails.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { seedSession } from '../../support/sessions.ts';
import { seedAccount } from '../../support/accounts.ts';

const RECOVERY = '/api/v1/auth/recovery';
const OF_ACCOUNT = 5;
const OF_NETWORK = 300;
const OF_TENANT = 24;
const AT_ONCE = 30;
const newAddress = () => `${newId()}@mail.test`;
const from = (address: string) => ({ 'x-forwarded-for': address });

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const settings = {
    ...mails.settings,
    'app.http.trusted-proxies': '127.0.0.1',
    'app.mail.requests-per-tenant': String(OF_TENANT),
  };
  let first: Deployment;
  let second: Deployment;
  beforeAll(async () => {
    first = await deploy({ ...kind, settings });
    second = await deploy({ ...kind, settings, databaseUrl: first.databaseUrl, clock: first.clock });
  });
  afterAll(async () => {
    await second?.close();
    await first?.close();
  });

  const processOf = (index: number) => (index % 2 === 0 ? first : second);
  const noMailWaits = () =>
    eventually(async () => expect(await first.database.query('SELECT id FROM mails')).toEqual([]));
  const recover = (index: number, username: string, address: string) =>
    restClient(processOf(index).url).postJson(RECOVERY, { username }, from(address));

  async function openUser() {
    const email = newAddress();
    const account = await seedAccount(first.database, { username: `${newId()}@acme.test`, email });
    const { accessToken } = await seedSession(first, account);
    const change = (index: number, to: string, address: string) =>
      callerWith(processOf(index).url, account, bearer(accessToken)).put(
        '/account/email',
        { email: to },
        from(address),
      );
    return { email, username: account.username, change };
  }

  it('an account gets 5 recoveries, and 5 confirmations of an address', async () => {
    const { email, username, change } = await openUser();
    const recoveries = Array.from({ length: OF_ACCOUNT + 3 }, (_, index) =>
      recover(index, username, `198.51.100.${index}`),
    );
    expect((await Promise.all(recoveries)).map(({ status }) => status)).toEqual(recoveries.map(() => 202));
    const next = newAddress();
    const changes = Array.from({ length: OF_ACCOUNT + 3 }, (_, index) => change(index, next, `198.51.100.${index}`));
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(OF_ACCOUNT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(3);
    await noMailWaits();
    expect(mails.to(email)).toHaveLength(OF_ACCOUNT);
    expect(mails.to(next)).toHaveLength(OF_ACCOUNT);
  });

  it('a recovery ends when the other process changes the address at the same time', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each round has the limit of a tenant.
      const tenantId = `t-${newId()}`;
      const admin = await seedAccount(first.database, { tenantId, roles: ['ADMIN'] });
      const by = callerWith(second.url, admin, bearer((await seedSession(second, admin)).accessToken));
      const email = newAddress();
      const { id, username } = await seedAccount(first.database, {
        tenantId,
        username: `${newId()}@acme.test`,
        email,
      });
      const responses = await Promise.all([
        untilServed(() => recover(0, username, `192.0.2.${round}`)),
        untilServed(() => by.patch(`/users/${id}`, { email: newAddress() })),
      ]);
      expect(responses.map(({ status }) => status)).toEqual([202, 200]);
      await noMailWaits();
      for (const { token } of mails.to(email).filter((mail) => mail.token !== undefined))
        expect(
          await restClient(second.url).postJson(`${RECOVERY}/confirm`, { token, newPassword: 'a new long password' }),
        ).toMatchObject({ status: 400, body: { errorCode: 'mail-token-invalid' } });
    }
  });

  it('the users of a tenant get as many as the setting says, and as many with a login, over both processes', async () => {
    const tenantId = `t-${newId()}`;
    const people = await Promise.all(
      Array.from({ length: OF_TENANT + 2 }, () =>
        seedAccount(first.database, { tenantId, username: `${newId()}@t.test`, email: newAddress() }),
      ),
    );
    const recoveries = people.map(({ username }, index) => recover(index, username, `192.0.2.${100 + index}`));
    expect((await Promise.all(recoveries)).every(({ status }) => status === 202)).toBe(true);
    await noMailWaits();
    expect(people.flatMap(({ email }) => mails.to(email!))).toHaveLength(OF_TENANT);
    const change = async (index: number) => {
      const user = people[index]!;
      const by = callerWith(processOf(index).url, user, bearer((await seedSession(second, user)).accessToken));
      return untilServed(() => by.put('/account/email', { email: newAddress() }, from('192.0.2.99')));
    };
    const changes = await Promise.all(Array.from({ length: OF_TENANT }, (_, index) => change(index)));
    expect(changes.map(({ status }) => status)).toEqual(changes.map(() => 202));
    const refused = await change(OF_TENANT);
    expect(refused).toMatchObject({ status: 429, body: { errorCode: 'too-many-requests' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    // Another tenant has a limit of its own.
    const { email, username } = await openUser();
    await mails.tokenTo(email, () => recover(1, username, '192.0.2.98'));
  });

  it('a network can request 300 mails an hour', async () => {
    const network = '203.0.113.9';
    const requestMails = async () => {
      const requests = Array.from({ length: AT_ONCE }, (_, index) => recover(index, newId(), network));
      expect((await Promise.all(requests)).every(({ status }) => status === 202)).toBe(true);
    };
    await requestMails();
    // As if it had requested all but the last ones.
    const counted = await first.database.execute(
      "UPDATE rate_limits SET points = points + ? WHERE CAST(`key` AS CHAR) LIKE 'mail-network:%203.0.113.9%' AND points = ?",
      [OF_NETWORK - 2 * AT_ONCE, AT_ONCE],
    );
    expect(counted).toBe(1);
    await requestMails();
    const { email, username, change } = await openUser();
    expect((await recover(1, username, network)).status).toBe(202);
    const next = newAddress();
    const refused = await change(1, next, network);
    expect(refused).toMatchObject({ status: 429, body: { errorCode: 'too-many-requests' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    await noMailWaits();
    expect([...mails.to(email), ...mails.to(next)]).toEqual([]);
    await mails.tokenTo(email, () => recover(0, username, '203.0.113.10'));
    await mails.tokenTo(next, () => change(0, next, '203.0.113.10'));
  });
});
