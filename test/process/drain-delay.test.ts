// The first seconds of a stop: balancers learn that the process is not ready, and it still serves.
import { afterEach, expect, it } from 'vitest';
import { createTestDatabase, SERVER_ENGINE } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { endProcesses, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

afterEach(endProcesses);

it.each(['1', '2'])('a stopping service of %s processes is not ready, and still serves', async (workers) => {
  const database = await createTestDatabase(workers === '1' ? 'sqlite' : SERVER_ENGINE);
  const service = startProgram('gateway', {
    settings: {
      ...SHOP_SETTINGS,
      'app.workers': workers,
      'app.database.url': database.url,
      'app.process.drain-delay': '8s',
    },
  });
  const { http, management } = await service.ready();
  const statusOf = async (url: string) => (await fetch(url)).status;
  expect([await statusOf(`${http}/health/ready`), await statusOf(`${management}/health/ready`)]).toEqual([200, 200]);
  service.signal('SIGTERM');
  await eventually(async () => expect(await statusOf(`${management}/health/ready`)).toBe(503));
  await eventually(async () => expect(await statusOf(`${http}/health/ready`)).toBe(503));
  // Over new connections, too.
  for (let request = 0; request < 5; request++) {
    const response = await fetch(`${http}/.well-known/jwks.json`);
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    await response.text();
  }
  expect(await service.exited).toEqual({ code: 0, signal: null });
  await database.drop();
});
