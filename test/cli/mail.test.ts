// mail list, mail retry and mail preview, on the machine of the service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutbox } from '../../src/auth/mail/outbox.ts';
import { createOutboxStore } from '../../src/auth/mail/outbox-store.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { operatorEnv, runCli } from '../support/cli.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { TEST_KEY_ENCRYPTION_KEY } from '../support/key-encryption-key.ts';
import { PUBLIC_URL } from '../support/mails.ts';

const { now } = testClock();

// The statement that deletes mails runs in no test of stores.
describe.each(ENGINES)('the mails on %s', (engine) => {
  let test: TestDatabase;
  const run = (...args: string[]) => runCli(args, { env: operatorEnv(test.url) });
  beforeAll(async () => {
    test = await createTestDatabase(engine);
  });
  afterAll(() => test.drop());

  async function addDead(): Promise<string> {
    const encryption = createKeyEncryption(TEST_KEY_ENCRYPTION_KEY);
    const outbox = createOutbox({ encryption, publicUrl: PUBLIC_URL, clock: now });
    await test.database.transaction(UNLIMITED, (tx) =>
      outbox.add(tx, {
        tenantId: 'acme',
        template: 'recovery',
        to: 'ann@mail.test',
        values: { username: 'ann', link: outbox.link('recover', 'secret') },
      }),
    );
    const store = createOutboxStore(test.database);
    const [mail] = await store.list();
    const failure = { nextAt: undefined, expiresAt: now() + 1e9, error: '550 refused', isUnknown: false };
    await store.recordFailure(mail!, failure);
    return mail!.id;
  }

  it('are listed without their content, and sent again', async () => {
    const [first, second] = [await addDead(), await addDead()];
    const { out } = await run('mail', 'list', '--json');
    expect(JSON.parse(out)).toMatchObject([
      { id: second, tenantId: 'acme', template: 'recovery', error: '550 refused' },
      { id: first },
    ]);
    expect(out).not.toMatch(/ann@|secret/);
    expect(await run('mail', 'retry', first, '--json')).toMatchObject({ code: 0, out: expect.stringContaining('1') });
    expect((await run('mail', 'retry', first)).error).toContain(`no mail ${first} was given up`);
    expect(await run('mail', 'retry')).toMatchObject({ code: 0, out: expect.stringContaining('1 mails') });
    expect(await createOutboxStore(test.database).stats()).toMatchObject({ waiting: 2, dead: 0 });
  });

  it('are deleted by their ids, but not those that wait', async () => {
    const [first, second, third] = [await addDead(), await addDead(), await addDead()];
    await run('mail', 'retry', third);
    const stats = await createOutboxStore(test.database).stats();
    expect(await run('mail', 'delete', first, second, '--yes')).toMatchObject({
      code: 0,
      out: '2 mails were deleted\n',
    });
    expect(await createOutboxStore(test.database).stats()).toEqual({ ...stats, dead: stats.dead - 2 });
    for (const id of [first, third, 'nothing'])
      expect(await run('mail', 'delete', id, '--yes')).toMatchObject({
        code: 1,
        error: `no mail ${id} was given up\n`,
      });
  });

  it.each(['nothing', newId()])('a retry of %s fails', async (id) => {
    expect(await run('mail', 'retry', id)).toMatchObject({ code: 1 });
  });
});

describe('mail preview', () => {
  const preview = (...args: string[]) => runCli(['mail', 'preview', ...args], { env: {} });

  it('shows text or HTML in a language', async () => {
    expect((await preview('recovery')).out).toContain('Subject: New password for Authservice');
    expect((await preview('recovery', '--language', 'de', '--html')).out).toContain('<html lang="de">');
  });

  it.each([
    ['recovery', 'recover#token'],
    ['email-confirmation', 'email#token'],
    ['email-change-requested', 'email#stop'],
    ['invitation', 'invite#token'],
  ])('shows the link of %s', async (template, page) => {
    expect((await preview(template)).out).toContain(`/${page}=sample`);
  });

  it.each([[['unknown']], [['recovery', '--language', 'fr']]])('names the accepted values for %j', async (args) => {
    const { code, error } = await preview(...args);
    expect(code).not.toBe(0);
    expect(error).toContain('give one of');
  });
});
