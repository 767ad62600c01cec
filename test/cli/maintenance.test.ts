// Commands that work on the machine of the service, without a running service.
import { createServer, type AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PASSWORD } from '../support/accounts.ts';
import { operatorEnv, runCli } from '../support/cli.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { emptyFolder, endProcesses } from '../support/service-process.ts';

afterAll(endProcesses);

describe('migrate', () => {
  it('shows the missing migrations, applies them once, and changes nothing before', async () => {
    const { url, remove } = await createEmptyDatabase('sqlite');
    writeFileSync(url.replace('sqlite:', ''), '');
    const migrate = async (...args: string[]) => {
      const { code, out, error } = await runCli(['migrate', ...args, '--json'], { env: operatorEnv(url) });
      expect({ code, error }).toEqual({ code: 0, error: '' });
      return JSON.parse(out);
    };
    const planned = async () => (await migrate('up', '--dry-run')).missing.map(({ name }: { name: string }) => name);
    const missing = await planned();
    expect(await planned()).toEqual(missing);
    const { applied } = await migrate('up');
    expect(applied).toEqual(missing);
    expect(applied[0]).toBe('0001_tenants.ts');
    expect(await migrate('up')).toEqual({ applied: [] });
    expect(await migrate('status')).toEqual(applied.map((name: string) => ({ name, applied: true })));
    await remove();
  });
});

describe('on the machine of the service', () => {
  let test: TestDatabase;
  const onMachine = (args: readonly string[], secrets: readonly string[] = []) =>
    runCli(args, { env: operatorEnv(test.url), secrets });
  beforeEach(async () => {
    test = await createTestDatabase('sqlite');
  });
  afterEach(() => test.drop());

  it('creates the first SUPER_ADMIN with --local, audited as the operator', async () => {
    const created = await onMachine(['user', 'create', 'chief', '--role', 'SUPER_ADMIN', '--local'], [PASSWORD]);
    expect(created).toMatchObject({ code: 0, error: '' });
    const { out } = await onMachine(['audit', 'list', '--local', '--json']);
    expect(JSON.parse(out)).toMatchObject([
      {
        event: 'account.created',
        username: 'chief',
        clientAddress: 'local-command',
        details: { roles: 'SUPER_ADMIN', actor: 'local-command' },
      },
    ]);
    expect(JSON.parse(out)[0]).not.toHaveProperty('actorId');
  });

  it('applies a bootstrap file, and reports all its problems', async () => {
    const file = join(emptyFolder(), 'plan.yaml');
    writeFileSync(file, 'tenants: [{id: acme, serviceAccounts: [{clientId: sync, roles: [MANAGER]}]}]', {
      mode: 0o600,
    });
    const { out } = await onMachine(['bootstrap', file, '--json']);
    expect(JSON.parse(out)).toMatchObject({ tenants: 1, created: 1, existing: 0 });
    expect(JSON.parse((await onMachine(['bootstrap', file, '--json'])).out)).toMatchObject({ tenants: 0, existing: 1 });
    writeFileSync(file, 'tenants: [{id: NO}]');
    const refused = await onMachine(['bootstrap', file]);
    expect(refused).toMatchObject({ code: 1, out: '', error: expect.stringContaining('/tenants/0/id') });
  });

  it('deletes expired rows now', async () => {
    await test.database.execute('INSERT INTO token_blacklist (id, expires_at) VALUES (?, 1)', [Buffer.alloc(16)]);
    const { out } = await onMachine(['cleanup', 'status', '--json']);
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ table: 'token_blacklist', backlog: 1 }));
    expect(await onMachine(['cleanup', 'run', '--json'])).toMatchObject({ code: 0, out: '{"deleted":1}\n' });
  });
});

describe('healthcheck', () => {
  it('returns 1 if nothing responds, or not in time', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const silent = await runCli(['healthcheck', `--app.management.port=${port}`, '--timeout', '1s']);
    expect(silent).toMatchObject({
      code: 1,
      out: '',
      error: expect.stringContaining('/health/ready does not respond'),
    });
    server.close();
    const closed = await runCli(['healthcheck', '--url', `http://127.0.0.1:${port}`]);
    expect(closed).toMatchObject({ code: 1, error: expect.stringContaining('ECONNREFUSED') });
  });
});
