// The whole service on a bucket of a real S3-compatible server, over both transports.
import { open } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createObjectStore } from '../../../src/platform/files/create-object-store.ts';
import { contentOf } from '../../../src/platform/files/uploads.ts';
import { deploy, TRANSPORTS, type Deployment } from '../../support/deployment.ts';
import { testImages } from '../../support/images.ts';
import { problem } from '../../support/problems.ts';
import { S3_CREDENTIALS, startS3Server, type S3Server } from '../../support/s3-server.ts';
import { API, caller, type Caller } from '../../support/callers.ts';
import { namedObjects, pathOf, prepare, sendForm, stage, sweep, upload } from '../../support/shop/files.ts';
import { addProduct } from '../../support/shop/products.ts';

const TEXT = Buffer.from('0123456789');

describe.each(TRANSPORTS)('over %s', (transport) => {
  let s3: S3Server;
  let deployment: Deployment;
  let manager: Caller;

  beforeAll(async () => {
    Object.assign(process.env, S3_CREDENTIALS);
    s3 = await startS3Server();
    deployment = await deploy({ engine: 'sqlite', transport, settings: { 'app.files.store': s3.url } });
    manager = await caller(deployment);
  });
  afterAll(async () => {
    await deployment?.close();
    await s3?.close();
  });

  it('files can be uploaded, read in part, attached, freed and cleaned up', async () => {
    const { png, jpeg } = await testImages();
    const text = await stage(manager, TEXT);
    expect(await manager.get(pathOf(text), { range: 'bytes=3-5' })).toMatchObject({ status: 206, text: '345' });
    const product = await addProduct(manager, { images: [await stage(manager, png, { contentType: 'image/png' })] });
    const more = await sendForm(manager, [
      ['file', jpeg],
      ['productId', product.id],
    ]);
    expect(more.body.index).toBe(1);
    expect((await manager.get(`/products/${product.id}/images/1`)).headers.get('content-type')).toBe('image/jpeg');
    expect(await s3.keys()).toEqual((await namedObjects(deployment)).files);
    for (const key of await s3.keys()) expect(key).toMatch(/^acme\/[0-9a-f]{2}\/[0-9a-f]{32}$/);

    await manager.delete(`/products/${product.id}`);
    deployment.clock.advance(60_000);
    await sweep(deployment, s3.url);
    const { files, loose } = await namedObjects(deployment);
    expect([loose, await s3.keys()]).toEqual([[], files]);
    expect(files).toHaveLength(1);
  });

  it('the cleanup deletes an object that arrives after its upload was cancelled', async () => {
    const before = await s3.keys();
    const file = await prepare(manager, TEXT.length);
    s3.entry = (request) => !request.startsWith('PUT ');
    expect((await upload(manager, file, TEXT)).status).toBe(503);
    s3.entry = () => true;
    const key = s3.requests.findLast((request) => request.startsWith('PUT '))!.slice('PUT '.length);
    await sweep(deployment, s3.url);

    const objects = await createObjectStore(s3.url, 'my-shop');
    const path = import.meta.filename;
    await using handle = await open(path);
    await objects.put(key, await contentOf({ path, handle }), new AbortController().signal);
    objects.close();
    expect(await s3.keys()).toEqual([...before, key].toSorted());
    deployment.clock.advance(3_600_000);
    await sweep(deployment, s3.url);
    expect([await s3.keys(), (await namedObjects(deployment)).loose]).toEqual([before, []]);
  });

  it('an outage returns 503 and keeps nothing of the upload', async () => {
    // Time has passed.
    manager = await caller(deployment);
    const before = await s3.keys();
    const file = await prepare(manager, TEXT.length);
    const stored = await stage(manager, TEXT);
    s3.gate = () => false;
    expect(await upload(manager, file, TEXT)).toEqual(problem(503, 'service-unavailable', API + pathOf(file)));
    expect((await manager.get(pathOf(stored))).status).toBe(503);
    s3.gate = () => true;
    expect((await manager.get(pathOf(file))).status).toBe(404);
    expect((await upload(manager, file, TEXT)).status).toBe(200);
    // It reached the bucket all the same; a day later it is swept.
    deployment.clock.advance(3_600_000);
    await sweep(deployment, s3.url);
    expect(await s3.keys()).toEqual((await namedObjects(deployment)).files);
    expect(await s3.keys()).toHaveLength(before.length + 2);
  });
});
