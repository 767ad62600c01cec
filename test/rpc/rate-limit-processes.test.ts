// One limit in the database, shared by several real processes.
import { afterAll, describe, expect, it } from 'vitest';
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { grpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import { createTestDatabase, ENGINES } from '../support/databases.ts';
import { endProcesses, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';
import { seedClient } from '../rest/m2m/clients.ts';

const PROCESSES = 3;
const POINTS = 20;
/** No caller gives up while commits are slow. */
const PATIENCE_MS = 50_000;
const REFUSED = 'TOO_MANY_REQUESTS: too many requests of this client id from this address (grants)';

afterAll(endProcesses);

describe.each(ENGINES)('%s', (engine) => {
  it('accepts exactly the limit of parallel grants at three cores', async () => {
    const { url, database, drop } = await createTestDatabase(engine);
    const settings = {
      ...SHOP_SETTINGS,
      'app.database.url': url,
      'app.security.m2m.rate-limit.store': 'database',
      'app.security.m2m.rate-limit.points': String(POINTS),
      'app.security.m2m.rate-limit.window': '1h',
    };
    const cores = Array.from({ length: PROCESSES }, () => startProgram('core', { settings }));
    const addresses = await Promise.all(cores.map((core) => core.ready()));
    const channels = addresses.map(({ rpc }) => grpcChannel({ target: rpc, timeoutMs: PATIENCE_MS }));
    const clients = channels.map((channel) => channel.client(ClientCredentialsServiceService));
    const machine = await seedClient(database);
    const request = { grantType: 'client_credentials', clientId: machine.id, clientSecret: machine.secret };

    const results = await Promise.allSettled(
      Array.from({ length: 5 * POINTS }, (_, i) => clients[i % PROCESSES]!.issueToken(request)),
    );
    // With the detail, which says which limit refused.
    const outcomes = results.map((result) => {
      if (result.status === 'fulfilled') return 'accepted';
      const { reason, message } = (result.reason as RpcError).status;
      return `${reason}: ${message}`;
    });
    const counts = Object.fromEntries(
      [...Map.groupBy(outcomes, (outcome) => outcome)].map(([outcome, { length }]) => [outcome, length]),
    );
    const points = await database.query('SELECT points FROM rate_limits');
    expect({ counts, points }).toEqual({
      counts: { accepted: POINTS, [REFUSED]: 4 * POINTS },
      points: [{ points: POINTS }],
    });

    for (const channel of channels) channel.close();
    await Promise.all(cores.map((core) => core.stop()));
    await drop();
  });

  it('logs one warning at the start if no store is set', async () => {
    const { url, drop } = await createTestDatabase(engine);
    const core = startProgram('core', { settings: { ...SHOP_SETTINGS, 'app.database.url': url } });
    await core.ready();
    const warnings = core.logs().filter(({ msg }) => msg.includes('app.security.m2m.rate-limit.store'));
    expect(warnings.map(({ level }) => level)).toEqual(['warn']);
    await core.stop();
    await drop();
  });
});
