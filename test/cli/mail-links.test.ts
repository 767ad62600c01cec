// The commands of mails with links and of their tokens, through the program's entry function.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveGrpc, type GrpcServer } from '../../src/platform/rpc/grpc/server.ts';
import { runCli } from '../support/cli.ts';
import { PASSWORD } from '../support/accounts.ts';
import { mailFolder, PUBLIC_URL } from '../support/mails.ts';
import { openWorld, type Actor, type World } from '../support/world.ts';

describe.each(['with', 'without'])('%s mail', (mail) => {
  const mails = mailFolder();
  let world: World;
  let server: GrpcServer;
  let host: string;
  let folder: string;

  beforeAll(async () => {
    const settings = mail === 'with' ? mails.settings : {};
    world = await openWorld({ engine: 'sqlite', transport: 'local', settings });
    folder = mkdtempSync(join(tmpdir(), 'cli-'));
    host = `unix:${join(folder, 'core.sock')}`;
    const options = { host, port: 0, trustedGateways: [], log: pino({ level: 'silent' }) };
    server = await serveGrpc(world.deployment.core.host, options);
    return async () => rmSync(folder, { recursive: true });
  });
  afterAll(async () => {
    await server?.close(1_000);
    await world?.close();
  });

  const cli = (by: Actor, ...args: readonly string[]) =>
    runCli(args, { env: { AUTHSERVICE_CORE: host, AUTHSERVICE_TOKEN: by.session.accessToken } });
  const anonymous = (args: readonly string[], secrets: readonly string[] = []) =>
    runCli(args, {
      env: { AUTHSERVICE_CORE: host, AUTHSERVICE_CREDENTIALS: join(folder, 'credentials.json') },
      secrets,
    });
  const create = () =>
    cli(world.admin, 'user', 'create', 'ann', '--role', 'SALES', '--email', 'ann@mail.test', '--invite', '--json');

  if (mail === 'with') {
    it('invites a new user without asking for a password, and again', async () => {
      let created = { code: -1, out: '' };
      await mails.tokenTo('ann@mail.test', async () => (created = await create()));
      expect(created.code).toBe(0);
      expect(JSON.parse(created.out)).toMatchObject({ invitationExpiresAt: expect.stringMatching(/Z$/) });
      const token = await mails.tokenTo('ann@mail.test', async () =>
        expect(await cli(world.admin, 'user', 'invite', 'ann')).toMatchObject({
          code: 0,
          out: expect.stringContaining('a mail to ann is on its way'),
        }),
      );
      expect(token).toMatch(/^[\w-]{43}$/);
    });

    it('shows links instead of sending mails, and chooses the language of a mail', async () => {
      const { id } = await world.seed({ tenantId: 'acme', hasPassword: false, email: 'dora@mail.test' });
      const link = expect.stringMatching(new RegExp(`${PUBLIC_URL}/invite#token=[\\w-]{43}$`));
      const shown = await cli(world.admin, 'user', 'invite', id, '--link', '--json');
      expect(JSON.parse(shown.out)).toEqual({ id, link });
      const several = ['user', 'invite-new', 'eve@mail.test', '--role', 'SALES', '--reason', 'ticket 4711'];
      const results = await cli(world.admin, ...several, '--link', '--json');
      expect(JSON.parse(results.out)).toMatchObject([{ username: 'eve@mail.test', link }]);
      await mails.tokenTo('dora@mail.test', () => cli(world.admin, 'user', 'invite', id, '--language', 'de'));
      expect(mails.to('dora@mail.test')).toMatchObject([{ subject: 'Einladung zu acme' }]);
      expect(mails.to('eve@mail.test')).toEqual([]);
    });

    it('sends a mail to confirm an address', async () => {
      const user = await world.actor();
      const token = await mails.tokenTo('bob@mail.test', async () =>
        expect(await cli(user, 'account', 'email', 'bob@mail.test')).toMatchObject({ code: 0 }),
      );
      expect(token).toMatch(/^[\w-]{43}$/);
    });
    it('chooses the first password with the link of an invitation, once, without a login', async () => {
      const account = await world.seed({ tenantId: 'acme', hasPassword: false, email: 'cleo@mail.test' });
      const token = await mails.tokenTo('cleo@mail.test', () => cli(world.admin, 'user', 'invite', account.id));
      const confirm = (...secrets: readonly string[]) => anonymous(['invitation', 'confirm'], secrets);
      expect(await confirm(token, 'short')).toMatchObject({ code: 1, error: expect.stringContaining('password') });
      const link = `${PUBLIC_URL}/invite#token=${token}`;
      expect(await confirm(link, PASSWORD)).toMatchObject({ code: 0, out: expect.stringContaining('you can log in') });
      expect(await confirm(link, PASSWORD)).toMatchObject({
        code: 1,
        error: expect.stringContaining('The link is not valid'),
      });
      const login = await anonymous(['login', account.username], [PASSWORD]);
      expect(login).toMatchObject({ code: 0, out: expect.stringContaining(`logged in as ${account.username}`) });
    });

    it('cancels an invitation', async () => {
      const { id } = await world.seed({ tenantId: 'acme', hasPassword: false, email: 'fay@mail.test' });
      const token = await mails.tokenTo('fay@mail.test', () => cli(world.admin, 'user', 'invite', id));
      expect(await cli(world.admin, 'invitation', 'cancel', id, '--yes')).toMatchObject({ code: 0 });
      expect(await anonymous(['invitation', 'confirm'], [token, PASSWORD])).toMatchObject({ code: 1 });
    });

    it('recovers an account, and says nothing of an unknown one', async () => {
      const account = await world.seed({ tenantId: 'acme', email: 'dora@mail.test' });
      const request = (name: string) => anonymous(['recovery', 'request', name]);
      const token = await mails.tokenTo('dora@mail.test', async () => {
        const [known, unknown] = [await request(account.username), await request('nobody')];
        expect(known).toMatchObject({ code: 0, out: expect.stringContaining('if') });
        expect(unknown).toEqual({ ...known, out: known.out.replace(account.username, 'nobody') });
      });
      const confirm = () => anonymous(['recovery', 'confirm'], [token, 'another long password']);
      expect(await confirm()).toMatchObject({ code: 0, out: expect.stringContaining('sessions') });
      expect(await confirm()).toMatchObject({ code: 1 });
    });

    it('confirms an address', async () => {
      const user = await world.actor();
      const token = await mails.tokenTo('eve@mail.test', () => cli(user, 'account', 'email', 'eve@mail.test'));
      expect(await anonymous(['email', 'confirm'], [token])).toMatchObject({ code: 0 });
      expect(await anonymous(['email', 'confirm'], [token])).toMatchObject({ code: 1 });
    });
  } else {
    it('says that mail is off', async () => {
      expect(await create()).toMatchObject({ code: 1, error: expect.stringContaining('invite needs mail') });
      const { id } = await world.seed({ hasPassword: false });
      for (const args of [
        ['user', 'invite', id],
        ['account', 'email', 'bob@mail.test'],
      ])
        expect(await cli(world.admin, ...args)).toMatchObject({
          code: 1,
          error: expect.stringContaining('the service sends no mails; set app.mail.url'),
        });
      for (const args of [
        ['recovery', 'request', 'ann'],
        ['recovery', 'confirm'],
        ['invitation', 'confirm'],
        ['email', 'confirm'],
      ])
        expect(await anonymous(args, ['token', PASSWORD])).toMatchObject({
          code: 1,
          error: expect.stringContaining('the service sends no mails; set app.mail.url'),
        });
    });
  }
});
