// Rejections without an account or a key: one audit record per network, kind and minute, for any number of requests.
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { TenancyServiceService } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { generateApiKey } from '../../../src/api-key/key-format.ts';
import { seedAccount } from '../../support/accounts.ts';
import { createTestDatabase, ENGINES } from '../../support/databases.ts';
import { deploy, type Deployment, type DeploymentOptions } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';
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
    (await database.query<Row>('SELECT * FROM audit_records ORDER BY client_address, details')).map((row) => ({
      event: row.event,
      network: row.client_address,
      ...JSON.parse(row.details),
    }));
  const endOfMinute = ({ clock }: Deployment) => clock.advance(MINUTE_MS - (clock.now() % MINUTE_MS));
  const storedAfterMinute = async (deployment: Deployment, rows: number) => {
    endOfMinute(deployment);
    await expect.poll(async () => (await rowsOf(deployment)).length, { timeout: 5_000 }).toBe(rows);
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
      await rest.send('GET', '/api/v1/products', { headers: { 'x-api-key': generateApiKey().key, ...from(address) } }),
      await rest.send('GET', '/api/v1/products', { headers: { 'x-api-key': 'garbage', ...from(address) } }),
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
    expect(await rowsOf(deployment)).toEqual([]);
    const ofNetwork = (network: string, count: number) => [
      { event: 'refusals.counted', network, kind: 'api-key', minute, count: 2 * count },
      { event: 'refusals.counted', network, kind: 'client-id', minute, count },
      { event: 'refusals.counted', network, kind: 'refresh-token', minute, count },
      { event: 'refusals.counted', network, kind: 'username', minute, count },
    ];
    const first = await storedAfterMinute(deployment, 8);
    expect(first).toEqual([...ofNetwork('2001:db8:0:0::/64', 2), ...ofNetwork(NETWORK, 3)]);
    await refuseAll(deployment);
    expect(await storedAfterMinute(deployment, 12)).toHaveLength(12);
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
    await expect.poll(() => lines.join(''), { timeout: 5_000 }).toContain('counted refusals could not be stored');
    await deployment.database.execute('ALTER TABLE hidden_records RENAME TO audit_records');
    await expect.poll(async () => (await rowsOf(deployment)).length, { timeout: 5_000 }).toBe(4);
  });

  it('are counted by each process separately', async () => {
    const shared = await createTestDatabase(engine);
    const first = await start({ databaseUrl: shared.url });
    const second = await start({ databaseUrl: shared.url, clock: first.clock });
    await restClient(first.url).refresh('MY_SHOP_REFRESH=garbage', from(NETWORK));
    await restClient(second.url).refresh('MY_SHOP_REFRESH=garbage', from(NETWORK));
    const rows = await storedAfterMinute(first, 2);
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
    await storedAfterMinute(deployment, 4);
    const tenancy = deployment.client(TenancyServiceService);
    const listed = async (username: string) => {
      const { accessToken } = await restClient(deployment.url).open(username);
      const authorization = [`Bearer ${accessToken}`];
      return (await tenancy.listAuditRecords({ events: ['refusals.counted'] }, { authorization })).records;
    };
    expect(await listed(admin.username)).toEqual([]);
    const [record, ...others] = await listed(root.username);
    expect(others).toHaveLength(3);
    expect(record).toMatchObject({ event: 'refusals.counted', clientAddress: NETWORK, requestId: '' });
    expect(record!.tenantId).toBeUndefined();
  });

  it('do not replace the single records of refusals of an account or a key', async () => {
    const deployment = await start();
    const { database, url } = deployment;
    const user = await seedAccount(database);
    const client = await seedClient(database);
    await restClient(url).login({ username: user.username, password: 'wrong' }, from(NETWORK));
    await tokenClient(url).byForm({ ...client, secret: 'wrong' }, from(NETWORK));

    const admin = await restClient(url).open((await seedAccount(database, { roles: ['ADMIN'] })).username);
    const authorization = { authorization: `Bearer ${admin.accessToken}` };
    const keys = `/api/v1/service-accounts/${client.account.id}/api-keys`;
    const { keyId, apiKey } = (await restClient(url).postJson(keys, { label: 'one' }, authorization)).body;
    await restClient(url).send('DELETE', `${keys}/${keyId}`, { headers: authorization });
    const call = { headers: { 'x-api-key': apiKey, ...from(NETWORK) } };
    for (let i = 0; i < 2; i += 1)
      expect((await restClient(url).send('GET', '/api/v1/products', call)).status).toBe(401);

    const refused = await database.query<Row>(
      "SELECT * FROM audit_records WHERE event IN ('login.failed', 'client.authentication-failed', 'api-key.refused') ORDER BY id",
    );
    expect(refused.map(({ event, details }) => [event, JSON.parse(details)])).toEqual([
      ['login.failed', { reason: 'BAD_CREDENTIALS' }],
      ['client.authentication-failed', { reason: 'wrong-secret' }],
      ['api-key.refused', { reason: 'the API key is revoked', keyId }],
      ['api-key.refused', { reason: 'the API key is revoked', keyId }],
    ]);
    for (const row of refused) {
      expect(row.account_id).not.toBeNull();
      expect(Buffer.from(row.tenant_id).toString()).toBe('acme');
    }
  });
});
