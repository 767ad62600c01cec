// How soon a revocation by another process is shown, and how soon it ends the streams of its credential.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API, caller, callerWith } from '../../support/callers.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { openEvents } from '../../support/event-stream.ts';
import { openDownload, openUpload } from '../../support/open-request.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { pathOf, prepare, stage } from '../../support/shop/files.ts';
import { REVOKE, seedClient, tokenClient, tokenSender } from '../m2m/clients.ts';

const FEED = '/api/v1/auth/revocations';
const SHOWN_WITHIN_MS = 1_000;
const END_WITHIN_MS = 5_000;
const SIZE = 200_000;
/** More than the buffers of both sockets hold. */
const DOWNLOAD_BYTES = 6 * 1024 * 1024;

describe.each(DIAGONAL)('$engine over $transport', (how) => {
  let first: Deployment;
  let second: Deployment;
  beforeAll(async () => {
    first = await deploy(how);
    second = await deploy({ ...how, databaseUrl: first.databaseUrl, clock: first.clock });
  });
  afterAll(async () => {
    await second?.close();
    await first?.close();
  });

  const logout = (accessToken: string) => restClient(second.url).logout({ accessToken });
  const millisecondsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };

  it('shows a revocation within a second', async () => {
    const server = await seedClient(first.database, { resourceServer: true });
    const { body } = await tokenClient(first.url).byForm(server);
    const stream = await openEvents(first.url + FEED, bearer(body.access_token));
    await stream.find('snapshot-end');
    for (let count = 0; count < 5; count += 1) {
      const session = await seedSession(first, await seedAccount(first.database));
      await logout(session.accessToken);
      expect(await millisecondsOf(() => stream.find('session', session.id))).toBeLessThan(SHOWN_WITHIN_MS);
    }
    stream.close();
  });

  it('ends a stream of revocations within 5 s of its token', async () => {
    const server = await seedClient(first.database, { resourceServer: true });
    const { body } = await tokenClient(first.url).byForm(server);
    const stream = await openEvents(first.url + FEED, bearer(body.access_token));
    await stream.find('snapshot-end');
    await tokenSender(second.url, REVOKE).byForm(body.access_token, server);
    expect(await millisecondsOf(() => stream.ended)).toBeLessThan(END_WITHIN_MS);
  });

  it('ends a stream of revocations within 5 s when the service stops', async () => {
    const third = await deploy({ ...how, databaseUrl: first.databaseUrl, clock: first.clock });
    const { body } = await tokenClient(first.url).byForm(await seedClient(first.database, { resourceServer: true }));
    const stream = await openEvents(third.url + FEED, bearer(body.access_token));
    await stream.find('snapshot-end');
    const stop = () => Promise.all([third.close(), stream.ended]);
    expect(await millisecondsOf(stop)).toBeLessThan(END_WITHIN_MS);
  });

  it('ends a stream of audit records within 5 s of its session', async () => {
    const account = await seedAccount(first.database, { tenantId: 'acme', roles: ['TENANT_ADMIN'] });
    const { accessToken } = await seedSession(first, account);
    const stream = await openEvents(`${first.url}/api/v1/audit-records/stream`, bearer(accessToken));
    expect(stream.status).toBe(200);
    await logout(accessToken);
    expect(await millisecondsOf(() => stream.ended)).toBeLessThan(END_WITHIN_MS);
  });

  it('ends an upload and a download within 5 s of their session', async () => {
    const { account } = await caller(first, { tenantId: 'acme' });
    const { accessToken } = await seedSession(first, account);
    const by = callerWith(first.url, account, bearer(accessToken));
    const whole = await stage(by, Buffer.alloc(DOWNLOAD_BYTES));
    const upload = openUpload('PUT', first.url + API + pathOf(await prepare(by, SIZE)), by.headers, SIZE);
    await upload.send(Buffer.alloc(SIZE / 2));
    const download = await openDownload(first.url + API + pathOf(whole), by.headers);
    await logout(accessToken);
    expect(await millisecondsOf(() => upload.response)).toBeLessThan(END_WITHIN_MS);
    expect((await download.rest()).complete).toBe(false);
  });
});
