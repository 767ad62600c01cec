// A session with 1,000 applications: all of them learn of its end within 10 s, and one that does not respond delays none.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { insertApplication } from '../../../src/auth/oauth/applications/application-store.ts';
import { addSessionApplication } from '../../../src/auth/oauth/logout/session-application-store.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { webApplication } from '../../support/oauth/applications.ts';
import { startLogoutReceiver, type LogoutReceiver } from '../../support/oauth/logout-receiver.ts';
import { callerOf, openedService, signedIn } from '../../support/oauth/service.ts';
import { decodeJwt } from 'jose';

rememberPasswords();

const APPLICATIONS = 1_000;
const LIMIT_MS = 10_000;

describe.each(DIAGONAL)('1,000 applications of a session, $engine over $transport', (kind) => {
  const service = openedService({ ...kind, settings: { 'app.webhooks.allowed-networks': '127.0.0.1' } });
  let receiver: LogoutReceiver;
  const applications = Array.from({ length: APPLICATIONS }, (_, number) =>
    webApplication({ clientId: `many-${number}`, name: `Application ${number}` }),
  );
  beforeAll(async () => {
    receiver = await startLogoutReceiver(({ path }) => (path.endsWith('/0') ? undefined : 200));
    const { database } = service.deployment;
    await database.transaction(UNLIMITED, async (tx) => {
      for (const [number, application] of applications.entries())
        await insertApplication(tx, { ...application, backchannelLogoutUri: `${receiver.url}/${number}` });
    });
  });
  afterAll(() => receiver?.close());

  it('are all told within 10 s, although one of them hangs', { timeout: 150_000 }, async () => {
    const { database, clock } = service.deployment;
    const user = await service.user();
    const browser = await signedIn(service, user);
    const sessionId = decodeJwt(browser.accessToken!)['sid'] as string;
    const { tenantId, id: accountId } = user.account;
    await database.transaction(UNLIMITED, async (tx) => {
      for (const { id: applicationId } of applications)
        await addSessionApplication(database, tx, { tenantId, sessionId, accountId, applicationId }, clock.now());
    });
    const began = performance.now();
    expect((await callerOf(service, browser).post('/auth/logout')).status).toBe(200);
    await vi.waitFor(() => expect(receiver.of(sessionId)).toHaveLength(APPLICATIONS), {
      timeout: 120_000,
      interval: 20,
    });
    expect(performance.now() - began).toBeLessThan(LIMIT_MS);
    expect(new Set(receiver.of(sessionId).map(({ claims }) => claims.aud)).size).toBe(APPLICATIONS);
  });
});
