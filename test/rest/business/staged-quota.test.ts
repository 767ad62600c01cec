// The maximum size and number of a tenant's unattached files.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileServiceService } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { testImages, type Images } from '../../support/images.ts';
import { problem } from '../../support/problems.ts';
import { API, caller, type Caller } from '../../support/callers.ts';
import { pathOf, prepare, sendForm, stage, storedIn, upload } from '../../support/shop/files.ts';
import { addProduct } from '../../support/shop/products.ts';
import { refusal } from '../../support/rpc-outcomes.ts';

const DAY_MS = 86_400_000;
const MAX_COUNT = 4;
const MAX_BYTES = 10_000;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let images: Images;
  let tenants = 0;

  beforeAll(async () => {
    images = await testImages();
    const settings = {
      'app.files.staged-max-count': String(MAX_COUNT),
      'app.files.staged-max-bytes': String(MAX_BYTES),
    };
    deployment = await deploy({ ...kind, settings });
  });
  afterAll(() => deployment?.close());

  /** Somebody of a tenant without files. */
  const newTenant = () => caller(deployment, { tenantId: `quota-${(tenants += 1)}` });
  const announce = (by: Caller, size: number) =>
    by.post('/staging/files/prepare', { fileName: 'a', contentType: 'image/png', size });
  const stagePng = (by: Caller) => stage(by, images.png, { contentType: 'image/png' });
  const fill = async (by: Caller, count = MAX_COUNT) => {
    const files = [];
    while (files.length < count) files.push(await prepare(by, 1));
    return files;
  };

  it('rejects one more file, prepared or uploaded with its product, and stores nothing', async () => {
    const by = await newTenant();
    await fill(by);
    const { objects } = await storedIn(deployment.filesFolder);
    expect(await announce(by, 1)).toEqual(problem(409, 'quota-exceeded', `${API}/staging/files/prepare`));
    const image = await sendForm(by, [['file', images.png]]);
    expect(image).toEqual(problem(409, 'quota-exceeded', `${API}/products/upload-image`));
    await expect.poll(() => storedIn(deployment.filesFolder)).toEqual({ objects, uploads: [] });

    const files = deployment.client(FileServiceService);
    const as = { authorization: [by.headers['authorization']!] };
    const refused = files.prepareFile({ fileName: 'a', contentType: 'a/b', size: 1 }, as);
    expect((await refusal(refused)).reason).toBe('QUOTA_EXCEEDED');
    expect((await announce(await newTenant(), 1)).status).toBe(201);
  });

  it('counts the bytes of prepared files as declared', async () => {
    const by = await newTenant();
    await prepare(by, MAX_BYTES - 10);
    const responses = [await announce(by, 11), await announce(by, 10), await announce(by, 1)];
    expect(responses.map(({ status }) => status)).toEqual([409, 201, 409]);
  });

  it('counts the stored size of an image that is larger than declared', async () => {
    const by = await newTenant();
    const file = await prepare(by, images.jpeg.length, { contentType: 'image/jpeg' });
    const stored = await upload(by, file, images.jpeg);
    expect(stored.status).toBe(200);
    const bytes = Math.max(stored.body.size, images.jpeg.length);
    const responses = [await announce(by, MAX_BYTES - bytes + 1), await announce(by, MAX_BYTES - bytes)];
    expect(responses.map(({ status }) => status)).toEqual([409, 201]);
  });

  it('has space again after a deletion, an attachment and an expiry', async () => {
    const by = await newTenant();
    const [first] = await fill(by);
    expect((await by.delete(pathOf(first!))).status).toBe(204);
    const attached = await stagePng(by);
    expect((await announce(by, 1)).status).toBe(409);
    await addProduct(by, { images: [attached] });
    expect((await announce(by, 1)).status).toBe(201);
    expect((await announce(by, 1)).status).toBe(409);
    const { id } = await addProduct(by);
    const attachedAtOnce = await sendForm(by, [
      ['file', images.png],
      ['productId', id],
    ]);
    expect(attachedAtOnce.status).toBe(201);

    deployment.clock.advance(DAY_MS);
    const later = await caller(deployment, { tenantId: by.account.tenantId });
    expect((await announce(later, 1)).status).toBe(201);
  });

  it('limits the number of parallel uploads', async () => {
    const by = await newTenant();
    await fill(by, MAX_COUNT - 2);
    const responses = await Promise.all([
      ...Array.from({ length: 8 }, () => announce(by, 1)),
      ...Array.from({ length: 4 }, () => sendForm(by, [['file', images.png]])),
    ]);
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(2);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
  });

  it('limits the bytes of parallel uploads', async () => {
    const by = await newTenant();
    const responses = await Promise.all(Array.from({ length: 8 }, () => announce(by, MAX_BYTES / 2)));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(2);
    expect(statuses.filter((status) => status === 409)).toHaveLength(6);
  });
});
