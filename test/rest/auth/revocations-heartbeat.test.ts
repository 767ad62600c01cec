// The comments that keep a stream of revocations open. The database has no part in them.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, TRANSPORTS, type Deployment } from '../../support/deployment.ts';
import { openEvents } from '../../support/event-stream.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';

const INTERVAL_MS = 15_000;

describe.each(TRANSPORTS)('a stream of revocations over %s', (transport) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy({ engine: 'sqlite', transport });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(() => deployment?.close());

  it('sends a comment every 15 s, not earlier', async () => {
    const server = await seedClient(deployment.database, { resourceServer: true });
    const { body } = await tokenClient(deployment.url).byForm(server);
    vi.useFakeTimers({ toFake: ['performance'] });
    const stream = await openEvents(`${deployment.url}/api/v1/auth/revocations`, bearer(body.access_token));
    await stream.find('snapshot-end');
    /** A comment that is due comes before the revocation. */
    const showRevocation = async () => {
      const session = await seedSession(deployment, await seedAccount(deployment.database));
      await restClient(deployment.url).logout({ accessToken: session.accessToken });
      await stream.find('session', session.id);
    };

    for (const count of [1, 2]) {
      vi.advanceTimersByTime(INTERVAL_MS - 1);
      await showRevocation();
      expect(stream.comments).toHaveLength(count - 1);
      vi.advanceTimersByTime(1);
      await showRevocation();
      expect(stream.comments).toEqual(Array<string>(count).fill('heartbeat'));
    }
    stream.close();
  });
});
