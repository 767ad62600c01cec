// Receives content into the store: into a temporary file, checked, stored under a new key, and then named by a row. An
// aborted upload leaves nothing behind: see docs/decisions/0020-one-object-interface.md.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Database, Statements } from '../../db/types.ts';
import { ServiceError } from '../../errors.ts';
import { imageTypeOf, SIGNATURE_BYTES, type ImageType } from '../../files/image-type.ts';
import { UnreadableImageError, type Images } from '../../files/images.ts';
import type { Content, ObjectStore } from '../../files/object-store.ts';
import { beginUpload, contentOf, type Upload } from '../../files/uploads.ts';
import type { Call } from '../../rpc/types.ts';
import { parseContentDigest } from './content-digest.ts';
import { reserveObject, claimObject } from './file-object-store.ts';
import type { FileContent } from './file.ts';
import { abandonObject, dropObject } from './release-objects.ts';
import { measureContent, type ReceivedContent } from './received-content.ts';
import { writeWithinQuota, type StagedQuota } from './staged-quota.ts';

/** How long storing an object may take, in milliseconds; longer than any call. */
const RESERVATION_MS = 900_000;

/** The expected content. */
export interface Expected {
  readonly tenantId: string;
  readonly fileName: string;
  /** A media type. If it is an image type, the content must be an image. */
  readonly declaredType: string;
  /** Maximum size in bytes. */
  readonly maximum: number;
  /** Whether the size must be exactly `maximum`. */
  readonly exact: boolean;
  /** Whether storing this many bytes adds to the tenant's staged files, so that its quota must be checked. */
  addsToStaged(storedBytes: number): boolean;
  /** The value of the request's Content-Digest field. */
  readonly contentDigest: string | undefined;
}

/**
 * Stores the content and calls `keep`, which names it by a row in the same transaction. Throws PAYLOAD_TOO_LARGE,
 * UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR (too short, another digest, or an unreadable image), QUOTA_EXCEEDED and any
 * error of `keep`; nothing is stored then. Content of a wrong type or size is refused as early as possible.
 */
export type TakeIn = <Kept>(
  call: Call,
  expected: Expected,
  chunks: AsyncIterable<Uint8Array>,
  keep: (tx: Statements, content: FileContent, received: ReceivedContent) => Promise<Kept>,
) => Promise<Kept>;

export interface IntakeDependencies {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly images: Images;
  readonly clock: Clock;
  readonly quota: StagedQuota;
}

export function createIntake(dependencies: IntakeDependencies): TakeIn {
  const { database, objects, images, clock, quota } = dependencies;

  async function receive(upload: Upload, expected: Expected, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) {
    const digests = parseContentDigest(expected.contentDigest ?? '');
    const judged = judge(chunks, expected);
    const measured = measureContent(judged.chunks, digests);
    const file = await upload.write(measured.chunks);
    const type = judged.imageType();
    const received = measured.received();
    if (type === undefined) return { contentType: expected.declaredType, received, stored: { ...file, ...received } };
    const image = { tenantId: expected.tenantId, source: file, createTarget: upload.newFile, type };
    const cleaned = await images.clean(image, signal).catch(refuseUnreadable);
    await upload.discard(file);
    return { contentType: type, received, stored: await contentOf(cleaned) };
  }

  async function put(call: Call, tenantId: string, stored: Content): Promise<string> {
    const key = newKey(tenantId);
    await reserveObject(database, { tenantId, key, freeAfter: clock() + RESERVATION_MS });
    await objects
      .put(key, stored, call.deadline.signal)
      .catch(free(call, () => abandonObject(dependencies, { tenantId, key })));
    return key;
  }

  /**
   * Releases an object that is not needed and rejects with the reason. If the release fails, the cleanup deletes the
   * object.
   */
  function free(call: Call, work: () => Promise<unknown>) {
    return async (cause: unknown): Promise<never> => {
      await work().catch((error: unknown) =>
        call.log.warn({ err: error }, 'an object could not be deleted, the cleanup will'),
      );
      throw cause;
    };
  }

  return async (call, expected, chunks, keep) => {
    const { tenantId, fileName } = expected;
    const upload = beginUpload(objects.uploads);
    try {
      const { contentType, received, stored } = await receive(upload, expected, chunks, call.deadline.signal);
      const objectKey = await put(call, tenantId, stored);
      const content = { contentType, size: stored.size, sha256: stored.sha256, fileName, objectKey };
      const commit = database.transaction(call.deadline, (tx) => {
        const write = async () => {
          await call.recheck(tx);
          if (!(await claimObject(tx, tenantId, objectKey))) throw new ServiceError('SERVICE_UNAVAILABLE');
          return keep(tx, content, received);
        };
        if (!expected.addsToStaged(stored.size)) return write();
        return writeWithinQuota(tx, { tenantId, quota, now: clock() }, write);
      });
      return await commit.catch(free(call, () => dropObject(dependencies, { tenantId, key: objectKey })));
    } finally {
      await upload.end();
    }
  };
}

/** Creates an object key. It contains no text from the caller and begins with the tenant. */
function newKey(tenantId: string): string {
  const name = randomBytes(16).toString('hex');
  return `${tenantId}/${name.slice(0, 2)}/${name}`;
}

/** Passes chunks on while they can be the expected type. Afterwards the image type is known, if any. */
function judge(source: AsyncIterable<Uint8Array>, { declaredType, maximum, exact }: Expected) {
  let head = Buffer.alloc(0);
  let size = 0;
  const demandImage = declaredType.toLowerCase().startsWith('image/');
  const imageType = (): ImageType | undefined => imageTypeOf(head);
  const refuseOthers = () => {
    if (demandImage && imageType() === undefined) {
      throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { publicMessage: 'Images must be PNG, JPEG, WebP or GIF' });
    }
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maximum) {
        throw new ServiceError('PAYLOAD_TOO_LARGE', { publicMessage: `The content has more than ${maximum} bytes` });
      }
      if (head.length < SIGNATURE_BYTES) {
        head = Buffer.concat([head, chunk.subarray(0, SIGNATURE_BYTES - head.length)]);
        if (head.length === SIGNATURE_BYTES) refuseOthers();
      }
      yield chunk;
    }
    if (exact && size < maximum) throw tooShort(size, maximum);
    refuseOthers();
  }
  return { chunks: chunks(), imageType };
}

function tooShort(size: number, declared: number): ServiceError {
  const message = `must have ${declared} bytes, as declared`;
  const violations = [{ message, format: 'length', props: ['size'], params: { declared, size } }];
  return new ServiceError('VALIDATION_ERROR', { publicMessage: 'The content is shorter than declared', violations });
}

function refuseUnreadable(error: unknown): never {
  if (!(error instanceof UnreadableImageError)) throw error;
  throw new ServiceError('VALIDATION_ERROR', {
    publicMessage: 'The image cannot be read',
    violations: [{ message: error.message, format: 'image', props: ['content'], params: error.params }],
    cause: error,
  });
}
