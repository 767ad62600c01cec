// The commands of second factors, through the program's entry function.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveGrpc, type GrpcServer } from '../../src/platform/rpc/grpc/server.ts';
import { runCli, type CliOptions } from '../support/cli.ts';
import { codeAt } from '../support/totp.ts';
import { openWorld, type Actor, type World } from '../support/world.ts';

const CODE = /^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}$/;
/** The upper left corner of a QR code, whose light modules are blocks. */
const CORNER = '█▀▀▀▀▀▀▀█';

let world: World;
let server: GrpcServer;
let folder: string;

beforeAll(async () => {
  world = await openWorld({ engine: 'sqlite', transport: 'local' });
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

/** Sets up TOTP on a terminal. */
async function setUp(by: Actor) {
  let shown = '';
  const secret = () => /^(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}$/m.exec(shown)![0].replaceAll(' ', '');
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
    expect(refused).toMatchObject({ code: 3, error: 'the code is wrong, or its step was used before\n' });
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
