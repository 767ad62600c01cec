// `user export`, `user erase`, `tenant export` and `tenant erase`.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertAuditRecords } from '../../src/auth/audit/trail/audit-store.ts';
import { insertApplication } from '../../src/auth/oauth/applications/application-store.ts';
import { insertCode, newCode } from '../../src/auth/oauth/codes/code-store.ts';
import { addConsent } from '../../src/auth/oauth/consent/consent-store.ts';
import { createGrantStore } from '../../src/auth/oauth/grants/grant-store.ts';
import { enqueue } from '../../src/auth/delivery/outbox.ts';
import { LOGOUT_EVENT, logoutPayload } from '../../src/auth/oauth/logout/logout-receiver.ts';
import { insertFile } from '../../src/business/files/file-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import { selectTenantRows, findTenantTables } from '../../src/auth/tenancy/tenant-rows-store.ts';
import { rememberPasswords } from '../support/argon2.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { operatorEnv, runCli } from '../support/cli.ts';
import { createTestDatabase, ENGINES } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { webApplication } from '../support/oauth/applications.ts';
import { offlineGrant } from '../support/oauth/grants.ts';
import { restClient } from '../support/rest-client.ts';
import { emptyFolder, endProcesses } from '../support/service-process.ts';
import type { Account } from '../../src/auth/access/account.ts';

rememberPasswords();
afterAll(endProcesses);

/** The first bytes of a PNG. */
const LOGO = Buffer.from('89504e470d0a1a0a', 'hex');
const hexOf = (text: string) => Buffer.from(text).toString('hex');
const searchable = (value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : hexOf(String(value));

// The statements that find, read and delete all rows of a tenant differ between the engines, and run in no test of stores.
describe.each(ENGINES)('data on %s', (engine) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy({ engine, transport: 'local' });
  });
  afterAll(() => deployment?.close());

  /** The tenants of a test, with a user each, who has logged in. */
  let [acme, globex] = ['', ''];
  let ann: Account;
  let other: Account;
  let tests = 0;
  beforeEach(async () => {
    tests += 1;
    [acme, globex] = [`acme-${tests}`, `globex-${tests}`];
    const { database, url } = deployment;
    ann = await seedAccount(database, { tenantId: acme, username: `ann@${acme}.test`, roles: ['ADMIN'] });
    other = await seedAccount(database, { tenantId: globex, username: `gus@${globex}.test`, roles: ['ADMIN'] });
    for (const { username } of [ann, other]) await restClient(url).open(username);
    await useApplication(ann);
  });

  /** Adds an application of the tenant with all that a user has with it. */
  async function useApplication(account: Account) {
    const { database, clock } = deployment;
    const { tenantId, id: accountId } = account;
    const application = webApplication({ tenantId, clientId: `wiki-${tenantId}`, logo: LOGO });
    const { id: applicationId } = application;
    await insertApplication(database, application);
    const grant = offlineGrant(account, application, clock.now());
    await createGrantStore(database).insert(database, grant, UNLIMITED);
    await addConsent(database, { tenantId, accountId, applicationId }, grant.scopes, clock.now());
    const code = {
      ...grant,
      hash: newCode().hash,
      grantId: grant.id,
      consentId: undefined,
      redirectUri: application.redirectUris[0]!,
      challenge: undefined,
      nonce: 'nonce',
      expiresAt: clock.now(),
      keptUntil: clock.now(),
      usedAt: undefined,
    };
    await insertCode(database, database, code, UNLIMITED);
  }

  const run = (...args: string[]) => runCli(args, { env: operatorEnv(deployment.databaseUrl) });
  async function json(...args: string[]) {
    const { code, out, error } = await run(...args, '--json');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    return JSON.parse(out);
  }
  const audit = (tenant: string) => json('audit', 'list', '--tenant', tenant, '--local');

  /** Makes a delivery about a user, at an application of its tenant and at one for all tenants. */
  async function logOut({ id: accountId, tenantId }: Account, isSent: boolean) {
    const { database, clock } = deployment;
    const ended = { accountId, tenantId, sessionId: newId(), applicationId: newId() };
    const deliveries = [tenantId, undefined].map((ofReceiver) => ({
      id: newId(),
      receiver: { tenantId: ofReceiver, id: newId() },
      sequence: 0,
      event: LOGOUT_EVENT,
      content: { payload: logoutPayload(ended) },
      createdAt: clock.now(),
    }));
    const options = { now: clock.now(), createsQueues: true };
    await database.transaction(UNLIMITED, (tx) => enqueue(tx, database, deliveries, options));
    if (isSent)
      for (const { id } of deliveries)
        await database.execute("UPDATE webhook_deliveries SET status = 'DELIVERED' WHERE id = ?", [idToBytes(id)]);
  }
  const logoutsAbout = async ({ id }: Account) =>
    (await deployment.database.query('SELECT status FROM webhook_deliveries WHERE INSTR(payload, ?) > 0', [id])).map(
      ({ status }) => status,
    );

  it('erases a user from logout tokens that were sent, and still sends those that wait', async () => {
    for (const account of [ann, other]) for (const isSent of [true, false]) await logOut(account, isSent);
    await json('user', 'erase', ann.username, '--confirm', ann.username);
    expect(await logoutsAbout(ann)).toEqual(['PENDING', 'PENDING']);
    expect(await logoutsAbout(other)).toHaveLength(4);
  });

  it('erases a tenant from logout tokens, also of applications for all tenants', async () => {
    for (const account of [ann, other]) await logOut(account, true);
    await json('tenant', 'suspend', acme, '--local', '--yes');
    await json('tenant', 'erase', acme, '--confirm', acme);
    expect([await logoutsAbout(ann), (await logoutsAbout(other)).length]).toEqual([[], 2]);
  });

  it('exports a user with its sessions and audit records, without secrets', async () => {
    const { code, out } = await run('user', 'export', ann.username, '--local');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      user: { id: ann.id, username: ann.username, roles: ['ADMIN'] },
      sessions: [{ accountId: ann.id, clientAddress: '127.0.0.1' }],
      auditRecords: [{ event: 'login.succeeded', username: ann.username }],
    });
    expect(out).not.toMatch(/argon2|hash/i);
  });

  it('erases a user and its traces in the audit trail, and no other user', async () => {
    expect(await run('user', 'erase', ann.username)).toMatchObject({ code: 2, out: '' });
    expect(await json('user', 'erase', ann.username, '--confirm', ann.username)).toEqual({ id: ann.id, records: 3 });
    const login = await restClient(deployment.url).login({ username: ann.username, password: PASSWORD });
    expect(login.status).toBe(401);
    const records = await audit(acme);
    expect(records.map(({ event }: { event: string }) => event)).toEqual([
      'account.erased',
      'account.deleted',
      'grant.revoked',
      'login.succeeded',
    ]);
    expect(JSON.stringify(records)).not.toMatch(/ann@|127\.0\.0\.1/);
    expect(await json('user', 'erase', ann.id, '--confirm', ann.id)).toMatchObject({ id: ann.id });
    expect(await audit(globex)).toMatchObject([{ username: other.username, clientAddress: '127.0.0.1' }]);
  });

  it('leaves the id of an erased user in the audit trail only, and its username and address nowhere', async () => {
    await restClient(deployment.url).login({ username: ann.username, password: `not ${PASSWORD}` });
    await json('user', 'erase', ann.username, '--confirm', ann.username);
    const holding: string[] = [];
    for (const table of await findTenantTables(deployment.database)) {
      const rows = await selectTenantRows(deployment.database, acme, table, { after: undefined, size: 100 });
      const texts = rows.flatMap((row) => Object.values(row)).map(searchable);
      for (const trace of [ann.id.replaceAll('-', ''), hexOf(ann.username), hexOf('127.0.0.1')])
        if (texts.some((text) => text.includes(trace))) holding.push(`${table.name}: ${trace}`);
    }
    expect(holding).toEqual([`audit_records: ${ann.id.replaceAll('-', '')}`]);
  });

  it("erases the user's address also as the actor, and keeps the addresses of other administrators", async () => {
    const sam = await seedAccount(deployment.database, { tenantId: acme, username: `sam@${acme}.test` });
    const audited = (id: string, accountId: string, actorId: string | undefined, clientAddress: string) => ({
      id,
      tenantId: acme,
      at: deployment.clock.now(),
      event: 'account.updated',
      accountId,
      username: accountId === ann.id ? ann.username : sam.username,
      actorId,
      clientAddress,
      requestId: id,
      stored: true,
    });
    const [byAnn, bySam, ownWithActor] = [newId(), newId(), newId()];
    await insertAuditRecords(deployment.database, [
      audited(byAnn, sam.id, ann.id, '192.0.2.1'),
      audited(bySam, ann.id, sam.id, '192.0.2.2'),
      audited(ownWithActor, ann.id, ann.id, '192.0.2.1'),
    ]);
    expect(await json('user', 'erase', ann.id, '--confirm', ann.id)).toEqual({ id: ann.id, records: 6 });
    const seen = new Map<string, object>((await audit(acme)).map((record: { id: string }) => [record.id, record]));
    expect(seen.get(byAnn)).toMatchObject({ username: sam.username, clientAddress: 'erased' });
    expect(seen.get(bySam)).toMatchObject({ clientAddress: '192.0.2.2' });
    expect(seen.get(ownWithActor)).toMatchObject({ clientAddress: 'erased' });
    expect(JSON.stringify([...seen.values()])).not.toContain(ann.username);
  });

  it('exports all rows of one tenant to a private file, without secrets', async () => {
    const file = join(emptyFolder(), `${acme}.jsonl`);
    const { rows } = await json('tenant', 'export', acme, file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    const exported = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(exported).toHaveLength(rows);
    const byTable = Object.groupBy(exported, ({ table }: { table: string }) => table);
    expect(byTable['tenants']).toMatchObject([{ row: { id: acme } }]);
    expect(byTable['accounts']).toMatchObject([{ row: { id: ann.id, tenant_id: acme, username: ann.username } }]);
    expect(byTable['session_families']).toHaveLength(1);
    expect(byTable['applications']).toMatchObject([
      { row: { client_id: `wiki-${acme}`, logo: LOGO.toString('base64') } },
    ]);
    for (const table of ['authorization_codes', 'consents', 'grants'])
      expect(byTable[table]).toMatchObject([{ row: { account_id: ann.id } }]);
    expect(text).not.toMatch(/argon2|gus@/);
    expect(await run('tenant', 'export', acme, file)).toMatchObject({
      code: 1,
      error: `${file}: exists already; name a file that does not exist yet\n`,
    });
    expect(await run('tenant', 'export', 'nowhere', `${file}2`)).toMatchObject({
      code: 1,
      error: 'no tenant "nowhere"\n',
    });
    expect(existsSync(`${file}2`)).toBe(false);
  });

  it('erases a suspended tenant, every row of it, and no other tenant', async () => {
    const erase = ['tenant', 'erase', acme, '--confirm', acme];
    expect(await run(...erase)).toMatchObject({ code: 1, error: `tenant ${acme} is active; suspend it first\n` });
    await json('tenant', 'suspend', acme, '--local', '--yes');
    const content = {
      contentType: 'image/png',
      size: 1,
      sha256: Buffer.alloc(32),
      fileName: 'a.png',
      objectKey: 'key-1',
    };
    const file = { date: '2026-11-22', declaredType: 'image/png', declaredSize: 1, ...content };
    await insertFile(deployment.database, {
      ...file,
      id: newId(),
      tenantId: acme,
      createdBy: ann.id,
      createdAt: deployment.clock.now(),
      expiresAt: deployment.clock.now() + 60_000,
    });
    expect((await json(...erase)).rows).toBeGreaterThan(3);
    const tables = await findTenantTables(deployment.database);
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['accounts', 'orders', 'files', 'audit_records']),
    );
    const objects = await deployment.database.query('SELECT object_key FROM file_objects WHERE doomed = 1');
    expect(objects).toEqual([{ object_key: expect.anything() }]);
    // The seals of the deleted audit records stay, if the job has sealed them: they show that nothing else is missing.
    const kept = ['file_objects', 'audit_seals'];
    for (const table of tables.filter(({ name }) => !kept.includes(name))) {
      const remaining = { after: undefined, size: 10 };
      expect(await selectTenantRows(deployment.database, acme, table, remaining)).toEqual([]);
    }
    const tenantIds = (await json('tenant', 'list', '--local')).map(({ id }: { readonly id: string }) => id);
    expect([acme, globex].map((id) => tenantIds.includes(id))).toEqual([false, true]);
    const login = { username: other.username, password: PASSWORD };
    expect((await restClient(deployment.url).login(login)).status).toBe(200);
    const records = await json('audit', 'list', '--event', 'tenant.erased', '--local');
    expect(
      records.filter(({ details }: { readonly details: { readonly tenant: string } }) => details.tenant === acme),
    ).toMatchObject([{ details: { actor: 'local-command' } }]);
  });
});

it('erases rows that are inserted into an emptied table of the tenant meanwhile', async () => {
  const { url, database, drop } = await createTestDatabase('sqlite');
  await seedAccount(database, { tenantId: 'acme' });
  const run = (...args: string[]) => runCli(args, { env: operatorEnv(url) });
  await run('tenant', 'domains', 'acme', 'acme.test', '--local');
  await run('tenant', 'suspend', 'acme', '--local', '--yes');
  // As by a call that began before the suspension. The tables are emptied in the order of their names.
  await database.execute(`CREATE TRIGGER late AFTER DELETE ON login_domains BEGIN
    INSERT INTO audit_records (tenant_id, id, at, event, client_address, request_id, details)
    VALUES (OLD.tenant_id, randomblob(16), 1, 'login.succeeded', '192.0.2.1', 'late', '{}'); END`);
  const erased = await run('tenant', 'erase', 'acme', '--confirm', 'acme', '--json');
  expect(erased).toMatchObject({ code: 0, error: '' });
  const left = await database.query("SELECT id FROM audit_records WHERE tenant_id = CAST('acme' AS BLOB)");
  expect(left).toEqual([]);
  await drop();
});
