// Receives content into the store: into a temporary file, checked, stored under a new key, and then named by a row. An
// aborted upload leaves nothing behind: see docs/decisions/archive/0020-one-object-interface.md.
import { randomBytes } from 'node:crypto';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { UnreadableImageError, type Images } from '../../platform/files/images.ts';
import type { Content } from '../../platform/files/object-store.ts';
import { beginUpload, contentOf, type Upload } from '../../platform/files/uploads.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { parseContentDigest } from './content-digest.ts';
import { claimObject, insertObjects } from './file-object-store.ts';
import type { FileContent } from './file.ts';
import { type DropDependencies, abandonObject, dropObject } from './release-objects.ts';
import { createContentInspection, type ContentTerms, type ReceivedContent } from './received-content.ts';
import { writeWithinQuota, type StagedQuota } from './staged-quota.ts';

/** How long storing an object may take, in milliseconds; longer than any call. */
const RESERVATION_MS = 900_000;

/** The expected content. */
export interface Expected extends ContentTerms {
  readonly tenantId: string;
  readonly fileName: string;
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

export function createIntake(
  dependencies: DropDependencies & { readonly images: Images; readonly quota: StagedQuota },
): TakeIn {
  const { database, objects, images, clock, quota } = dependencies;

  async function receive(upload: Upload, expected: Expected, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) {
    const digests = parseContentDigest(expected.contentDigest ?? '');
    const inspection = createContentInspection(expected, digests);
    const file = await upload.write(chunks, inspection.inspect);
    const { received, imageType: type } = inspection.finish();
    if (type === undefined) return { contentType: expected.declaredType, received, stored: { ...file, ...received } };
    const image = { tenantId: expected.tenantId, source: file, createTarget: upload.newFile, type };
    const cleaned = await images.clean(image, signal).catch(refuseUnreadable);
    await upload.discard(file);
    return { contentType: type, received, stored: await contentOf(cleaned) };
  }

  async function put(call: Call, tenantId: string, stored: Content): Promise<string> {
    const key = newKey(tenantId);
    await insertObjects(database, tenantId, [key], { isDoomed: false, freeAfter: clock() + RESERVATION_MS });
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

function refuseUnreadable(error: unknown): never {
  if (!(error instanceof UnreadableImageError)) throw error;
  throw new ServiceError('VALIDATION_ERROR', {
    publicMessage: 'The image cannot be read',
    violations: [{ message: error.message, format: 'image', props: ['content'], params: error.params }],
    cause: error,
  });
}
