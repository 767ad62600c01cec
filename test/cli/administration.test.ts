// The commands that administer a running core over gRPC, through the program's entry function.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveGrpc, type GrpcServer } from '../../src/platform/rpc/grpc/server.ts';
import { ACTIVATION_DELAY_MS } from '../../src/auth/keys/rotation-schedule.ts';
import { ROLES } from '../../src/auth/access/roles/built-in-roles.ts';
import { rememberPasswords } from '../support/argon2.ts';
import { PASSWORD } from '../support/accounts.ts';
import { makeCertificates, writeCertificates } from '../support/certificates.ts';
import { runCli, type CliOptions } from '../support/cli.ts';
import { testClock } from '../support/clock.ts';
import { seedTotp, wrongCode } from '../support/factors.ts';
import { PUBLIC_URL } from '../support/mails.ts';
import { endProcesses } from '../support/service-process.ts';
import { seedSession } from '../support/sessions.ts';
import { newRoleName } from '../rpc/admin/rpcs.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
let server: GrpcServer;
let folder: string;
let base: Record<string, string>;

rememberPasswords();
beforeAll(async () => {
  world = await openWorld({
    engine: 'sqlite',
    transport: 'local',
    settings: { 'app.security.api-key.enabled': 'true', 'app.public-url': PUBLIC_URL },
  });
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
  const host = `unix:${join(folder, 'core.sock')}`;
  const log = pino({ level: 'silent' });
  server = await serveGrpc(world.deployment.core.host, { host, port: 0, trustedGateways: [], log });
  base = { AUTHSERVICE_CORE: host, AUTHSERVICE_CREDENTIALS: join(folder, 'config/credentials.json') };
});
afterAll(async () => {
  await server.close(1_000);
  await world.close();
  rmSync(folder, { recursive: true });
  await endProcesses();
});

/** Runs a command as the SUPER_ADMIN. */
const asRoot = (args: readonly string[], options: CliOptions = {}) =>
  runCli(args, {
    ...options,
    env: { ...base, AUTHSERVICE_TOKEN: world.root.session.accessToken, ...options.env },
  });

/** Runs a command as the SUPER_ADMIN and returns its JSON. */
async function json(args: readonly string[], options: CliOptions = {}) {
  const { code, out, error } = await asRoot([...args, '--json'], options);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out);
}

describe('a login that is too old for a command', () => {
  const run = async (secrets: string[], env: Record<string, string> = {}) => {
    const { accessToken } = await seedSession(world.deployment, world.root.account, 3_600_000);
    return asRoot(['role', 'create', newRoleName()], { secrets, env: { AUTHSERVICE_TOKEN: accessToken, ...env } });
  };

  it('is confirmed with the password, and the command goes on', async () => {
    expect(await run([PASSWORD])).toMatchObject({ code: 0, error: '' });
    expect(await run([], { AUTHSERVICE_PASSWORD: PASSWORD })).toMatchObject({ code: 0, error: '' });
  });

  it('is confirmed with the code of a second factor', async () => {
    const owner = await seedTotp(world.deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { accessToken } = await seedSession(world.deployment, owner.account, 3_600_000);
    const create = (code: string) =>
      asRoot(['role', 'create', newRoleName()], {
        secrets: [code],
        env: { AUTHSERVICE_TOKEN: accessToken, AUTHSERVICE_PASSWORD: PASSWORD },
      });
    expect(await create(wrongCode(owner))).toMatchObject({
      code: 3,
      out: '',
      error: expect.stringContaining('factor'),
    });
    const [first, last] = [owner.code().slice(0, 3), owner.code().slice(3)];
    expect(await create(`${first} ${last}`)).toMatchObject({ code: 0, error: '' });
  });

  it('stays too old with a wrong password', async () => {
    expect(await run(['wrong'])).toMatchObject({ code: 3, out: '', error: expect.stringContaining('password') });
  });
});

describe('login', () => {
  const login = (secrets: string[], username = world.admin.account.username) =>
    runCli(['login', username], { env: base, secrets });

  it('keeps a session in a file that only its owner can read, and logout ends it', async () => {
    const { username } = world.admin.account;
    expect(await login([PASSWORD])).toEqual({
      code: 0,
      out: `logged in as ${username} at ${base['AUTHSERVICE_CORE']}\n`,
      error: '',
    });
    const file = base['AUTHSERVICE_CREDENTIALS']!;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(PASSWORD);
    const { out } = await runCli(['whoami', '--json'], { env: base });
    expect(JSON.parse(out)).toMatchObject({ username, tenantId: 'acme' });
    expect(await runCli(['logout'], { env: base })).toMatchObject({ code: 0, error: '' });
    expect(await runCli(['whoami'], { env: base })).toMatchObject({ code: 3, out: '' });
  });

  it('renews an expired access token once, also for several commands at the same time', async () => {
    await login([PASSWORD]);
    const file = base['AUTHSERVICE_CREDENTIALS']!;
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    stored.logins[0].accessTokenExpiresAt = new Date(0).toISOString();
    writeFileSync(file, JSON.stringify(stored));
    const runs = await Promise.all([1, 2, 3].map(() => runCli(['whoami'], { env: base })));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await runCli(['whoami'], { env: base })).toMatchObject({ code: 0 });
  });

  it('ends with a change of the own password, which needs the current one', async () => {
    const { account } = await world.actor({ tenantId: 'acme', roles: ['ADMIN'] });
    const next = 'another long password';
    const change = (...secrets: string[]) => runCli(['password'], { env: base, secrets });
    await login([PASSWORD], account.username);
    expect(await change('wrong password', next)).toMatchObject({ code: 3, out: '' });
    expect(await change(PASSWORD, next)).toEqual({
      code: 0,
      out: `password of ${account.username} changed, all its sessions have ended\n`,
      error: '',
    });
    const outdated = await runCli(['whoami'], { env: base });
    expect(outdated).toMatchObject({ code: 3, out: '', error: expect.stringContaining('run authservice login') });
    expect(await login([PASSWORD], account.username)).toMatchObject({ code: 3 });
    expect(await login([next], account.username)).toMatchObject({ code: 0 });
  });

  it('is not sent to another core than its own', async () => {
    await login([PASSWORD]);
    const elsewhere = await runCli(['whoami', '--core', 'unix:/nowhere.sock'], { env: base });
    expect(elsewhere).toMatchObject({ code: 3, error: expect.stringContaining('not logged in at unix:/nowhere.sock') });
  });

  it('returns 3 for a wrong password and a readable credentials file, and 4 for an unreachable core', async () => {
    expect(await login(['wrong password'])).toMatchObject({ code: 3, out: '' });
    const readable = join(folder, 'readable.json');
    writeFileSync(readable, '{"logins":[]}', { mode: 0o644 });
    const env = { ...base, AUTHSERVICE_CREDENTIALS: readable };
    expect(await runCli(['whoami'], { env })).toMatchObject({ code: 3, error: expect.stringContaining('chmod 600') });
    const unreachable = await asRoot(['tenant', 'list', '--core', 'unix:/nowhere.sock', '--json']);
    expect([unreachable.code, JSON.parse(unreachable.error).error.reason]).toEqual([4, 'SERVICE_UNAVAILABLE']);
  });
});

describe('a core with mutual TLS', () => {
  it('is trusted by its authority, and later commands use the certificates of the login', async () => {
    const files = writeCertificates(
      folder,
      makeCertificates({
        core: { commonName: 'core', alternative: 'IP:127.0.0.1' },
        operator: { commonName: 'operator', alternative: 'DNS:operator' },
      }),
    );
    const secured = await serveGrpc(world.deployment.core.host, {
      host: '127.0.0.1',
      port: 0,
      tls: { ...files.core, clientCa: files.ca },
      trustedGateways: [],
      log: pino({ level: 'silent' }),
    });
    const { AUTHSERVICE_CORE: _core, ...env } = base;
    const cli = (args: readonly string[], cwd = folder) => runCli(args, { env, cwd, secrets: [PASSWORD] });
    const login = ['login', world.other.account.username, '--core', `dns:///${secured.address}`];
    expect(await cli(login)).toMatchObject({ code: 4, out: '' });
    expect(await cli([...login, '--tls-ca', 'ca.pem'])).toMatchObject({ code: 4, out: '' });
    const certificates = ['--tls-ca', 'ca.pem', '--tls-cert', 'operator.pem', '--tls-key', 'operator.key'];
    expect(await cli([...login, ...certificates])).toMatchObject({ code: 0 });
    expect(await cli(['use', login[3]!])).toMatchObject({ code: 0, error: '' });
    expect(await cli(['whoami'], tmpdir())).toMatchObject({ code: 0, error: '' });
    await secured.close(1_000);
  });
});

describe('tenants and users', () => {
  it('creates, lists, suspends and activates a tenant', async () => {
    expect(await json(['tenant', 'create', 'roses', 'Roses & Co'])).toMatchObject({ id: 'roses', status: 'ACTIVE' });
    expect(await json(['tenant', 'suspend', 'roses', '--yes'])).toMatchObject({ status: 'SUSPENDED' });
    expect(await json(['tenant', 'list', '--status', 'suspended'])).toMatchObject([{ id: 'roses' }]);
    expect(await json(['tenant', 'activate', 'roses'])).toMatchObject({ status: 'ACTIVE' });
    expect(await json(['tenant', 'domains', 'roses', 'roses.example'])).toMatchObject({
      loginDomains: ['roses.example'],
    });
    const { out } = await asRoot(['tenant', 'show', 'roses']);
    expect(out).toMatch(/^name +Roses & Co$/m);
  });

  it('creates and changes a user, named by its username', async () => {
    const name = 'ann@cli.test';
    const created = await json(['user', 'create', name, '--role', 'sales,MANAGER', '--tenant', 'acme'], {
      secrets: ['a long first password'],
    });
    expect(created).toMatchObject({ username: name, name, roles: ['SALES', 'MANAGER'], tenantId: 'acme' });
    expect(created).not.toHaveProperty('password');
    const changed = await json(['user', 'update', name, '--email', 'a@b.test', '--password-expires', '2027-01-31']);
    expect(changed).toMatchObject({ email: 'a@b.test', credentialsExpireAt: '2027-01-31T00:00:00.000Z' });
    expect(await json(['user', 'update', name, '--email', ''])).not.toHaveProperty('email');
    expect(await json(['user', 'roles', name, 'FLORIST', '--yes'])).toMatchObject({ roles: ['FLORIST'] });
    expect(await json(['user', 'disable', ` ${name.toUpperCase()} `, '--yes'])).toMatchObject({ disabled: true });
    expect(await json(['user', 'enable', created.id])).toMatchObject({ disabled: false });
    expect(await json(['session', 'revoke', '--user', name, '--yes'])).toEqual({ revoked: 0 });
    expect(await json(['user', 'delete', name, '--yes'])).toEqual({ id: created.id, deleted: true });
    expect(await asRoot(['user', 'show', name])).toEqual({
      code: 1,
      out: '',
      error: `no user "${name}" in reach of this credential\n`,
    });
  });

  it('reads all pages of a list, and reports if --limit omits some', async () => {
    const total = (await json(['user', 'list', '--limit', '0'])).length;
    expect(total).toBeGreaterThan(2);
    const { out, error } = await asRoot(['user', 'list', '--limit', '2']);
    expect(out.trim().split('\n')).toHaveLength(3);
    expect(error).toBe(`2 of ${total} shown; --limit 0 shows all\n`);
  });

  it('prints violations of the core in one line, and as JSON', async () => {
    const args = ['user', 'create', 'ann@cli.test', '--role', 'SALES', '--tenant', 'acme'];
    const refused = await asRoot(args, { secrets: ['short'] });
    expect(refused).toMatchObject({
      code: 1,
      out: '',
      error: expect.stringMatching(/^Request validation.*password.*\n$/),
    });
    const asJson = await asRoot([...args, '--json'], { secrets: ['short'] });
    expect(JSON.parse(asJson.error).error).toMatchObject({ reason: 'VALIDATION_ERROR', exitCode: 1 });
  });

  it.each([
    ['user', 'create', 'ann@cli.test', '--tenant', 'acme', '--role', 'SALES,GARDEN-ER'],
    ['user', 'roles', 'ann@cli.test', 'SALES', 'garden-er', '--yes'],
    ['user', 'list', '--role', 'GARDEN-ER'],
    ['client', 'create', 'cli-garden', '--role', 'GARDEN-ER'],
  ])('names all roles if one is malformed, before it asks for a password: %s %s', async (...args) => {
    expect(await asRoot(args, { secrets: [] })).toEqual({
      code: 2,
      out: '',
      error: `GARDEN-ER: not a role; give one of ${ROLES.join(', ')}, or a role of the tenant\n`,
    });
  });

  it('escapes characters that would control the terminal', async () => {
    await world.seed({ username: 'escape@cli.test', name: 'A \u001b[31mred\u009b name' });
    const { out } = await asRoot(['user', 'show', 'escape@cli.test']);
    for (const code of ['\u001b', '\u009b']) expect(out).not.toContain(code);
    expect(out).toContain(String.raw`A \u001b[31mred`);
  });
});

describe('roles', () => {
  it('creates, shows, changes, lists and deletes a role of a tenant', async () => {
    const tenant = ['--tenant', 'acme'];
    const options = [
      '--permission',
      'invoices:read,READ_ORDERS',
      '--inherits',
      'ACCOUNTANT',
      '--description',
      'Clerks',
    ];
    expect(await json(['role', 'create', 'cli_clerk', ...tenant, ...options])).toMatchObject({
      name: 'CLI_CLERK',
      tenantId: 'acme',
      permissions: ['invoices:read', 'READ_ORDERS'],
      inherits: ['ACCOUNTANT'],
    });
    const update = ['role', 'update', 'CLI_CLERK', ...tenant, '--permission', 'invoices:write', '--inherits', ''];
    expect(await json(update)).toMatchObject({ permissions: ['invoices:write'], inherits: [], description: 'Clerks' });
    expect(await json(['role', 'show', 'CLI_CLERK', ...tenant])).toMatchObject({
      effectivePermissions: ['invoices:write'],
      accountCount: 0,
    });
    const create = ['user', 'create', 'clerk@cli.test', ...tenant, '--role', 'cli_clerk'];
    expect(await json(create, { secrets: ['a long first password'] })).toMatchObject({ roles: ['CLI_CLERK'] });
    expect(await json(['role', 'list', ...tenant, '--query', 'cli_'])).toMatchObject([{ accountCount: 1 }]);
    expect(await asRoot(['role', 'delete', 'CLI_CLERK', ...tenant, '--yes'])).toMatchObject({ code: 1, out: '' });
    expect(await json(['user', 'delete', 'clerk@cli.test', '--yes'])).toMatchObject({ deleted: true });
    expect(await json(['role', 'delete', 'CLI_CLERK', ...tenant, '--yes'])).toEqual({
      name: 'CLI_CLERK',
      deleted: true,
    });
    expect(await asRoot(['role', 'update', 'CLI_CLERK'])).toMatchObject({ code: 2 });
    expect(await asRoot(['user', 'list', '--role', 'GARDENER'])).toMatchObject({ code: 1, out: '' });
  });

  it('creates, tests, changes, lists and deletes a webhook', async () => {
    const url = 'https://192.0.2.1/hook';
    const created = await json(['webhook', 'create', url, '--event', 'role.created,role.deleted', '--tenant', 'acme']);
    expect(created).toMatchObject({ tenantId: 'acme', url, events: ['role.created', 'role.deleted'] });
    expect(created).toMatchObject({ disabled: false, secret: expect.stringMatching(/^whsec_/) });
    const { id } = created as { id: string };
    const { id: delivery } = await json(['webhook', 'test', id]);
    // Events of the tests before can be sealed now, and are then sent, too.
    const deliveries = expect.arrayContaining([expect.objectContaining({ id: delivery, event: 'webhook.test' })]);
    expect(await json(['webhook', 'deliveries', id])).toEqual(deliveries);
    expect(await json(['webhook', 'retry', id, delivery])).toMatchObject({ id: delivery, status: 'PENDING' });
    expect(await json(['webhook', 'delivery', id, delivery])).toMatchObject({
      id: delivery,
      attempts: expect.any(Array),
    });
    expect(await json(['webhook', 'redeliver', id, '--since', '2026-01-01T00:00:00Z'])).toMatchObject({ id });
    expect(await asRoot(['webhook', 'redeliver', id])).toMatchObject({ code: 2 });
    const disabled = { id, disabled: true, disabledReason: 'ADMINISTRATOR', events: ['login.failed'] };
    const update = ['webhook', 'update', id, '--disabled', 'yes', '--event', 'login.failed'];
    expect(await json(update)).toMatchObject(disabled);
    expect(await json(['webhook', 'show', id])).toMatchObject(disabled);
    expect(await json(['webhook', 'list', '--tenant', 'acme'])).toMatchObject([disabled]);
    expect(await json(['webhook', 'rotate-secret', id])).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
    expect(await asRoot(['webhook', 'update', id])).toMatchObject({ code: 2 });
    expect(await json(['webhook', 'delete', id, '--yes'])).toEqual({ id, deleted: true });
  });
});

describe('applications', () => {
  it('creates, shows, changes, disables, lists and deletes an application', async () => {
    const uri = 'https://wiki.example.com/callback';
    const created = await json(['application', 'create', 'Wiki', '--redirect-uri', uri, '--tenant', 'acme']);
    expect(created).toMatchObject({ name: 'Wiki', type: 'WEB', tenantId: 'acme', redirectUris: [uri] });
    const { id, clientId, clientSecret } = created as Record<string, string>;
    expect(clientSecret).toMatch(/^[\w-]{43}$/);
    const update = ['application', 'update', clientId!, '--scope', 'openid,email', '--access-token-ttl', '5m'];
    const changes = [
      '--require-pkce',
      'no',
      '--username-form',
      'local_part',
      '--home-url',
      'https://wiki.example.com/',
    ];
    const changed = { id, scopes: ['openid', 'email'], accessTokenTtl: 300, requirePkce: false };
    expect(await json([...update, ...changes])).toMatchObject({ ...changed, usernameForm: 'LOCAL_PART' });
    expect(await json(['application', 'show', id!])).toMatchObject({
      ...changed,
      homeUrl: 'https://wiki.example.com/',
    });
    const reset = await json(['application', 'update', id!, '--home-url', '', '--scope', '']);
    expect([reset.scopes.length, 'homeUrl' in reset]).toEqual([7, false]);
    expect(await asRoot(['application', 'update', id!])).toMatchObject({ code: 2 });
    expect(await json(['application', 'disable', id!, '--yes'])).toMatchObject({ disabled: true });
    expect(await json(['application', 'list', '--tenant', 'acme', '--disabled'])).toMatchObject([
      { id, disabled: true },
    ]);
    expect(await json(['application', 'enable', id!])).toMatchObject({ disabled: false });
    expect(await json(['application', 'delete', id!, '--yes'])).toEqual({ id, deleted: true });
  });

  it('creates a second secret of an application by its client id, and ends one', async () => {
    const create = ['application', 'create', 'Docs', '--client-id', 'Cli-Docs', '--device-grant', 'yes'];
    await json([...create, '--tenant', 'acme']);
    const second = await json(['application', 'secret', 'create', 'cli-docs', '--expires', '30d']);
    expect(Date.parse(second.expiresAt)).toBeGreaterThan(testClock().now() + 29 * 86_400_000);
    expect(await json(['application', 'secret', 'list', 'Cli-Docs'])).toHaveLength(2);
    const expire = ['application', 'secret', 'expire', 'Cli-Docs', second.id, '--yes'];
    expect(await json(expire)).toMatchObject({ id: second.id });
    expect(await asRoot(['application', 'show', 'nothing'])).toMatchObject({ code: 1 });
  });

  it('creates an application with keys, a logo and no secret from files', async () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: 'a' };
    writeFileSync(join(folder, 'jwks.json'), JSON.stringify({ keys: [jwk] }));
    writeFileSync(join(folder, 'logo.png'), Buffer.from('89504e470d0a1a0a', 'hex'));
    const files = ['--jwks', 'jwks.json', '--logo', 'logo.png'];
    const create = ['application', 'create', 'Keys', '--redirect-uri', 'https://a.example/', ...files];
    const created = await json(create, { cwd: folder });
    expect(created).toMatchObject({ shared: true, jwks: { keys: [jwk] }, hasLogo: true });
    expect(created).not.toHaveProperty('clientSecret');
    expect(await asRoot(['application', 'update', created.id, '--jwks', 'missing.json'])).toMatchObject({ code: 2 });
  });
});

describe('machine clients, keys and the audit trail', () => {
  it('creates a service account with a secret and an API key, and ends both', async () => {
    const client = await json(['client', 'create', 'cli-nightly', '--role', 'ACCOUNTANT', '--tenant', 'acme']);
    expect(client).toMatchObject({ clientId: 'cli-nightly', clientSecret: expect.stringMatching(/^[\w-]{43}$/) });
    const second = await json(['secret', 'create', 'cli-nightly', '--expires', '30d']);
    expect(Date.parse(second.expiresAt)).toBeGreaterThan(testClock().now() + 29 * 86_400_000);
    expect(await json(['secret', 'list', 'cli-nightly'])).toHaveLength(2);
    expect(await json(['secret', 'expire', 'cli-nightly', second.id, '--yes'])).toMatchObject({ id: second.id });
    const key = await json(['api-key', 'issue', 'cli-nightly', 'Point of sale']);
    expect(key).toMatchObject({ label: 'Point of sale', apiKey: expect.any(String) });
    expect(await json(['api-key', 'revoke', 'cli-nightly', key.keyId, '--yes'])).toEqual({
      keyId: key.keyId,
      revoked: true,
    });
    expect(await json(['api-key', 'list', 'cli-nightly'])).toEqual([]);
    expect(await json(['client', 'disable', 'cli-nightly', '--yes'])).toMatchObject({ disabled: true });
  });

  it('rotates the signing key, and reports the conflict of a second rotation', async () => {
    const rotate = ['key', 'rotate'];
    expect(await json([...rotate, '--chain', 'id'])).toMatchObject({
      chain: 'ID',
      algorithm: 'RS256',
      state: 'PUBLISHED',
    });
    expect(await asRoot(rotate)).toMatchObject({ code: 1, out: '' });
    world.deployment.clock.advance(ACTIVATION_DELAY_MS);
    expect(await json(rotate)).toMatchObject({ chain: 'ACCESS', state: 'PUBLISHED' });
    const listed = (await json(['key', 'list'])).map(({ chain, state }: Record<string, string>) => `${chain} ${state}`);
    expect(listed.toSorted()).toEqual(['ACCESS ACTIVE', 'ACCESS PUBLISHED', 'ID ACTIVE', 'ID PUBLISHED', 'ID RETIRED']);
    for (const chain of ['access', 'ID'])
      expect(await asRoot([...rotate, '--chain', chain])).toMatchObject({ code: 1, out: '' });
    expect(await asRoot([...rotate, '--chain', 'both'])).toMatchObject({ code: 2, out: '' });
  });

  it('follows the audit trail until Ctrl-C, each record once', async () => {
    const ctrlC = new AbortController();
    const printed: string[] = [];
    const following = Promise.withResolvers<void>();
    const tail = asRoot(['audit', 'tail', '--event', 'tenant.created', '--format', 'jsonl'], {
      signal: ctrlC.signal,
      error: () => following.resolve(),
      out(text) {
        // The tenants of the tests before can be sealed now.
        if (text.includes('"tail-')) printed.push(text);
        if (printed.length === 2) ctrlC.abort();
      },
    });
    await following.promise;
    for (const tenant of ['tail-1', 'tail-2']) await json(['tenant', 'create', tenant]);
    expect(await tail).toMatchObject({ code: 0, error: 'following the audit trail, Ctrl-C ends\n' });
    expect(printed.map((line) => JSON.parse(line).tenantId)).toEqual(['tail-1', 'tail-2']);
    expect(await json(['audit', 'list', '--event', 'tenant.created', '--tenant', 'tail-1'])).toHaveLength(1);
  });

  it('explains a credential, with exit code 1 if it is rejected', async () => {
    const { username } = world.admin.account;
    expect(await asRoot(['explain', '--username', username])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/accepted\n$/),
    });
    for (const option of ['--token', '--code', '--application-refresh-token']) {
      const refused = await asRoot(['explain', option], { secrets: ['no token'] });
      expect(refused).toMatchObject({ code: 1, out: expect.stringMatching(/FAILED .*FORM: .*\nrefused\n$/) });
    }
  });
});

describe('arguments', () => {
  it.each([
    [['user', 'crate'], "unknown command 'crate' (Did you mean create?)"],
    [['user', 'show'], "missing required argument 'user'"],
    [['user', 'list', '--limit', 'many'], '--limit: give a number from 0'],
    [['tenant', 'list', '--status', 'gone'], '--status: give ACTIVE, SUSPENDED'],
    [['user', 'update', 'ann@cli.test'], 'give at least one option to change'],
    [['session', 'revoke'], 'give a session, or --user for all sessions of a user'],
    [['user', 'list', '--timeout', 'never'], '--timeout: give a duration such as 30s or 5m'],
  ])('%j exits with 2', async (args, message) => {
    expect(await asRoot(args)).toEqual({ code: 2, out: '', error: `${message}\n` });
  });
});
