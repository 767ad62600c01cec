// Another version of a library or of Node may lack the private members that the service uses. Then the service works in their own way.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { grpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import { SessionServiceService } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { restClient, sessionOf } from '../support/rest-client.ts';
import { endProcesses, FREE_PORTS, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

let test: TestDatabase;
afterEach(async () => {
  await endProcesses();
  await test.drop();
});

it.each([
  ['.+', ['commonServerOptions', 'http2Servers', 'onIncoming', 'addCommand']],
  ['parseJson', ['parseJson']],
  ['parameters', ['parameters']],
])('a service without %s serves, and says what it lacks', async (pattern, lacking) => {
  test = await createTestDatabase(SERVER_ENGINE);
  const { username } = await seedAccount(test.database, { roles: ['ADMIN'], resourceServer: true });
  const env = {
    NODE_OPTIONS: `--import=${new URL('../support/renamed-members.ts', import.meta.url).pathname}`,
    RENAMED_MEMBERS: pattern,
  };
  const core = startProgram('core', { settings: { ...SHOP_SETTINGS, 'app.database.url': test.url }, env });
  const { rpc } = await core.ready();
  const settings = { ...FREE_PORTS, 'app.name': 'my-shop', 'app.env': 'TEST', 'app.gateway.core': `ipv4:${rpc}` };
  const gateway = startProgram('gateway', { settings, env });
  const { http } = await gateway.ready();

  const rest = restClient(http);
  const login = await rest.open(username);
  const renewed = sessionOf(await rest.refresh(login.cookie));
  expect((await rest.me(renewed.accessToken)).body).toMatchObject({ username });
  const authorization = `Bearer ${renewed.accessToken}`;
  const users = await fetch(`${http}/api/v1/users?query=${username}`, { headers: { authorization } });
  expect(await users.json()).toMatchObject([{ username }]);
  const { hostname, port } = new URL(http);
  const socket = connect(Number(port), hostname);
  const get = (headers: string) =>
    `GET /api/v1/auth/me HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n${headers}\r\n`;
  socket.write(get('') + get('Connection: close\r\n'));
  expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);

  const channel = grpcChannel({ target: rpc });
  const watch = channel.client(SessionServiceService).streamRevocations({}, { authorization: [authorization] });
  const first = await watch[Symbol.asyncIterator]().next();
  expect(first.done).toBe(false);
  channel.close();
  expect((await rest.logout(renewed)).status).toBe(200);
  expect((await rest.me(renewed.accessToken)).status).toBe(401);

  const output = core.output() + gateway.output();
  for (const member of lacking)
    expect(output).toMatch(new RegExp(`PrivateMemberWarning: .* has no member .*${member}Next`));
  expect((await core.stop()).code).toBe(0);
});
