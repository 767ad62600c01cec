// TLS to the database server: what the start says if the handshake fails.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { waitForDatabase } from '../../src/platform/db/wait.ts';
import { makeCertificates, writeCertificates } from '../support/certificates.ts';
import { SERVER_ENGINE } from '../support/databases.ts';
import { startMysqlServer, type MysqlServer } from '../support/mysql-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const log = pino({ level: 'silent' });
const SERVER = { commonName: 'db', alternative: 'DNS:db' };

const certificates = () => writeCertificates(temporaryFolder('tls-'), makeCertificates({ server: SERVER }));

describe(`TLS to ${SERVER_ENGINE}`, () => {
  let server: MysqlServer;
  let files: ReturnType<typeof certificates>;
  let others: ReturnType<typeof certificates>;

  beforeAll(async () => {
    [files, others] = [certificates(), certificates()];
    const { ca, server: pair } = files;
    server = await startMysqlServer(`--ssl-ca=${ca}`, `--ssl-cert=${pair.cert}`, `--ssl-key=${pair.key}`);
  });
  afterAll(() => server.stop());

  async function outcome(host: string, parameters: string): Promise<string> {
    const { port } = new URL(server.url);
    const database = connectDatabase({ url: `mysql://root@${host}:${port}/mysql?${parameters}`, poolSize: 1, log });
    const error = await waitForDatabase(database, { log, timeoutMs: 0 }).catch((reason: unknown) => reason as Error);
    await database.close();
    return error?.message ?? 'it was accepted';
  }

  it('is accepted with the authority of the certificate', async () => {
    expect(await outcome('localhost', `ssl-ca=${files.ca}&ssl-verify-identity=false`)).toBe('it was accepted');
  });

  it.each<[what: string, host: string, parameters: () => string, reason: RegExp, remedy: string]>([
    ['no authority', '127.0.0.1', () => 'ssl=true', /self-signed certificate.*|unable to .* certificate.*/, 'ssl-ca'],
    [
      'another authority',
      'localhost',
      () => `ssl-ca=${others.ca}`,
      /certificate signature failure|self-signed.*/,
      'ssl-ca',
    ],
    [
      'another name',
      'localhost',
      () => `ssl-ca=${files.ca}`,
      /Host: localhost\. is not in the cert's altnames: DNS:db/,
      'connect to a name of its certificate, or add ssl-verify-identity=false',
    ],
  ])('names the reason and the parameter of the URL: %s', async (_what, host, parameters, reason, remedy) => {
    const message = await outcome(host, parameters());
    expect(message).toMatch(new RegExp(`^Database unavailable: TLS failed: (?:${reason.source}); `));
    expect(message).toContain(remedy);
    expect(message).toMatch(/ in app\.database\.url$/);
  });
});
