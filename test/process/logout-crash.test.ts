// A process that is killed between the end of a session and the logout tokens: after a restart, each application gets them.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { addSessionApplication } from '../../src/auth/oauth/logout/session-application-store.ts';
import { insertApplication } from '../../src/auth/oauth/applications/application-store.ts';
import { bytesToId } from '../../src/platform/db/ids.ts';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { webApplication } from '../support/oauth/applications.ts';
import { startLogoutReceiver, type LogoutReceiver } from '../support/oauth/logout-receiver.ts';
import { restClient } from '../support/rest-client.ts';
import { endProcesses, SHOP_SETTINGS, startProgram, type ServiceProcess } from '../support/service-process.ts';
import { seedSession } from '../support/sessions.ts';

const APPLICATIONS = 5;
/** A lease of the killed process delays the restarted one. */
const PATIENCE = { timeout: 40_000, interval: 50 };
/** Two starts of a process, and the patience with each. */
const LIMIT = { timeout: 150_000 };

describe.each(ENGINES)('a process on %s that is killed', (engine) => {
  let test: TestDatabase;
  let receiver: LogoutReceiver;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    receiver = await startLogoutReceiver();
    for (let number = 0; number < APPLICATIONS; number += 1)
      await insertApplication(
        test.database,
        webApplication({ clientId: `app-${number}`, backchannelLogoutUri: `${receiver.url}/${number}` }),
      );
  });
  afterEach(endProcesses);
  afterAll(async () => {
    await receiver?.close();
    await test?.drop();
  });

  /** Starts a process as if the leases of queues of killed ones had ended, which last for a minute. */
  async function start(): Promise<{ readonly process: ServiceProcess; readonly url: string }> {
    await test.database.execute('UPDATE webhook_queues SET leased_until = 0');
    const process = startProgram('gateway', {
      settings: {
        ...SHOP_SETTINGS,
        'app.public-url': 'https://login.example.com',
        'app.database.url': test.url,
        'app.webhooks.allowed-networks': '127.0.0.1',
      },
    });
    return { process, url: (await process.ready()).http };
  }

  /** Returns a session in which each application has had a grant. */
  async function openSession() {
    const { database } = test;
    const account = await seedAccount(database);
    const session = await seedSession({ database, clock: { now: Date.now, advance: () => {} } }, account);
    const rows = await database.query<{ id: Uint8Array }>('SELECT id FROM applications WHERE tenant_id = ?', [
      Buffer.from('acme'),
    ]);
    for (const { id } of rows) {
      const one = {
        tenantId: account.tenantId,
        sessionId: session.id,
        accountId: account.id,
        applicationId: bytesToId(id),
      };
      await addSessionApplication(database, database, one, Date.now());
    }
    return session;
  }

  const audiencesOf = (sid: string) => new Set(receiver.of(sid).map(({ claims }) => claims.aud));
  const expectAllTold = (sid: string) => vi.waitFor(() => expect(audiencesOf(sid).size).toBe(APPLICATIONS), PATIENCE);

  it('right after the end of a session lets the next one tell all applications', LIMIT, async () => {
    const { process, url } = await start();
    const session = await openSession();
    expect((await restClient(url).logout(session)).status).toBe(200);
    await process.kill();
    await start();
    await expectAllTold(session.id);
  });

  it('before the applications respond lets the next one tell them again', LIMIT, async () => {
    const { process, url } = await start();
    const session = await openSession();
    receiver.respond = () => undefined;
    expect((await restClient(url).logout(session)).status).toBe(200);
    await expectAllTold(session.id);
    await process.kill();
    receiver.respond = () => 200;
    const before = receiver.of(session.id).length;
    await start();
    await vi.waitFor(() => expect(receiver.of(session.id).length).toBe(before + APPLICATIONS), PATIENCE);
    const again = receiver.of(session.id).slice(before);
    expect(new Set(again.map(({ claims }) => claims.aud)).size).toBe(APPLICATIONS);
    const tokens = new Set(receiver.of(session.id).map(({ claims }) => claims.jti));
    expect(tokens.size).toBe(before + APPLICATIONS);
  });
});
