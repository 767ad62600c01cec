// user create --invite, user invite and account email, through the program's entry function.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveGrpc, type GrpcServer } from '../../src/platform/rpc/grpc/server.ts';
import { runCli } from '../support/cli.ts';
import { mailFolder } from '../support/mails.ts';
import { openWorld, type Actor, type World } from '../support/world.ts';

describe.each(['with', 'without'])('%s mail', (mail) => {
  const mails = mailFolder();
  let world: World;
  let server: GrpcServer;
  let host: string;

  beforeAll(async () => {
    const settings = mail === 'with' ? mails.settings : {};
    world = await openWorld({ engine: 'sqlite', transport: 'local', settings });
    const folder = mkdtempSync(join(tmpdir(), 'cli-'));
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

    it('sends a mail to confirm an address', async () => {
      const user = await world.actor();
      const token = await mails.tokenTo('bob@mail.test', async () =>
        expect(await cli(user, 'account', 'email', 'bob@mail.test')).toMatchObject({ code: 0 }),
      );
      expect(token).toMatch(/^[\w-]{43}$/);
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
    });
  }
});
