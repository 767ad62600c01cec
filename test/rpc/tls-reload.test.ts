// Certificates that are replaced while a core and its clients run.
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { CertificateFiles, CertificatesInUse, Repeat } from '../../src/platform/rpc/grpc/certificates.ts';
import { grpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import { serveGrpc } from '../../src/platform/rpc/grpc/server.ts';
import { makeCertificates, writeCertificates } from '../support/certificates.ts';
import { Echo, echoHost } from './pipeline/echo-host.ts';
import { eventually } from '../support/eventually.ts';

/** The limit of a call is not what is tested, also on a busy machine. */
const PATIENCE_MS = 50_000;
const NAMES = {
  server: { commonName: 'core', alternative: 'DNS:localhost,IP:127.0.0.1' },
  gateway: { commonName: 'gateway', alternative: 'DNS:gateway' },
};
const FIRST = makeCertificates(NAMES);
const SECOND = makeCertificates(NAMES);
const BOTH = Buffer.concat([FIRST.ca, SECOND.ca]);

/** The looks of all servers and clients at their files. */
const looks = new Set<() => Promise<void>>();
const repeat: Repeat = (look) => {
  looks.add(look);
  return () => looks.delete(look);
};
const look = async () => {
  for (const each of looks) await each();
};
/** Content counts when two looks have found it. */
const lookTwice = async () => {
  await look();
  await look();
};

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  looks.clear();
});

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tls-'));
  closers.push(() => rmSync(directory, { recursive: true }));
  return directory;
}

async function serve({ mutual = false, at = folder() } = {}) {
  const { host, log, logged, calls } = echoHost();
  const files = writeCertificates(at, FIRST);
  const tls = { ...files.server, ...(mutual && { clientCa: files.ca }), repeat };
  const states: CertificatesInUse[] = [];
  const server = await serveGrpc(host, {
    host: '127.0.0.1',
    port: 0,
    trustedGateways: ['gateway'],
    tls,
    observeCertificates: (state) => void states.push(state),
    log,
  });
  closers.push(() => server.close(0));
  const said = (message: string) => logged.filter(({ msg }) => String(msg).includes(message));
  return { server, files, said, calls, states };
}

function connect(target: string, files: CertificateFiles) {
  const channel = grpcChannel({ target, tls: { ...files, repeat }, timeoutMs: PATIENCE_MS });
  closers.push(channel.close);
  return channel.client(Echo);
}

/** A client for one call on a new connection. */
const responses = (target: string, files: CertificateFiles): Promise<boolean> =>
  connect(target, files)
    .open({ text: '' })
    .then(
      () => true,
      () => false,
    );

/** The certificate that a new connection is shown. */
function shown(address: string): Promise<Buffer> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    const socket = connectTls(
      { host: host!, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2'] },
      () => {
        resolve(socket.getPeerX509Certificate()!.raw);
        socket.destroy();
      },
    );
    socket.once('error', reject);
  });
}

/** A connection that stays as it is, unlike a channel, which makes new ones. */
async function lasting(address: string, options: object): Promise<ClientHttp2Session> {
  const session = connectHttp2(`https://${address}`, options);
  closers.push(() => session.destroy());
  await new Promise((resolve, reject) => session.once('connect', resolve).once('error', reject));
  return session;
}

const ping = (session: ClientHttp2Session): Promise<unknown> =>
  new Promise((resolve, reject) => session.ping((error, ms) => (error === null ? resolve(ms) : reject(error))));

const raw = (pem: Buffer): Buffer => Buffer.from(pem.toString().replaceAll(/-----.*?-----|\s/g, ''), 'base64');

describe("a server's certificate", () => {
  it('is the new one for new connections, and open connections continue', async () => {
    const { server, files, said } = await serve();
    expect(await shown(server.address)).toEqual(raw(FIRST.server.cert));
    const open = await lasting(server.address, { ca: FIRST.ca });
    const client = connect(server.address, { ca: files.ca });
    await client.open({ text: '' });
    const call = client.unary({ text: 'hang', number: 0 }, { authorization: ['Bearer good'], timeoutMs: PATIENCE_MS });
    const outcome = call.catch((error: unknown) => error);

    writeCertificates(join(files.ca, '..'), SECOND);
    await lookTwice();
    expect(await shown(server.address)).toEqual(raw(SECOND.server.cert));
    expect(said('reloaded')).toHaveLength(1);
    await ping(open);
    await client.open({ text: '' });
    expect(open.closed).toBe(false);
    expect(await Promise.race([outcome, Promise.resolve('still under way')])).toBe('still under way');
  });

  it.each([
    ['is garbage', (cert: string) => writeFileSync(cert, 'garbage')],
    ['is half written', (cert: string) => writeFileSync(cert, SECOND.server.cert.subarray(0, 100))],
    ['does not fit its key', (cert: string) => writeFileSync(cert, SECOND.server.cert)],
    ['is away', (cert: string) => rmSync(cert)],
    ['has no key', (cert: string) => rmSync(cert.replace(/pem$/, 'key'))],
  ])('stays in use if the new one %s, until there is a valid one', async (_what, spoil) => {
    const { server, files, said } = await serve();
    spoil(files.server.cert);
    for (let n = 0; n < 5; n += 1) await look();
    expect(said('the old ones stay in use')).toHaveLength(1);
    expect(await shown(server.address)).toEqual(raw(FIRST.server.cert));
    expect(await responses(server.address, { ca: files.ca })).toBe(true);

    writeFileSync(files.server.key, SECOND.server.key);
    writeFileSync(files.server.cert, SECOND.server.cert);
    await lookTwice();
    expect(await shown(server.address)).toEqual(raw(SECOND.server.cert));
    expect(JSON.stringify(said('the old ones stay in use'))).not.toContain('PRIVATE');
  });

  it('changes in steps without an error: each file is empty, half written and does not fit the others for a moment', async () => {
    const { server, files, said, states } = await serve({ mutual: true });
    const steps: [string, Buffer][] = [
      [files.server.cert, SECOND.server.cert],
      [files.server.key, SECOND.server.key],
      [files.ca, SECOND.ca],
    ];
    for (const [path, content] of steps)
      for (const length of [0, 100, content.length]) {
        writeFileSync(path, content.subarray(0, length));
        await look();
        expect(await shown(server.address)).toEqual(raw(FIRST.server.cert));
      }
    await look();
    expect(await shown(server.address)).toEqual(raw(SECOND.server.cert));
    expect(said('certificates').map(({ msg }) => msg)).toEqual(['certificates reloaded']);
    expect(states.filter(({ areFilesInvalid }) => areFilesInvalid)).toEqual([]);
  });

  it('is not loaded again if it is as before after a moment', async () => {
    const { files, said } = await serve();
    for (const content of [Buffer.alloc(0), FIRST.server.cert]) {
      writeFileSync(files.server.cert, content);
      await look();
    }
    await lookTwice();
    expect(said('certificates')).toEqual([]);
  });

  it('changes with its key if a link to their folder changes, as in Kubernetes', async () => {
    const [parent, old, next] = [folder(), folder(), folder()];
    writeCertificates(old, FIRST);
    writeCertificates(next, SECOND);
    const link = join(parent, '..data');
    symlinkSync(old, link);
    const { server, said } = await serve({ at: link });
    symlinkSync(next, `${link}_tmp`);
    renameSync(`${link}_tmp`, link);
    await lookTwice();
    expect(await shown(server.address)).toEqual(raw(SECOND.server.cert));
    expect(said('certificates').map(({ msg }) => msg)).toEqual(['certificates reloaded']);
  });

  it('names a file that cannot be read, and each new problem', async () => {
    const { files, said } = await serve();
    rmSync(files.server.key);
    await lookTwice();
    writeFileSync(files.server.key, '');
    await lookTwice();
    await lookTwice();
    expect(said('the old ones stay in use').map(({ problem }) => problem)).toEqual([
      `${files.server.key} cannot be read (ENOENT)`,
      'no private key in PEM form',
    ]);
  });

  it('is not judged by two looks at the same time', async () => {
    const { server, files } = await serve();
    writeCertificates(join(files.ca, '..'), SECOND);
    await Promise.all([look(), look()]);
    expect(await shown(server.address)).toEqual(raw(FIRST.server.cert));
    await look();
    expect(await shown(server.address)).toEqual(raw(SECOND.server.cert));
  });

  it('must be valid at the start', async () => {
    const files = writeCertificates(folder(), FIRST);
    const { host, log } = echoHost();
    const start = (tls: { cert: string; key: string }) =>
      serveGrpc(host, { host: '127.0.0.1', port: 0, trustedGateways: [], tls, log });
    await expect(start({ ...files.server, key: files.gateway.key })).rejects.toThrow(/key values mismatch/);
    await expect(start({ ...files.server, cert: `${files.ca}.away` })).rejects.toThrow(/ENOENT.*away/);
    await expect(start({ ...files.server, cert: files.server.key })).rejects.toThrow(/no certificate in PEM form/);
  });
});

describe('the authorities of client certificates', () => {
  it('are the new ones for new connections, and open connections continue', async () => {
    const { server, files } = await serve({ mutual: true });
    const others = writeCertificates(folder(), SECOND);
    const old = { ca: files.ca, ...files.gateway };
    const renewed = { ca: files.ca, ...others.gateway };
    expect(await responses(server.address, old)).toBe(true);
    expect(await responses(server.address, renewed)).toBe(false);
    const open = await lasting(server.address, { ca: FIRST.ca, ...FIRST.gateway });

    // Trust in both is how authorities are changed.
    const trust = join(files.ca, '..', 'ca.pem');
    const clientsCa = `${files.ca}.clients`;
    writeFileSync(clientsCa, FIRST.ca);
    writeFileSync(trust, BOTH);
    await lookTwice();
    expect(await responses(server.address, { ...renewed, ca: clientsCa })).toBe(true);
    expect(await responses(server.address, { ...old, ca: clientsCa })).toBe(true);
    writeFileSync(trust, SECOND.ca);
    await lookTwice();
    expect(await responses(server.address, { ...old, ca: clientsCa })).toBe(false);
    expect(await responses(server.address, { ...renewed, ca: clientsCa })).toBe(true);
    await ping(open);
  });

  it('stay in use while the new bundle is incomplete', async () => {
    const { server, files, said } = await serve({ mutual: true });
    const others = writeCertificates(folder(), SECOND);
    const renewed = { ...others.gateway, ca: `${files.ca}.clients` };
    writeFileSync(renewed.ca, FIRST.ca);
    writeFileSync(files.ca, BOTH);
    await lookTwice();
    expect(await responses(server.address, renewed)).toBe(true);
    writeFileSync(files.ca, BOTH.subarray(0, -40));
    for (let n = 0; n < 5; n += 1) await look();
    expect(said('the old ones stay in use')).toHaveLength(1);
    expect(await responses(server.address, renewed)).toBe(true);
  });

  it('are not only the first ones of a bundle that is still being written', async () => {
    const { server, files, said } = await serve({ mutual: true });
    const others = writeCertificates(folder(), SECOND);
    const renewed = { ...others.gateway, ca: `${files.ca}.clients` };
    writeFileSync(renewed.ca, FIRST.ca);
    writeFileSync(files.ca, BOTH);
    await lookTwice();
    // Complete in itself, and without the authority of callers that are accepted before and after.
    for (const content of [FIRST.ca, Buffer.concat([BOTH, FIRST.ca])]) {
      writeFileSync(files.ca, content);
      await look();
      expect(await responses(server.address, renewed)).toBe(true);
    }
    await look();
    expect(await responses(server.address, renewed)).toBe(true);
    expect(said('certificates').map(({ msg }) => msg)).toEqual(['certificates reloaded', 'certificates reloaded']);
  });
});

describe("a client's files", () => {
  it('are reloaded: it sends its new certificate and trusts the new authority', async () => {
    const own = writeCertificates(folder(), FIRST);
    const { server, files } = await serve({ mutual: true });
    const target = server.address;
    const client = connect(target, { ca: own.ca, ...own.gateway });
    await client.open({ text: '' });

    // The core gets another certificate and another authority for its clients, and starts anew.
    await server.close(0);
    writeCertificates(join(files.ca, '..'), SECOND);
    const { host, log } = echoHost();
    const tls = { ...files.server, clientCa: files.ca };
    const next = await serveGrpc(host, { host: '127.0.0.1', port: server.port, trustedGateways: [], tls, log });
    closers.push(() => next.close(0));
    await expect(client.open({ text: '' })).rejects.toThrow();
    writeCertificates(join(own.ca, '..'), SECOND);
    await lookTwice();
    // It connects again after a pause.
    await eventually(() => client.open({ text: '' }));
  });

  it('must be valid at the start', () => {
    const files = writeCertificates(folder(), FIRST);
    expect(() => connect('127.0.0.1:1', { ca: files.server.key })).toThrow(/no certificate in PEM form/);
  });
});
