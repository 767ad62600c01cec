// The commands that help a user who cannot log in, secure an account, and invite several users, through the program's entry function.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/platform/db/ids.ts';
import { serveGrpc, type GrpcServer } from '../../src/platform/rpc/grpc/server.ts';
import { PASSWORD } from '../support/accounts.ts';
import { rememberPasswords } from '../support/argon2.ts';
import { runCli } from '../support/cli.ts';
import { seedTotp } from '../support/factors.ts';
import { mailFolder } from '../support/mails.ts';
import { openWorld, type World } from '../support/world.ts';

rememberPasswords();

const NEW = 'a password of my own';

describe('as an administrator', () => {
  const mails = mailFolder();
  let world: World;
  let server: GrpcServer;
  let host: string;
  let folder: string;

  beforeAll(async () => {
    world = await openWorld({ engine: 'sqlite', transport: 'local', settings: mails.settings });
    folder = mkdtempSync(join(tmpdir(), 'cli-'));
    host = `unix:${join(folder, 'core.sock')}`;
    const options = { host, port: 0, trustedGateways: [], log: pino({ level: 'silent' }) };
    server = await serveGrpc(world.deployment.core.host, options);
  });
  afterAll(async () => {
    await server?.close(1_000);
    await world?.close();
    rmSync(folder, { recursive: true });
  });

  async function json(...args: readonly string[]) {
    const env = { AUTHSERVICE_CORE: host, AUTHSERVICE_TOKEN: world.admin.session.accessToken };
    const { code, out, error } = await runCli([...args, '--json'], { env });
    expect({ code, error }).toEqual({ code: 0, error: '' });
    return JSON.parse(out);
  }
  /** The output can contain secrets, because it is not a terminal. */
  const login = (username: string, secrets: readonly string[]) =>
    runCli(['login', username], {
      env: { AUTHSERVICE_CORE: host, AUTHSERVICE_CREDENTIALS: join(folder, `${newId()}.json`) },
      secrets,
    });
  const loggedIn = { code: 0, error: '' };
  const newAddress = () => `${newId()}@mail.test`;

  it('sets a temporary password, which the next login replaces', async () => {
    const { id, username } = await world.seed({ tenantId: 'acme' });
    const { password } = await json('user', 'password', username, '--generate', '--temporary', '--yes');
    expect(await login(username, [password, NEW])).toMatchObject(loggedIn);
    expect(await login(username, [NEW])).toMatchObject(loggedIn);
    expect(await json('user', 'show', id)).toMatchObject({ state: 'ENABLED', lastLoginAt: expect.any(String) });
  });

  it('creates an access code, which stands in for a factor, and takes the factor away', async () => {
    const { account } = await seedTotp(world.deployment, { tenantId: 'acme' });
    const { accessCode } = await json('user', 'access-code', account.username, '--minutes', '5', '--reason', 'lost');
    expect(await login(account.username, [PASSWORD, accessCode])).toMatchObject(loggedIn);
    expect(await json('user', 'factors', 'remove', account.id, 'totp', '--yes')).toMatchObject({ removed: 'totp' });
    expect(await login(account.username, [PASSWORD])).toMatchObject(loggedIn);
  });

  it('mails a recovery, and secures an account', async () => {
    const email = newAddress();
    const { id, username } = await world.seed({ tenantId: 'acme', email });
    const token = await mails.tokenTo(email, () => json('user', 'recover', username));
    expect(token).toMatch(/^[\w-]{43}$/);
    await mails.tokenTo(email, async () =>
      expect(await json('user', 'secure', id, '--yes', '--reason', 'ticket 4711')).toMatchObject({ id, mails: 1 }),
    );
    expect((await login(username, [PASSWORD])).code).toBe(3);
    const without = await world.seed({ tenantId: 'acme' });
    const { temporaryPassword } = await json('user', 'secure', without.id, '--yes');
    expect(await login(without.username, [temporaryPassword, NEW])).toMatchObject(loggedIn);
  });

  it('invites several users, and names the one that is refused', async () => {
    const [first, taken] = [newAddress(), newAddress()];
    await world.seed({ tenantId: 'acme', username: taken });
    const results = await json('user', 'invite-new', first, taken, '--role', 'SALES');
    expect(results).toEqual([
      { username: first, id: expect.any(String) },
      expect.objectContaining({ username: taken, errorCode: 'conflict', detail: expect.any(String) }),
    ]);
    expect(await json('user', 'show', first)).toMatchObject({ state: 'INVITED' });
  });

  it('disables a user at a time, and takes that back', async () => {
    const { id } = await world.seed({ tenantId: 'acme' });
    expect(await json('user', 'update', id, '--disable-at', '30d')).toMatchObject({ disableAt: expect.any(String) });
    expect('disableAt' in (await json('user', 'update', id, '--disable-at', ''))).toBe(false);
  });

  it('lists users by state and last login, with their permissions', async () => {
    const { username } = await world.seed({ tenantId: 'acme', disabled: true, name: 'Findable' });
    const found = await json('user', 'list', '--query', 'Findable', '--state', 'DISABLED', '--sort', '-lastLoginAt');
    expect(found).toMatchObject([{ username, state: 'DISABLED', factors: [] }]);
    const permissions = await json('user', 'permissions', username);
    expect(permissions.length).toBeGreaterThan(0);
  });

  it('ends all sessions of the tenant', async () => {
    expect(await json('tenant', 'end-sessions', 'acme', '--yes')).toEqual({ sessions: expect.any(Number) });
  });
});
