// Calls one RPC of a core repeatedly, in the process or over gRPC, with client and core in this process. `GET /local?seconds=3` and
// `GET /grpc?seconds=3` return the number of calls. Usage: `transports.ts TOKEN FLAGS`, with the flags of the service.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { IdentityServiceService as Identity } from '../proto/gen/authservice/identity/v1/identity_service.ts';
import { loadSettings } from '../src/platform/config/load.ts';
import { grpcChannel } from '../src/platform/rpc/grpc/client.ts';
import { serveGrpc } from '../src/platform/rpc/grpc/server.ts';
import { localClient } from '../src/platform/rpc/local/client.ts';
import type { Client } from '../src/platform/rpc/types.ts';
import { openCore } from '../src/composition/server.ts';

const CALLERS = 32;
const [token = '', ...argv] = process.argv.slice(2);
const { settings } = loadSettings({ argv, env: {}, cwd: process.cwd(), role: 'all' });
const log = pino({ level: 'silent' });
const core = await openCore({ settings, log });
const server = await serveGrpc(core.host, { host: '127.0.0.1', port: 0, trustedGateways: [], log });
const channel = grpcChannel({ target: `127.0.0.1:${server.port}` });
const clients: Readonly<Record<string, Client<typeof Identity>>> = {
  '/local': localClient(core.host, Identity),
  '/grpc': channel.client(Identity),
};

async function run(client: Client<typeof Identity>, seconds: number): Promise<{ requests: number; seconds: number }> {
  const options = { authorization: [`Bearer ${token}`], timeoutMs: 4_000 };
  const began = performance.now();
  const endsAt = began + seconds * 1000;
  let requests = 0;
  const callRepeatedly = async () => {
    while (performance.now() < endsAt) {
      await client.getMe({}, options);
      requests += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, callRepeatedly));
  return { requests, seconds: (performance.now() - began) / 1000 };
}

const control = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  run(clients[pathname]!, Number(searchParams.get('seconds'))).then(
    (result) => response.end(JSON.stringify(result)),
    (error: Error) => response.writeHead(500).end(error.stack),
  );
});
control.listen(0, '127.0.0.1');
await once(control, 'listening');
process.stdout.write(`http://127.0.0.1:${(control.address() as AddressInfo).port}\n`);
