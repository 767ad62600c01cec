// The maximum number of open uploads per account and tenant: each needs a connection, a descriptor and a file.
import { request, type ClientRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FileServiceService, type UploadFileRequest } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { testImages } from '../../support/images.ts';
import { problem } from '../../support/problems.ts';
import { API, caller, type Caller } from '../../support/callers.ts';
import { pathOf, prepare, sendForm, stage, storedIn, upload, type FileName } from '../../support/shop/files.ts';
import { refusal } from '../../support/rpc-outcomes.ts';

const TEXT = Buffer.from('0123456789');
const PER_ACCOUNT = 2;
const PER_TENANT = 3;
/** For the core to notice what a client has done. */
const NOTICED = { timeout: 10_000 };

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let first: Caller;
  let second: Caller;
  let stranger: Caller;
  let png: Buffer;
  let open: ClientRequest[] = [];

  beforeAll(async () => {
    deployment = await deploy({
      ...kind,
      settings: {
        'app.files.open-uploads.per-account': String(PER_ACCOUNT),
        'app.files.open-uploads.per-tenant': String(PER_TENANT),
      },
    });
    ({ png } = await testImages());
    first = await caller(deployment);
    second = await caller(deployment);
    stranger = await caller(deployment, { tenantId: 'other' });
  });
  afterAll(() => deployment?.close());

  const underWay = async () => (await storedIn(deployment.filesFolder)).uploads.length;

  /** Sends the first bytes of a file, and no more. */
  async function openUpload(by: Caller): Promise<FileName> {
    const file = await prepare(by, TEXT.length);
    const before = await underWay();
    const sending = request(deployment.url + API + pathOf(file), {
      method: 'PUT',
      headers: { ...by.headers, 'content-length': TEXT.length },
    });
    sending.on('error', () => undefined);
    sending.write(TEXT.subarray(0, 5));
    open.push(sending);
    await expect.poll(underWay, NOTICED).toBe(before + 1);
    return file;
  }

  afterEach(async () => {
    for (const sending of open) sending.destroy();
    open = [];
    await expect.poll(underWay, NOTICED).toBe(0);
  });

  it("rejects an upload above the account's limit, by either route, while other accounts upload", async () => {
    const file = await prepare(first, TEXT.length);
    for (let count = 0; count < PER_ACCOUNT; count += 1) await openUpload(first);
    const refused = await upload(first, file, TEXT);
    expect(refused).toEqual(problem(429, 'too-many-requests', API + pathOf(file)));
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await sendForm(first, [['file', png]])).status).toBe(429);
    await stage(second, TEXT);

    open.pop()!.destroy();
    await expect.poll(async () => (await upload(first, file, TEXT)).status, NOTICED).toBe(200);
  });

  it("rejects an upload above the tenant's limit, while other tenants upload", async () => {
    const file = await prepare(second, TEXT.length);
    for (let count = 0; count < PER_ACCOUNT; count += 1) await openUpload(first);
    await openUpload(second);
    expect((await upload(second, file, TEXT)).status).toBe(429);
    await stage(stranger, TEXT);
    open[0]!.destroy();
    await expect.poll(async () => (await upload(second, file, TEXT)).status, NOTICED).toBe(200);
  });

  it('counts gRPC uploads that have sent no content yet', async () => {
    const files = deployment.client(FileServiceService);
    const as = { authorization: [first.headers['authorization']!] };
    const done = Promise.withResolvers<void>();
    const ended = done.promise.then(() => ({ done: true, value: undefined }) as const);
    const silent = (): AsyncIterable<UploadFileRequest> => ({
      [Symbol.asyncIterator]: () => ({ next: () => ended }),
    });
    // Refused, and sent again, if it comes while the upload below is open.
    const holdSlot = async (): Promise<string> => {
      const { reason } = await refusal(files.uploadFile(silent(), as));
      return reason === 'TOO_MANY_REQUESTS' ? holdSlot() : 'ended';
    };
    const silents = Array.from({ length: PER_ACCOUNT }, holdSlot);
    const file = await prepare(first, TEXT.length);
    await expect.poll(async () => (await upload(first, file, TEXT)).status, NOTICED).toBe(429);
    expect(await refusal(files.uploadFile(silent(), as))).toMatchObject({
      reason: 'TOO_MANY_REQUESTS',
      retryAfterMs: 1_000,
    });
    done.resolve();
    expect(await Promise.all(silents)).toEqual(['ended', 'ended']);
    expect((await upload(first, file, TEXT)).status).toBe(200);
  });
});
