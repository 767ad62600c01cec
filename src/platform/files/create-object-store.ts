import { accessSync, constants, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { SettingError } from '../setting-error.ts';
import { diskObjects } from './disk-object-store.ts';
import { parseFilesUrl } from './files-url.ts';
import { makeFolder } from './make-folder.ts';
import type { ObjectStore } from './object-store.ts';
import { makePrivateFolder } from './uploads.ts';

/**
 * Creates the store of a URL; see parseFilesUrl. Rejects with an Error that names the folder that cannot be created.
 *
 * @param name Name of the service. Temporary folders for uploads to S3 contain it.
 */
export async function createObjectStore(text: string, name: string): Promise<ObjectStore> {
  const objects = await storeOf(text, name);
  await makeUploads(objects.uploads);
  await objects.sweepUploads();
  return objects;
}

/** Throws SettingError if the folder of a store on disk, or the nearest folder above it, cannot be written. Writes nothing. */
export function assertObjectStore(text: string): void {
  const url = parseFilesUrl(text);
  if (url.kind !== 'disk') return;
  let existing = resolve(url.folder);
  try {
    while (statSync(existing, { throwIfNoEntry: false }) === undefined) existing = dirname(existing);
    // The trailing slash refuses files.
    accessSync(`${existing}/`, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw unusableFolder(url.folder, cause);
  }
}

async function storeOf(text: string, name: string): Promise<ObjectStore> {
  const url = parseFilesUrl(text);
  if (url.kind === 'disk') return diskObjects(url.folder);
  // Loaded here because the SDK takes longer to load than the rest of the core.
  const { s3Objects } = await import('./s3-object-store.ts');
  return s3Objects(url, join(tmpdir(), `${name}-uploads-`));
}

async function makeUploads(folder: string): Promise<void> {
  try {
    makeFolder(dirname(folder), 0o700);
    await makePrivateFolder(folder);
  } catch (cause) {
    throw unusableFolder(folder, cause);
  }
}

function unusableFolder(folder: string, cause: unknown): SettingError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new SettingError(
    `The folder ${folder} for files cannot be made (${code ?? message}); give app.files.store=disk:FOLDER`,
    { cause },
  );
}
