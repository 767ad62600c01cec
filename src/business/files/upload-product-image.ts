import type * as proto from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { isId, newId } from '../../platform/db/ids.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError, type Violation } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Product } from '../products/product.ts';
import { PRODUCTS } from '../products/product-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertOwnTenant, tenantOf, unknownReference } from '../../platform/rpc/tenant.ts';
import { checkDigests, parseContentDigest } from './content-digest.ts';
import {
  type FileContent,
  MAX_IMAGES,
  STAGED_FOR_MS,
  contentMessage,
  dayOf,
  fileNameMessage,
  receivedMembers,
} from './file.ts';
import { attachFile, insertFile } from './file-store.ts';
import type { TakeIn } from './receive-upload.ts';
import { type CheckChunk, type Parts, createChunkCheck, misplaced, nextPart } from './parts.ts';

type Requests = AsyncIterable<proto.UploadProductImageRequest>;

/** FileService.UploadProductImage. `maxBytes` are the most bytes of a file. */
export function createUploadProductImage({ database, clock }: Dependencies, takeIn: TakeIn, maxBytes: number) {
  return async (requests: Requests, call: Call): Promise<proto.UploadProductImageResponse> => {
    const tenantId = tenantOf(call);
    const checkChunk = createChunkCheck();
    const parts = requests[Symbol.asyncIterator]();
    const { fileName, ...start } = await startOf(parts);
    if (start.productId !== undefined) await assertProductExists(database, tenantId, start.productId);
    assertOwnTenant(call, start.tenantId);

    const image = imageOf(call, parts, { ...start, checkChunk });
    const { contentDigest } = start;
    const expected = {
      tenantId,
      fileName,
      declaredType: 'image/*',
      maximum: maxBytes,
      exact: false,
      addsToStaged: () => image.productId() === undefined,
      contentDigest,
    };
    return takeIn(call, expected, image.chunks, async (tx, content, received) => {
      const now = clock();
      const id = newId();
      const file = fileNameMessage({ id, date: dayOf(now) });
      const position = await placeIn(tx, tenantId, image.productId(), now);
      await insertFile(tx, { ...stagedBy(call, content, now), id, tenantId, date: file.date });
      const response = { file, content: contentMessage(content), ...receivedMembers(received), tenantId };
      if (position === undefined) return response;
      const owner = { kind: 'product', id: image.productId()!, position } as const;
      await attachFile(tx, tenantId, file, owner, now);
      return { ...response, index: position };
    });
  };
}

async function startOf(parts: Parts<proto.UploadProductImageRequest>): Promise<proto.ProductImageStart> {
  const part = (await nextPart(parts))?.part;
  if (part?.$case !== 'start') throw misplaced('the start comes first');
  return part.value;
}

/** The content and the part after it: the product, unless the start named it. */
function imageOf(
  call: Call,
  parts: Parts<proto.UploadProductImageRequest>,
  {
    productId,
    tenantId,
    checkChunk,
  }: Pick<proto.ProductImageStart, 'productId' | 'tenantId'> & { checkChunk: CheckChunk },
) {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let isEnded = false;
    let hasDigest = false;
    for (let next = await nextPart(parts); next; next = await nextPart(parts)) {
      const { part } = next;
      if (part?.$case === 'chunk' && !isEnded) yield checkChunk(part.value);
      else if (part?.$case === 'productId' && productId === undefined) productId = part.value;
      else if (part?.$case === 'tenantId' && tenantId === undefined) tenantId = part.value;
      else if (part?.$case === 'messageDigest' && !hasDigest) checkMessageDigest(part.value);
      else throw misplaced('chunks follow the start, then the product, the tenant and the digests, each once');
      isEnded = part.$case !== 'chunk';
      hasDigest ||= part.$case === 'messageDigest';
    }
    assertOwnTenant(call, tenantId);
  }
  return { chunks: chunks(), productId: () => productId };
}

function checkMessageDigest({ contentDigest, sha256, sha512 }: proto.MessageDigest): void {
  const hashes = new Map([
    ['sha-256', sha256],
    ['sha-512', sha512],
  ] as const);
  checkDigests(parseContentDigest(contentDigest), hashes);
}

/** Locks the product and returns the place of its next image. Throws VALIDATION_ERROR if it has no free place. */
async function placeIn(
  tx: Statements,
  tenantId: string,
  productId: string | undefined,
  now: number,
): Promise<number | undefined> {
  if (productId === undefined) return undefined;
  if (isId(productId)) await PRODUCTS.lock(tx, tenantId, productId, now);
  return (await assertProductExists(tx, tenantId, productId)).images.length;
}

/** Returns a product that can have another image. Throws VALIDATION_ERROR. */
async function assertProductExists(db: Statements, tenantId: string, productId: string): Promise<Product> {
  const product = isId(productId) ? await PRODUCTS.find(db, tenantId, productId) : undefined;
  if (!product) throw refused({ ...unknownReference('productId'), params: { record: 'product' } });
  if (product.images.length >= MAX_IMAGES) {
    const params = { limit: MAX_IMAGES };
    throw refused({ message: `has ${MAX_IMAGES} images`, format: 'maxItems', props: ['productId'], params });
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
    ...content,
    declaredType: content.contentType,
    declaredSize: content.size,
    createdBy: call.principal!.account.id,
    createdAt: now,
    expiresAt: now + STAGED_FOR_MS,
  };
}
