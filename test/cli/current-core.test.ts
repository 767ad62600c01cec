// The current core, questions before destructive commands, and errors of connections, with two cores.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cli/commands/all.ts';
import { serveGrpc, type GrpcServer, type GrpcServerOptions } from '../../src/platform/rpc/grpc/server.ts';
import { rememberPasswords } from '../support/argon2.ts';
import { PASSWORD } from '../support/accounts.ts';
import { makeCertificates, writeCertificates } from '../support/certificates.ts';
import { operatorEnv, runCli, type CliOptions } from '../support/cli.ts';
import { endProcesses } from '../support/service-process.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
let folder: string;
let env: Record<string, string>;
const servers: GrpcServer[] = [];

/** Serves the core of the world at another address. */
async function serve(at: Pick<GrpcServerOptions, 'host' | 'tls'>): Promise<string> {
  const log = pino({ level: 'silent' });
  const server = await serveGrpc(world.deployment.core.host, { port: 0, trustedGateways: [], log, ...at });
  servers.push(server);
  return at.host.startsWith('unix:') ? at.host : `dns:///${server.address}`;
}

rememberPasswords();
beforeAll(async () => {
  world = await openWorld({ engine: 'sqlite', transport: 'local' });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
  env = { AUTHSERVICE_CREDENTIALS: join(folder, 'credentials.json') };
});
afterAll(async () => {
  for (const server of servers) await server.close(1_000);
  await world.close();
  rmSync(folder, { recursive: true });
  await endProcesses();
});

const cli = (args: readonly string[], options: CliOptions = {}) =>
  runCli(args, { cwd: folder, secrets: [PASSWORD], ...options, env: { ...env, ...options.env } });
const json = async (...args: string[]) => JSON.parse((await cli([...args, '--json'])).out);

describe('with logins at two cores', () => {
  let [first, second] = ['', ''];
  beforeEach(async () => {
    [first, second] = [`unix:${join(folder, '1.sock')}`, `unix:${join(folder, '2.sock')}`];
    for (const host of [first, second]) await serve({ host });
    await cli(['login', world.root.account.username, '--core', first]);
    expect(await cli(['login', world.admin.account.username, '--core', second])).toEqual({
      code: 0,
      out: `logged in as ${world.admin.account.username} at ${second}\n`,
      error: `the current core is still ${first}; switch with authservice use ${second}\n`,
    });
  });

  it('stays at the current core after a logout, and names the other one', async () => {
    await cli(['use', second]);
    expect(await cli(['logout'])).toMatchObject({ code: 0, out: expect.stringContaining(second) });
    for (const command of ['whoami', 'logout'])
      expect(await cli([command])).toMatchObject({
        code: 3,
        out: '',
        error: expect.stringMatching(`^not logged in at ${second}; .*authservice use CORE \\(${first}\\)`),
      });
    expect(await json('use')).toEqual([
      { current: false, core: first, username: world.root.account.username },
      { current: true, core: second, username: null },
    ]);
  });

  it('switches only by use, which needs a login there', async () => {
    expect(await json('whoami')).toMatchObject({ core: first, username: world.root.account.username });
    expect(await json('whoami', '--core', second)).toMatchObject({ core: second });
    expect(await json('whoami')).toMatchObject({ core: first });
    expect(await cli(['use', second])).toMatchObject({
      code: 0,
      out: `the current core is ${second}, as ${world.admin.account.username}\n`,
    });
    expect(await json('whoami')).toMatchObject({
      core: second,
      tenantId: 'acme',
      roles: expect.arrayContaining(['ADMIN']),
    });
    expect(await cli(['use', 'unix:/nowhere.sock'])).toMatchObject({ code: 3 });
    expect(await cli(['use', second], { env: { AUTHSERVICE_CORE: first } })).toMatchObject({
      code: 0,
      error: `AUTHSERVICE_CORE is set, so commands still call ${first}\n`,
    });
    expect(await json('use')).toMatchObject([{ current: false }, { current: true, core: second }]);
  });

  it('asks a person once what a command ends, on which core and as whom', async () => {
    await world.seed({ username: `asked-${folder.at(-1)}@cli.test` });
    const suspend = ['tenant', 'suspend', 'globex'];
    expect(await cli(suspend, { answers: ['n'] })).toEqual({
      code: 1,
      out: '',
      error:
        `This stops all users and service accounts of tenant globex.\n` +
        `Core: ${first}, as ${world.root.account.username}\nContinue? (y/N) not confirmed, nothing was changed\n`,
    });
    expect(await cli(suspend)).toEqual({
      code: 2,
      out: '',
      error: 'this stops all users and service accounts of tenant globex; confirm with --yes\n',
    });
    const withToken = await cli(suspend, { answers: [''], env: { AUTHSERVICE_TOKEN: 'x' } });
    expect(withToken.error).toContain(`Core: ${first}, as the account of AUTHSERVICE_TOKEN\n`);
    expect(await json('tenant', 'show', 'globex')).toMatchObject({ status: 'ACTIVE' });
    expect(await cli(suspend, { answers: ['y'] })).toMatchObject({ code: 0 });
    expect(await json('tenant', 'activate', 'globex')).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('destructive commands', () => {
  it('all have a question and --yes or --confirm', () => {
    const asking = COMMANDS.filter(({ ends }) => ends !== undefined).map(({ name }) => name);
    const destructive = COMMANDS.map(({ name }) => name).filter((name) =>
      /(suspend|disable|delete|revoke|expire|erase|restore|seal|roles|user password|demo remove|passkeys remove|remove-totp|recovery-codes|reset|cancel|secure|end-sessions|factors remove)$/.test(
        name,
      ),
    );
    expect(asking.toSorted()).toEqual(destructive.toSorted());
  });

  it('names the database without its password, and wants the name typed if nothing can be restored', async () => {
    const options = { env: operatorEnv('mysql://root:secret@127.0.0.1:1/x') };
    const refused = await cli(['tenant', 'erase', 'acme'], { ...options, answers: ['y'] });
    expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('Type acme to continue: not confirmed') });
    expect(refused.error).toMatch(/^Database: mysql:\/\/.*127\.0\.0\.1.*, as the operator of this machine$/m);
    expect(refused.error).not.toContain('secret');
    expect(await cli(['tenant', 'erase', 'acme'], { ...options, answers: ['acme'] })).toMatchObject({ code: 4 });
    expect(
      await cli(['tenant', 'erase', 'acme', '--confirm', 'globex'], { ...options, answers: ['acme'] }),
    ).toMatchObject({
      code: 2,
      error: expect.stringContaining('confirm with --confirm acme'),
    });
  });
});

it('names the core and the remedy if the connection fails', async () => {
  const certificates = makeCertificates({
    core: { commonName: 'core', alternative: 'IP:127.0.0.1' },
    elsewhere: { commonName: 'core', alternative: 'DNS:elsewhere' },
    operator: { commonName: 'operator', alternative: 'DNS:operator' },
  });
  const files = writeCertificates(folder, certificates);
  const host = '127.0.0.1';
  const [plain, tls, elsewhere, mutual] = [
    await serve({ host }),
    await serve({ host, tls: files.core }),
    await serve({ host, tls: files.elsewhere }),
    await serve({ host, tls: { ...files.core, clientCa: files.ca } }),
  ];
  const silent = createServer().listen(0, host);
  await new Promise((resolve) => void silent.once('listening', resolve));
  const mute = `dns:///127.0.0.1:${(silent.address() as AddressInfo).port}`;
  writeFileSync(join(folder, 'text.pem'), 'no certificate');
  const ca = ['--tls-ca', 'ca.pem'];
  for (const [core, args, code, problem] of [
    ['dns:///127.0.0.1:1', [], 4, /no process listens there/],
    ['unix:/nowhere.sock', [], 4, /no such socket/],
    ['http://127.0.0.1:1', [], 4, /dns:\/\/\/HOST:PORT/],
    [tls, [], 4, /if the core uses TLS, name its CA with --tls-ca/],
    [tls, ['--tls'], 4, /name its CA with --tls-ca/],
    [elsewhere, ca, 4, /certificate is for other names/],
    [elsewhere.replace(host, 'localhost'), ca, 4, /its certificate is for DNS:elsewhere; use such a name in --core\n$/],
    [mutual, ca, 4, /--tls-cert and --tls-key/],
    [plain, ca, 4, /does not use TLS on this port/],
    [mute, ['--timeout', '1s'], 4, /no response in 1 s; --timeout/],
    [tls, ['--tls-ca', 'missing.pem'], 2, /--tls-ca .*missing\.pem: no such file/],
    [tls, ['--tls-ca', 'text.pem'], 2, /--tls-ca .*text\.pem: no certificate/],
  ] as const) {
    const run = await cli(['whoami', '--core', core, ...args], { env: { AUTHSERVICE_TOKEN: 'x' } });
    expect(run).toEqual({ code, out: '', error: expect.stringMatching(problem) });
    expect(run.error).toMatch(/^core [^\n]*\n$/);
    expect(run.error).toContain(core);
  }
  silent.close();
});
