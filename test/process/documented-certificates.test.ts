// The certificates that the documents create: each for one purpose (RFC 5280 section 4.2.1.12).
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runShell } from '../languages/commands.ts';
import { docCommands } from '../languages/doc-commands.ts';
import { PROJECT } from '../support/service-process.ts';

const SERVER = ['1.3.6.1.5.5.7.3.1'];
const CLIENT = ['1.3.6.1.5.5.7.3.2'];

const SOURCES = [
  {
    source: 'docs/grpc-clients.md',
    script: docCommands('certificates'),
    caller: 'greeter',
    purposes: { core: SERVER, greeter: CLIENT },
  },
  {
    source: 'deploy/make-secrets.sh',
    script: `"${PROJECT}/deploy/make-secrets.sh" secrets && mv secrets/* .`,
    caller: 'gateway',
    purposes: { core: SERVER, gateway: CLIENT, mysql: SERVER },
  },
] as const;

describe.each(SOURCES)('$source', ({ script, caller, purposes }) => {
  let folder: string;
  const read = (name: string) => new X509Certificate(readFileSync(join(folder, `${name}.pem`)));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'certificates-'));
    await runShell(script, { cwd: folder });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('creates certificates with one purpose each', () => {
    const found = Object.keys(purposes).map((name) => [name, read(name).keyUsage]);
    expect(Object.fromEntries(found)).toEqual(purposes);
  });

  it.each([
    ['a server refuses the certificate of a server as that of a client', 'core', 'core', false],
    ['a client refuses the certificate of a client as that of a server', caller, caller, false],
    ['both accept the certificates for their purpose', 'core', caller, true],
  ])('%s', async (_, server, client, isAccepted) => {
    expect(await canConnect(folder, server, client)).toBe(isAccepted);
  });

  it('creates an authority that signs them and is not one of them', () => {
    const authority = read('ca');
    expect(authority.ca).toBe(true);
    for (const name of Object.keys(purposes)) {
      expect([name, read(name).ca, read(name).checkIssued(authority)]).toEqual([name, false, true]);
    }
  });
});

/** Whether both sides of a connection with client certificates accept each other. */
async function canConnect(folder: string, server: string, client: string): Promise<boolean> {
  const read = (file: string) => readFileSync(join(folder, file));
  const identity = (name: string) => ({ ca: read('ca.pem'), cert: read(`${name}.pem`), key: read(`${name}.key`) });
  const listener = createServer({ ...identity(server), requestCert: true, rejectUnauthorized: true });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  // The host name is not under test.
  const socket = connect({ ...identity(client), port, host: '127.0.0.1', checkServerIdentity: () => undefined });
  socket.on('error', () => {});
  const accepted = once(listener, 'secureConnection').then(([peer]) => (peer as TLSSocket).authorized);
  const refused = Promise.race([once(listener, 'tlsClientError'), once(socket, 'error')]).then(() => false);
  const isAccepted = await Promise.race([accepted, refused]);
  socket.destroy();
  listener.close();
  return isAccepted;
}
