// Token requests while the database is down.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateServer, SERVER_ENGINE } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import type { MysqlServer } from '../../support/mysql-server.ts';
import { seedClient, tokenClient, type MachineClient } from './clients.ts';
import { formError, jsonError } from './oauth-errors.ts';

const WAYS = ['byForm', 'byBasic', 'byJson'] as const;

describe.each(['local', 'grpc'] as const)('an outage of the database over %s', (transport) => {
  let server: MysqlServer;
  let deployment: Deployment;
  let client: MachineClient;

  beforeAll(async () => {
    server = await privateServer();
    deployment = await deploy({ engine: SERVER_ENGINE, transport, databaseUrl: server.url });
    client = await seedClient(deployment.database);
  });
  afterAll(async () => {
    await server?.restart();
    await deployment?.close();
    await server?.stop();
  });

  it('returns 503 temporarily_unavailable in each format, until the database is back', async () => {
    const tokens = tokenClient(deployment.url);
    await server.kill();
    const responses = await Promise.all(WAYS.map((way) => tokens[way](client)));
    expect(responses[0]).toEqual(formError(503, 'temporarily_unavailable'));
    expect(responses[1]).toEqual(formError(503, 'temporarily_unavailable'));
    expect(responses[1]!.headers.get('www-authenticate')).toBeNull();
    expect(responses[2]).toEqual(jsonError(503, 'temporarily_unavailable'));
    for (const { headers, text } of responses) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(leaksOf(text, [client.secret])).toEqual([]);
    }
    expect(await tokens.post('grant_type=password')).toEqual(formError(400, 'unsupported_grant_type'));
    await server.restart();
    await expect.poll(async () => (await tokens.byForm(client)).status, { timeout: 10_000 }).toBe(200);
  });
});
