// The comments that keep a stream of revocations open. The database has no part in them, and both transports wait at once.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { bearer } from '../../support/rest-client.ts';
import { deploy, TRANSPORTS } from '../../support/deployment.ts';
import { openEvents } from '../../support/event-stream.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';

describe.concurrent.each(TRANSPORTS)('a stream of revocations over %s', (transport) => {
  it('sends a comment every 15 s', async ({ expect }) => {
    const deployment = await deploy({ engine: 'sqlite', transport });
    const server = await seedClient(deployment.database, { resourceServer: true });
    const { body } = await tokenClient(deployment.url).byForm(server);
    const stream = await openEvents(`${deployment.url}/api/v1/auth/revocations`, bearer(body.access_token));
    await stream.find('snapshot-end');
    await sleep(15_800);
    expect(stream.comments).toEqual(['heartbeat']);
    stream.close();
    await deployment.close();
  });
});
