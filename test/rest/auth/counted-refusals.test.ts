// Refusals are bounded audit records for any number of requests: without an account one per network, kind and minute; of an
// account five per kind and minute, and one for the others.
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { AuditServiceService } from '../../../proto/gen/authservice/audit/v1/audit_service.ts';
import { generateApiKey } from '../../../src/auth/api-key/key-format.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount } from '../../support/accounts.ts';
import { createTestDatabase, ENGINES } from '../../support/databases.ts';
import { deploy, type Deployment, type DeploymentOptions } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';
import { rememberPasswords } from '../../support/argon2.ts';

rememberPasswords();

const MINUTE_MS = 60_000;
const NETWORK = '203.0.113.7';

interface Row {
  event: string;
  client_address: string;
  request_id: string;
  account_id: Uint8Array | null;
  tenant_id: Uint8Array;
  details: string;
  at: number;
}

// Not those of the seal, which a job sets meanwhile.
const COLUMNS = 'event, client_address, request_id, account_id, tenant_id, details, at';

describe.each(ENGINES)('%s', (engine) => {
  const open: { close(): Promise<void> }[] = [];
  const start = async (options: Partial<DeploymentOptions> = {}) => {
    const settings = {
      'app.http.trusted-proxies': '127.0.0.1',
      'app.security.api-key.enabled': 'true',
      ...options.settings,
    };
    const deployment = await deploy({ engine, transport: 'grpc', ...options, settings });
    open.push(deployment);
    return deployment;
  };
  afterEach(async () => {
    for (const { close } of open.splice(0).toReversed()) await close();
  });

  const rowsOf = async ({ database }: Pick<Deployment, 'database'>) =>
    (await database.query<Row>(`SELECT ${COLUMNS} FROM audit_records ORDER BY client_address, details`)).map((row) => ({
      event: row.event,
      network: row.client_address,
      ...JSON.parse(row.details),
    }));
  const endOfMinute = ({ clock }: Deployment) => clock.advance(MINUTE_MS - (clock.now() % MINUTE_MS));
  const storedAfterMinute = async (deployment: Deployment) => {
    endOfMinute(deployment);
    await deployment.core.flush();
    return rowsOf(deployment);
  };
  const from = (address: string) => ({ 'x-forwarded-for': address });

  /** One refusal of each kind. */
  const refuseAll = async ({ url }: Deployment, address = NETWORK) => {
    const rest = restClient(url);
    const responses = [
      await rest.login({ username: randomUUID(), password: 'x' }, from(address)),
      await rest.refresh('MY_SHOP_REFRESH=garbage', from(address)),
      await tokenClient(url).byForm({ id: randomUUID(), secret: 'x' }, from(address)),
      await rest.send('GET', '/api/v1/account/sessions', {
        headers: { 'x-api-key': generateApiKey().key, ...from(address) },
      }),
      await rest.send('GET', '/api/v1/account/sessions', { headers: { 'x-api-key': 'garbage', ...from(address) } }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
  };

  it.each(['maximal', 'minimal'])('are one audit record per network, kind and minute: %s', async (mode) => {
    const deployment = await start({ settings: { 'app.api.error-disclosure.mode': mode } });
    endOfMinute(deployment);
    const minute = new Date(deployment.clock.now()).toISOString();
    for (let i = 0; i < 3; i += 1) await refuseAll(deployment);
    await refuseAll(deployment, '2001:db8::1');
    await refuseAll(deployment, '2001:db8::2');
    await deployment.core.flush();
    expect(await rowsOf(deployment)).toEqual([]);
    const ofNetwork = (network: string, count: number) => [
      { event: 'refusals.counted', network, kind: 'api-key', minute, count: 2 * count },
      { event: 'refusals.counted', network, kind: 'client-id', minute, count },
      { event: 'refusals.counted', network, kind: 'refresh-token', minute, count },
      { event: 'refusals.counted', network, kind: 'username', minute, count },
    ];
    const first = await storedAfterMinute(deployment);
    expect(first).toEqual([...ofNetwork('2001:db8:0:0::/64', 2), ...ofNetwork(NETWORK, 3)]);
    await refuseAll(deployment);
    expect(await storedAfterMinute(deployment)).toHaveLength(12);
  });

  it('are stored when the service stops', async () => {
    const shared = await createTestDatabase(engine);
    const deployment = await start({ databaseUrl: shared.url });
    await refuseAll(deployment);
    await Promise.all(open.splice(0).map(({ close }) => close()));
    expect((await rowsOf(shared)).map(({ kind, count }) => [kind, count])).toEqual([
      ['api-key', 2],
      ['client-id', 1],
      ['refresh-token', 1],
      ['username', 1],
    ]);
    await shared.drop();
  });

  it('are stored later if the database fails at first', async () => {
    const lines: string[] = [];
    const deployment = await start({ log: { write: (line) => void lines.push(line) } });
    await refuseAll(deployment);
    await deployment.database.execute('ALTER TABLE audit_records RENAME TO hidden_records');
    endOfMinute(deployment);
    await expect.poll(() => lines.join('')).toContain('refusals could not be stored');
    await deployment.database.execute('ALTER TABLE hidden_records RENAME TO audit_records');
    await expect.poll(async () => (await rowsOf(deployment)).length).toBe(4);
  });

  it('are counted by each process separately', async () => {
    const shared = await createTestDatabase(engine);
    const first = await start({ databaseUrl: shared.url });
    const second = await start({ databaseUrl: shared.url, clock: first.clock });
    await restClient(first.url).refresh('MY_SHOP_REFRESH=garbage', from(NETWORK));
    await restClient(second.url).refresh('MY_SHOP_REFRESH=garbage', from(NETWORK));
    await storedAfterMinute(first);
    const rows = await storedAfterMinute(second);
    expect(rows.map(({ network, count }) => [network, count])).toEqual([
      [NETWORK, 1],
      [NETWORK, 1],
    ]);
    await Promise.all(open.splice(0).map(({ close }) => close()));
    await shared.drop();
  });

  it('are listed for a SUPER_ADMIN only', async () => {
    const deployment = await start();
    const root = await seedAccount(deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const admin = await seedAccount(deployment.database, { roles: ['ADMIN'] });
    await refuseAll(deployment);
    expect(await storedAfterMinute(deployment)).toHaveLength(4);
    const audit = deployment.client(AuditServiceService);
    const listed = async (username: string) => {
      const { accessToken } = await restClient(deployment.url).open(username);
      const authorization = [`Bearer ${accessToken}`];
      return (await audit.listAuditRecords({ events: ['refusals.counted'] }, { authorization })).records;
    };
    expect(await listed(admin.username)).toEqual([]);
    const [record, ...others] = await listed(root.username);
    expect(others).toHaveLength(3);
    expect(record).toMatchObject({ event: 'refusals.counted', clientAddress: NETWORK, requestId: '' });
    expect(record!.tenantId).toBeUndefined();
  });

  describe('of a known account', () => {
    const TIMES = 12;

    /** What a client can present any number of times, and the reason by which it is refused. */
    const presentations: [kind: string, event: string, reason: string, prepare: Prepare][] = [
      [
        'refresh-token',
        'session.refresh-refused',
        'the session is revoked',
        async ({ deployment }) => {
          const account = await seedAccount(deployment.database);
          const { cookie, accessToken } = await seedSession(deployment, account);
          await restClient(deployment.url).logout({ accessToken });
          return { account, present: () => restClient(deployment.url).refresh(cookie, from(NETWORK)) };
        },
      ],
      [
        'api-key',
        'api-key.refused',
        'the API key is revoked',
        async ({ deployment, admin }) => {
          const { account } = await seedClient(deployment.database);
          const rest = restClient(deployment.url);
          const keys = `/api/v1/service-accounts/${account.id}/api-keys`;
          const { keyId, apiKey } = (await rest.postJson(keys, { label: 'one' }, admin)).body;
          await rest.send('DELETE', `${keys}/${keyId}`, { headers: admin });
          const headers = { 'x-api-key': apiKey, ...from(NETWORK) };
          return { account, present: () => rest.send('GET', '/api/v1/account/sessions', { headers }) };
        },
      ],
      [
        'client-id',
        'client.authentication-failed',
        'wrong-secret',
        async ({ deployment }) => {
          const client = await seedClient(deployment.database);
          const wrong = { ...client, secret: 'wrong' };
          return { account: client.account, present: () => tokenClient(deployment.url).byForm(wrong, from(NETWORK)) };
        },
      ],
      [
        'username',
        'login.failed',
        'ACCOUNT_LOCKED',
        async ({ deployment }) => {
          const lock = { loginFailedCount: 5, lockedUntil: deployment.clock.now() + 10 * MINUTE_MS };
          const account = await seedAccount(deployment.database, lock);
          const attempt = { username: account.username, password: 'x' };
          return { account, present: () => restClient(deployment.url).login(attempt, from(NETWORK)) };
        },
      ],
    ];

    // The disclosure does not matter to the statements.
    const modes = engine === 'sqlite' ? ['maximal', 'minimal'] : ['minimal'];
    it.each(presentations.flatMap((each) => modes.map((mode) => [mode, ...each] as const)))(
      'are five single records a minute, then one count: %s, %s',
      async (mode, kind, event, reason, prepare) => {
        const deployment = await start({
          settings: { 'app.api.error-disclosure.mode': mode, 'app.security.m2m.rate-limit.store': 'none' },
        });
        const admin = authorization(deployment, await seedAccount(deployment.database, { roles: ['ADMIN'] }));
        const { account, present } = await prepare({ deployment, admin: await admin });
        endOfMinute(deployment);
        const minute = new Date(deployment.clock.now()).toISOString();
        for (let i = 0; i < TIMES; i += 1) expect((await present()).status).toBeGreaterThanOrEqual(401);
        await deployment.core.flush();
        const rows = async () =>
          (await deployment.database.query<Row>(`SELECT ${COLUMNS} FROM audit_records ORDER BY id`))
            .filter((row) => row.event === event || row.event === 'refusals.counted')
            .map((row) => ({ ...row, details: JSON.parse(row.details) }));
        const singles = await rows();
        expect(singles).toHaveLength(5);
        endOfMinute(deployment);
        await deployment.core.flush();
        const all = await rows();
        expect(all.slice(0, 5)).toEqual(singles);
        expect(all.slice(5)).toMatchObject([
          { event: 'refusals.counted', client_address: NETWORK, details: { kind, reason, minute, count: TIMES - 5 } },
        ]);
        for (const row of all) {
          expect(Buffer.from(row.account_id!)).toEqual(idToBytes(account.id));
          expect(Buffer.from(row.tenant_id).toString()).toBe('acme');
        }
        await present();
        await deployment.core.flush();
        expect(await rows()).toHaveLength(7);
      },
    );

    it('are stored when the service stops, counts included', async () => {
      const shared = await createTestDatabase(engine);
      const deployment = await start({ databaseUrl: shared.url });
      const client = await seedClient(shared.database);
      for (let i = 0; i < TIMES; i += 1) await tokenClient(deployment.url).byForm({ ...client, secret: 'wrong' });
      await Promise.all(open.splice(0).map(({ close }) => close()));
      const stored = (await rowsOf(shared)).map((row) => `${row.event} ${row.count ?? 0}`);
      expect(stored.toSorted((a, b) => a.localeCompare(b))).toEqual([
        ...Array<string>(5).fill('client.authentication-failed 0'),
        `refusals.counted ${TIMES - 5}`,
      ]);
      await shared.drop();
    });

    it('are single records for each wrong password that was evaluated', async () => {
      const deployment = await start({ settings: { 'app.security.lockout.max-failures': '20' } });
      const { username } = await seedAccount(deployment.database);
      const rest = restClient(deployment.url);
      for (let i = 0; i < TIMES; i += 1) await rest.login({ username, password: 'wrong' }, from(NETWORK));
      const stored = await storedAfterMinute(deployment);
      expect(stored.map((row) => `${row.event} ${row.reason}`)).toEqual(
        Array<string>(TIMES).fill('login.failed BAD_CREDENTIALS'),
      );
    });
  });
});

type Prepare = (given: { deployment: Deployment; admin: Record<string, string> }) => Promise<{
  readonly account: Account;
  readonly present: () => Promise<{ readonly status: number }>;
}>;

async function authorization(deployment: Deployment, account: Account): Promise<Record<string, string>> {
  return { authorization: `Bearer ${(await seedSession(deployment, account)).accessToken}` };
}
