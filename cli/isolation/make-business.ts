// Creates business records over REST. Their price is 0, so that only the counts in the tenant's statistics change.
import type { Party } from './party.ts';
import { PNG } from './png.ts';
import { emailOf, randomPhone, type PartialRecords } from './records.ts';
import { bodyOf, StepSkippedError, request, type StepResult } from './step.ts';

const TO_READY = ['CONFIRMED', 'IN_PRODUCTION'];
const IMAGE = { fileName: 'isolation.png', contentType: 'image/png', size: PNG.length };

/** Creates a product with low stock, which the dashboard lists. */
export async function makeProduct(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const fields = { sku: mark, name: mark, category: mark, price: 0, stock: 5, reorderLevel: 5 };
  const { id } = await request(party, 'POST', '/products', fields);
  return { records: { product: id }, undo: () => request(party, 'DELETE', `/products/${id}`) };
}

/** Creates a customer with a note. Customers cannot be deleted, only made inactive. */
export async function makeCustomer(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const phone = randomPhone();
  const { id } = await request(party, 'POST', '/customers', { name: mark, email: emailOf(mark!), phone });
  await request(party, 'POST', `/customers/${id}/notes`, { text: mark });
  return {
    records: { customer: id, phone },
    async undo() {
      await request(party, 'PATCH', `/customers/${id}/status`, { status: 'INACTIVE' });
      return `customer ${mark} (INACTIVE)`;
    },
  };
}

export async function makeOrder(party: Party, known: PartialRecords): Promise<StepResult> {
  const id = await placeOrder(party, known);
  return { records: { order: id }, undo: () => request(party, 'DELETE', `/orders/${id}`) };
}

async function placeOrder(party: Party, { product, customer, mark }: PartialRecords): Promise<string> {
  if (product === undefined || customer === undefined)
    throw new StepSkippedError('an order requires a product and a customer');
  const items = [{ productId: product, quantity: 1 }];
  return (await request(party, 'POST', '/orders', { customerId: customer, items, note: mark })).id;
}

/** Creates a staged file with content. */
export async function makeFile(party: Party): Promise<StepResult> {
  const file = await stage(party);
  return { records: { file }, undo: () => request(party, 'DELETE', `/files/staging/${file.date}/${file.uuid}`) };
}

async function stage(party: Party): Promise<{ date: string; uuid: string }> {
  const { date, uuid } = await request(party, 'POST', '/staging/files/prepare', IMAGE);
  const path = `${party.target.apiRoot}/files/staging/${date}/${uuid}`;
  const headers = { 'content-type': IMAGE.contentType };
  bodyOf('upload', await party.http({ method: 'PUT', path, headers, body: PNG }));
  return { date, uuid };
}

/** Adds an image to the product. */
export async function makeImage(party: Party, { product }: PartialRecords): Promise<StepResult> {
  if (product === undefined) throw new StepSkippedError('an image requires a product');
  await request(party, 'PATCH', `/products/${product}`, { images: [await stage(party)] });
  return { records: {} };
}

/** Creates an order and sets all its statuses up to DELIVERED, because photos are uploaded with the statuses. */
export async function makePhotographedOrder(party: Party, known: PartialRecords): Promise<StepResult> {
  const photo = await stage(party);
  const id = await placeOrder(party, known);
  const move = (body: object) => request(party, 'PATCH', `/orders/${id}/status`, body);
  for (const status of TO_READY) await move({ status });
  await move({ status: 'READY', photos: [photo] });
  await move({ status: 'OUT_FOR_DELIVERY' });
  await move({ status: 'DELIVERED', photos: [await stage(party)] });
  return {
    records: { photographedOrder: id },
    async undo() {
      await move({ status: 'COMPLETED' });
      return `order ${id} (COMPLETED, total 0)`;
    },
  };
}
