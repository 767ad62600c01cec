import type {
  ProductImageStart,
  UploadProductImageRequest,
  UploadProductImageResponse,
} from '../../../proto/gen/business/v1/file_service.ts';
import type { Clock } from '../../clock.ts';
import { isId, newId } from '../../db/ids.ts';
import type { Database, Statements } from '../../db/types.ts';
import { ServiceError, type Violation } from '../../errors.ts';
import { createRequestCheck } from '../../request-check.ts';
import type { Call } from '../../rpc/types.ts';
import type { Product } from '../product/product.ts';
import { findProduct } from '../product/product-store.ts';
import { lockRecord } from '../record-store.ts';
import { unknownReference } from '../reference.ts';
import { tenantOf } from '../tenant.ts';
import { dayOf, MAX_IMAGES, STAGED_FOR_MS, type FileContent } from './file.ts';
import { checkFileName } from './file-input.ts';
import { contentMessage, fileNameMessage } from './file-message.ts';
import { attachFile, insertFile } from './file-store.ts';
import type { TakeIn } from './intake.ts';
import { checkedChunk, misplaced, nextPart, type Parts } from './parts.ts';

export interface UploadProductImageDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly takeIn: TakeIn;
  /** Most bytes of a file. */
  readonly maxBytes: number;
}

/** FileService.UploadProductImage. */
export function createUploadProductImage({ database, clock, takeIn, maxBytes }: UploadProductImageDependencies) {
  return async (
    requests: AsyncIterable<UploadProductImageRequest>,
    call: Call,
  ): Promise<UploadProductImageResponse> => {
    const tenantId = tenantOf(call);
    const parts = requests[Symbol.asyncIterator]();
    const { fileName, productId: named } = await startOf(parts);
    if (named !== undefined) await demandProduct(database, tenantId, named);

    const image = imageOf(parts, named);
    const expected = { tenantId, fileName, declaredType: 'image/*', maximum: maxBytes, exact: false };
    return takeIn(call, expected, image.chunks, async (tx, content) => {
      const now = clock();
      const id = newId();
      const file = fileNameMessage({ id, date: dayOf(now) });
      const position = await placeIn(tx, tenantId, image.productId(), now);
      await insertFile(tx, { ...stagedBy(call, content, now), id, tenantId, date: file.date });
      if (position === undefined) return { file, content: contentMessage(content) };
      const owner = { kind: 'product', id: image.productId()!, position } as const;
      await attachFile(tx, tenantId, file, owner, now);
      return { file, content: contentMessage(content), index: position };
    });
  };
}

async function startOf(parts: Parts<UploadProductImageRequest>): Promise<ProductImageStart> {
  const part = (await nextPart(parts))?.part;
  if (part?.$case !== 'start') throw misplaced('the start comes first');
  const check = createRequestCheck();
  const fileName = checkFileName(check, part.value.fileName);
  check.demandValid('The image cannot be called like this');
  return { ...part.value, fileName };
}

/** The content, after which it is known where it belongs. */
function imageOf(parts: Parts<UploadProductImageRequest>, named: string | undefined) {
  let productId = named;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let next = await nextPart(parts); next; next = await nextPart(parts)) {
      const { part } = next;
      if (part?.$case === 'chunk') yield checkedChunk(part.value);
      else if (part?.$case === 'productId' && productId === undefined) {
        productId = part.value;
        if (await nextPart(parts)) throw misplaced('nothing follows the product');
        return;
      } else throw misplaced('only chunks follow the start, and the product comes once');
    }
  }
  return { chunks: chunks(), productId: () => productId };
}

/** Locks the product; the place that its next image gets. Throws VALIDATION_ERROR where there is none. */
async function placeIn(
  tx: Statements,
  tenantId: string,
  productId: string | undefined,
  now: number,
): Promise<number | undefined> {
  if (productId === undefined) return undefined;
  if (isId(productId)) await lockRecord(tx, 'products', tenantId, productId, now);
  return (await demandProduct(tx, tenantId, productId)).images.length;
}

/** A product that can have another image. Throws VALIDATION_ERROR. */
async function demandProduct(db: Statements, tenantId: string, productId: string): Promise<Product> {
  const product = isId(productId) ? await findProduct(db, tenantId, productId) : undefined;
  if (!product) throw refused(unknownReference('productId'));
  if (product.images.length >= MAX_IMAGES) {
    throw refused({ message: `has ${MAX_IMAGES} images`, format: 'maxItems', props: ['productId'] });
  }
  return product;
}

function refused(violation: Violation): ServiceError {
  return new ServiceError('VALIDATION_ERROR', {
    publicMessage: 'The product can have no such image',
    violations: [violation],
  });
}

function stagedBy(call: Call, content: FileContent, now: number) {
  return {
    fileName: content.fileName,
    declaredType: content.contentType,
    declaredSize: content.size,
    content,
    createdBy: call.principal!.account.id,
    createdAt: now,
    expiresAt: now + STAGED_FOR_MS,
  };
}
