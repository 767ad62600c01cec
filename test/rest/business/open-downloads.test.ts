// The maximum number of open downloads per account and tenant: each needs a connection, a descriptor and memory.
import { request, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FileServiceService } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { API, caller, type Caller } from '../../support/callers.ts';
import { pathOf, stage, type FileName } from '../../support/shop/files.ts';
import { refusal } from '../../support/rpc-outcomes.ts';

/** More than the buffers of a connection hold. */
const LARGE = Buffer.alloc(5_000_000, 7);
const PER_ACCOUNT = 2;
const PER_TENANT = 3;
/** For the core to notice what a client has done. */
const NOTICED = { timeout: 10_000 };

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let first: Caller;
  let second: Caller;
  let stranger: Caller;
  let file: FileName;
  let small: FileName;
  let foreign: FileName;
  let open: IncomingMessage[] = [];

  beforeAll(async () => {
    deployment = await deploy({
      ...kind,
      settings: {
        'app.files.open-downloads.per-account': String(PER_ACCOUNT),
        'app.files.open-downloads.per-tenant': String(PER_TENANT),
      },
    });
    first = await caller(deployment);
    second = await caller(deployment);
    stranger = await caller(deployment, { tenantId: 'other' });
    file = await stage(first, LARGE);
    small = await stage(first, Buffer.from('small'));
    foreign = await stage(stranger, Buffer.from('small'));
  });
  afterAll(() => deployment?.close());

  /** Reads the headers of a response, and no more. */
  function openDownload(by: Caller): Promise<number> {
    return new Promise((resolve, reject) => {
      const sending = request(deployment.url + API + pathOf(file), { headers: by.headers, agent: false });
      sending.on('error', reject).on('response', (response) => {
        open.push(response.on('error', () => undefined));
        resolve(response.statusCode!);
      });
      sending.end();
    });
  }

  const statusOf = async (by: Caller, name = small) => (await by.get(pathOf(name))).status;

  afterEach(async () => {
    for (const response of open) response.destroy();
    open = [];
    for (const by of [first, second]) await expect.poll(() => statusOf(by), NOTICED).toBe(200);
  });

  it("rejects a download above the account's limit, while other accounts download", async () => {
    for (let count = 0; count < PER_ACCOUNT; count += 1) expect(await openDownload(first)).toBe(200);
    const refused = await first.get(pathOf(small));
    expect(refused).toEqual(problem(429, 'too-many-requests', API + pathOf(small)));
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await statusOf(second)).toBe(200);
    open.pop()!.destroy();
    await expect.poll(() => statusOf(first), NOTICED).toBe(200);
  });

  it("rejects a download above the tenant's limit, while other tenants download", async () => {
    for (let count = 0; count < PER_ACCOUNT; count += 1) await openDownload(first);
    await openDownload(second);
    expect(await statusOf(second)).toBe(429);
    expect(await statusOf(stranger, foreign)).toBe(200);
  });

  it('counts neither files that do not exist, nor HEAD, nor complete downloads', async () => {
    for (let count = 0; count <= PER_TENANT; count += 1) {
      expect(await statusOf(first)).toBe(200);
      expect((await first.send('HEAD', pathOf(small), null)).status).toBe(200);
      expect(await statusOf(first, foreign)).toBe(404);
    }
  });

  it('counts gRPC downloads', async () => {
    const files = deployment.client(FileServiceService);
    const as = { authorization: [first.headers['authorization']!] };
    const streams = Array.from({ length: PER_ACCOUNT }, () => files.downloadFile({ file }, as)[Symbol.asyncIterator]());
    for (const stream of streams) await stream.next();
    const above = files.downloadFile({ file }, as)[Symbol.asyncIterator]();
    expect(await refusal(above.next())).toMatchObject({ reason: 'TOO_MANY_REQUESTS', retryAfterMs: 1_000 });
    for (const stream of streams) await stream.return!();
  });
});
