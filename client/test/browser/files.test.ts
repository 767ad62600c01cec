// Typed calls in the browser: lists page by page, uploads with progress, aborts.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endProcesses } from '../../../test/support/service-process.ts';
import { launchBrowser } from '../support/chromium.ts';
import { startFront, type Front } from '../support/front.ts';
import { startService } from '../support/services.ts';
import { login, openTab } from '../support/tabs.ts';

let browser: Browser;
let front: Front;
let tab: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  front = await startFront((await startService('sqlite')).url);
  tab = await openTab(await browser.newContext(), front.url);
  await login(tab);
});
afterAll(async () => {
  await browser.close();
  await front.close();
  await endProcesses();
});

describe('calls of a session', () => {
  it('reads a list page by page, and all items of it once', async () => {
    const { sizes, total, skus } = await tab.evaluate(async () => {
      const sizes: number[] = [];
      const skus: string[] = [];
      let total = 0;
      for await (const page of client.pages(session, api.listProducts, { query: { perPage: 5, sort: 'sku' } })) {
        sizes.push(page.items.length);
        total = page.totalCount;
      }
      for await (const { sku } of client.items(session, api.listProducts, { query: { perPage: 5, sort: 'sku' } }))
        skus.push(sku);
      return { sizes, total, skus };
    });
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.slice(0, -1).every((size) => size === 5)).toBe(true);
    expect(skus.length).toBe(total);
    expect(new Set(skus).size).toBe(total);
  });

  it('throws the violations of an error response', async () => {
    const error = await tab.evaluate(() =>
      api.createProduct(session, { body: { sku: 'X-1', name: 'X', price: -1 } }).then(
        () => undefined,
        ({ name, status, code, violations, requestId }: InstanceType<typeof client.ApiError>) => ({
          name,
          status,
          code,
          props: violations[0]?.props,
          requestId,
        }),
      ),
    );
    expect(error).toMatchObject({ name: 'ApiError', status: 400, code: 'validation-error', props: ['price'] });
    expect(error!.requestId).toBeTruthy();
  });

  it('uploads a file with progress and reads it back', async () => {
    const { progress, size, same } = await tab.evaluate(async () => {
      const bytes = crypto.getRandomValues(new Uint8Array(65_536));
      const content = new Blob(Array(40).fill(bytes), { type: 'application/octet-stream' });
      const file = { fileName: 'random.bin', contentType: content.type, size: content.size };
      const { date, uuid } = (await api.prepareFile(session, { body: file })).data;
      const progress: { sentBytes: number; totalBytes: number }[] = [];
      const transport = client.withProgress((step) => progress.push(step));
      const { data } = await api.uploadFile(session, { path: { date, uuid }, body: content }, { transport });
      const back = await (await api.downloadFile(session, { path: { date, uuid } })).data.arrayBuffer();
      const sent = new Uint8Array(await content.arrayBuffer());
      return { progress, size: data.size, same: new Uint8Array(back).every((byte, index) => byte === sent[index]) };
    });
    expect(size).toBe(40 * 65_536);
    expect(same).toBe(true);
    expect(progress.at(-1)).toEqual({ sentBytes: size, totalBytes: size });
  });

  it('aborts an upload', async () => {
    const name = await tab.evaluate(async () => {
      const body = new Blob([new Uint8Array(100 * 65_536)], { type: 'application/octet-stream' });
      const file = { fileName: 'random.bin', contentType: body.type, size: body.size };
      const { date, uuid } = (await api.prepareFile(session, { body: file })).data;
      const abort = new AbortController();
      const transport = client.withProgress(() => abort.abort());
      const init = { transport, signal: abort.signal };
      return api.uploadFile(session, { path: { date, uuid }, body }, init).then(
        () => 'uploaded',
        (error: Error) => error.name,
      );
    });
    expect(name).toBe('AbortError');
  });

  it('sends no credential to another origin', async () => {
    const message = await tab.evaluate(() =>
      session.fetch('https://elsewhere.test/api').catch((error: Error) => error.name),
    );
    expect(message).toBe('TypeError');
  });
});
