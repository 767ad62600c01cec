// The commands of second factors, through the program's entry function.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveGrpc, type GrpcServer } from '../../src/platform/rpc/grpc/server.ts';
import { SecondFactorPolicy } from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { PASSWORD } from '../support/accounts.ts';
import { rememberPasswords } from '../support/argon2.ts';
import { runCli, type CliOptions } from '../support/cli.ts';
import { addPasskey, PASSKEYS } from '../support/passkeys.ts';
import { seedSession } from '../support/sessions.ts';
import { codeAt } from '../support/totp.ts';
import { actorOf, openWorld, type Actor, type World } from '../support/world.ts';

const CODE = /^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){5}$/;
/** The upper left corner of a QR code, whose light modules are blocks. */
const CORNER = '█▀▀▀▀▀▀▀█';

let world: World;
let server: GrpcServer;
let folder: string;

beforeAll(async () => {
  world = await openWorld({ engine: 'sqlite', transport: 'local', settings: PASSKEYS });
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
  const host = `unix:${join(folder, 'core.sock')}`;
  server = await serveGrpc(world.deployment.core.host, {
    host,
    port: 0,
    trustedGateways: [],
    log: pino({ level: 'silent' }),
  });
});
afterAll(async () => {
  await server?.close(1_000);
  await world?.close();
  rmSync(folder, { recursive: true });
});

const cli = (by: Actor, args: readonly string[], options: CliOptions = {}) =>
  runCli(args, {
    ...options,
    env: { AUTHSERVICE_CORE: `unix:${join(folder, 'core.sock')}`, AUTHSERVICE_TOKEN: by.session.accessToken },
  });
const json = async (by: Actor, args: readonly string[]) => JSON.parse((await cli(by, [...args, '--json'])).out);

/** Returns the secret that a terminal shows. */
const secretIn = (shown: string) => /^(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}$/m.exec(shown)![0].replaceAll(' ', '');

/** Sets up TOTP on a terminal. */
async function setUp(by: Actor) {
  let shown = '';
  const secret = () => secretIn(shown);
  const options = {
    columns: 80,
    out: (text: string) => void (shown += text),
    secrets: [() => codeAt(secret(), world.deployment.clock.now()).replace(/^.../, '$& ')],
  };
  return { ...(await cli(by, ['account', 'totp'], options)), secret: secret() };
}

describe('account', () => {
  it('totp shows a QR code, the secret and the recovery codes, and asks for the first code', async () => {
    const by = await world.actor();
    const { code, out, error, secret } = await setUp(by);
    expect([code, error]).toEqual([0, '']);
    expect(out).toContain(CORNER);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThan(80);
    const [text, codes] = out.split('They are not shown again:\n');
    expect(text).toContain('TOTP is set up, your other sessions have ended');
    expect(codes!.trim().split('\n')).toEqual(Array.from({ length: 10 }, () => expect.stringMatching(CODE)));
    const shown = await cli(by, ['account', 'factors']);
    expect(shown.out).toMatch(/^totp +yes\n/);
    expect(shown.out).toMatch(/^recoveryCodesLeft +10$/m);
    expect(shown.out).not.toContain(secret);
    expect(await json(by, ['account', 'factors'])).toMatchObject({ totp: {}, passkeys: [], required: false });
  });

  it('totp and recovery-codes print no secret to another program unless they are asked', async () => {
    const by = await world.actor();
    for (const command of [['totp'], ['recovery-codes', '--yes']]) {
      const refused = await cli(by, ['account', ...command]);
      expect(refused).toMatchObject({ code: 2, out: '', error: expect.stringContaining('--print-secrets') });
    }
    let shown = '';
    const allowed = await cli(by, ['account', 'totp', '--print-secrets', '--json'], {
      out: (text) => void (shown += text),
      secrets: [() => codeAt(JSON.parse(shown).secret, world.deployment.clock.now())],
    });
    const [created, confirmed] = allowed.out.trim().split('\n');
    expect(JSON.parse(created!)).toEqual({ secret: expect.any(String), uri: expect.stringMatching(/^otpauth:/) });
    expect(JSON.parse(confirmed!).recoveryCodes).toHaveLength(10);
    const replaced = await json(by, ['account', 'recovery-codes', '--yes', '--print-secrets']);
    expect(replaced.recoveryCodes).toHaveLength(10);
    expect(replaced.recoveryCodes).not.toEqual(JSON.parse(confirmed!).recoveryCodes);
  });

  it('totp returns 3 for a wrong code', async () => {
    const by = await world.actor();
    const refused = await cli(by, ['account', 'totp'], { columns: 80, secrets: ['000000'] });
    expect(refused).toMatchObject({ code: 3, error: 'The second factor is wrong or was used before\n' });
    expect((await json(by, ['account', 'factors'])).totp).toBeUndefined();
  });

  it('remove-totp asks first, and removes TOTP', async () => {
    const by = await world.actor();
    await setUp(by);
    const declined = await cli(by, ['account', 'remove-totp'], { answers: ['n'] });
    expect(declined).toMatchObject({ code: 1, error: expect.stringContaining('This removes your TOTP codes') });
    expect(await cli(by, ['account', 'remove-totp', '--yes'])).toEqual({
      code: 0,
      out: 'TOTP removed, your other sessions have ended\n',
      error: '',
    });
    expect((await cli(by, ['account', 'remove-totp', '--yes'])).code).toBe(1);
    expect((await json(by, ['account', 'factors'])).totp).toBeUndefined();
  });
});

describe('account passkeys', () => {
  const add = async (by: Actor) => (await addPasskey(world.clients, by.as)).passkey!.id;

  it('list, rename and remove by label or id', async () => {
    const by = await world.actor();
    expect((await cli(by, ['account', 'passkeys', 'list'])).out).toBe('none\n');
    const [first, second] = [await add(by), await add(by)];
    expect(await json(by, ['account', 'passkeys', 'list'])).toMatchObject([
      { id: first, label: 'Phone', backedUp: false },
      { id: second, label: 'Phone' },
    ]);
    const ambiguous = await cli(by, ['account', 'passkeys', 'rename', 'Phone', 'Key']);
    expect(ambiguous).toMatchObject({ code: 1, error: expect.stringContaining('several passkeys are named "Phone"') });
    expect(await json(by, ['account', 'passkeys', 'rename', second, 'Key'])).toMatchObject({
      id: second,
      label: 'Key',
    });
    const shown = await cli(by, ['account', 'passkeys', 'list']);
    expect(shown.out).toMatch(/^ID +LABEL +CREATED AT +LAST USED AT +BACKED UP\n/);
    const declined = await cli(by, ['account', 'passkeys', 'remove', 'Key'], { answers: ['n'] });
    expect(declined).toMatchObject({ code: 1, error: expect.stringContaining('This removes your passkey Key') });
    expect(await cli(by, ['account', 'passkeys', 'remove', 'Key', '--yes'])).toEqual({
      code: 0,
      out: 'passkey Key removed, your other sessions have ended\n',
      error: '',
    });
    expect(await json(by, ['account', 'passkeys', 'list'])).toMatchObject([{ id: first }]);
  });

  it('do not reach the passkeys of others', async () => {
    const [by, other] = [await world.actor(), await world.actor()];
    const id = await add(other);
    for (const command of [
      ['rename', id, 'Key'],
      ['remove', id, '--yes'],
    ])
      expect(await cli(by, ['account', 'passkeys', ...command])).toMatchObject({
        code: 1,
        error: expect.stringContaining('no passkey'),
      });
    expect(await json(other, ['account', 'passkeys', 'list'])).toMatchObject([{ id, label: 'Phone' }]);
  });

  it('ask for the code again if the last login is too old', async () => {
    const owner = await world.actor();
    const id = await add(owner);
    const { secret } = await setUp(owner);
    world.deployment.clock.advance(30_000);
    const by = actorOf(owner.account, await seedSession(world.deployment, owner.account, 3_600_000));
    const code = codeAt(secret, world.deployment.clock.now());
    const rename = (secrets: string[]) => cli(by, ['account', 'passkeys', 'rename', id, 'Key'], { secrets });
    expect(await rename(['000000'])).toMatchObject({ code: 3, out: '' });
    expect(await rename([code])).toMatchObject({ code: 0, error: '' });
    expect(await json(owner, ['account', 'passkeys', 'list'])).toMatchObject([{ id, label: 'Key' }]);
  });

  it('cannot ask an account that has passkeys only', async () => {
    const owner = await world.actor();
    const id = await add(owner);
    const by = actorOf(owner.account, await seedSession(world.deployment, owner.account, 3_600_000));
    expect(await cli(by, ['account', 'passkeys', 'remove', id, '--yes'])).toMatchObject({
      code: 3,
      error: expect.stringContaining('log in again with a recovery code'),
    });
    expect(await json(by, ['account', 'passkeys', 'list'])).toHaveLength(1);
  });
});

describe('user factors', () => {
  it('show and reset the factors of a user', async () => {
    const by = await world.actor();
    await setUp(by);
    const { username, id } = by.account;
    expect(await json(world.admin, ['user', 'factors', 'show', username])).toMatchObject({
      totp: { createdAt: expect.any(String) },
      recoveryCodes: { remaining: 10 },
    });
    const reset = await cli(world.admin, ['user', 'factors', 'reset', username, '--yes']);
    expect(reset).toEqual({ code: 0, out: `factors of ${username} removed, all its sessions have ended\n`, error: '' });
    expect((await cli(by, ['account', 'factors'])).code).toBe(3);
    expect((await json(world.admin, ['user', 'factors', 'show', id])).totp).toBeUndefined();
    expect((await cli(world.other, ['user', 'factors', 'show', id])).code).toBe(1);
  });
});

describe('login', () => {
  rememberPasswords();

  const logIn = (by: Actor, options: CliOptions) =>
    runCli(['login', by.account.username], { ...options, env: { ...base(), AUTHSERVICE_PASSWORD: PASSWORD } });
  const base = () => ({
    AUTHSERVICE_CORE: `unix:${join(folder, 'core.sock')}`,
    AUTHSERVICE_CREDENTIALS: join(folder, 'credentials.json'),
  });
  const text = (by: Actor) => `logged in as ${by.account.username} at ${base().AUTHSERVICE_CORE}`;

  it('asks for the code of the app, or accepts a recovery code', async () => {
    const by = await world.actor();
    const { out, secret } = await setUp(by);
    const recoveryCode = out.trim().split('\n').at(-1)!;
    world.deployment.clock.advance(30_000);
    const codes = [codeAt(secret, world.deployment.clock.now()), recoveryCode.toLowerCase()];
    for (const code of codes)
      expect(await logIn(by, { answers: [code] })).toEqual({
        code: 0,
        out: `${text(by)}\n`,
        error: 'Second factor: the code of your authenticator app or a recovery code: ',
      });
    for (const code of codes) expect(await logIn(by, { secrets: [code] })).toMatchObject({ code: 3, out: '' });
    expect((await runCli(['whoami'], { env: base() })).code).toBe(0);
  });

  it('sets up TOTP if the tenant requires a factor', async () => {
    const tenantId = 'strict';
    const by = await world.actor({ tenantId });
    const policy = { allowedOrigins: [], secondFactor: SecondFactorPolicy.SECOND_FACTOR_POLICY_REQUIRED };
    const change = { tenantId, policy, updateMask: ['second_factor'] };
    await world.clients.tenancy.updateTenantPolicy(change, world.root.as);
    expect(await logIn(by, {})).toMatchObject({ code: 2, out: '', error: expect.stringContaining('--print-secrets') });
    let shown = '';
    const { code, out } = await logIn(by, {
      columns: 80,
      out: (more) => void (shown += more),
      secrets: [() => codeAt(secretIn(shown), world.deployment.clock.now())],
    });
    expect(code).toBe(0);
    expect(out).toContain(CORNER);
    const [before, codes] = out.split('They are not shown again:\n');
    expect(before).toContain(text(by));
    expect(codes!.trim().split('\n')).toEqual(Array.from({ length: 10 }, () => expect.stringMatching(CODE)));
  });
});
