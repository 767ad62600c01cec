// Files for the tests of the file endpoints.
import { readdir } from 'node:fs/promises';
import { fileCleanupTargets } from '../../../src/business/files/cleanup.ts';
import { createObjectStore } from '../../../src/platform/files/create-object-store.ts';
import { cleanup } from '../../../src/platform/jobs/cleanup.ts';
import type { Deployment } from '../deployment.ts';
import type { Caller } from '../callers.ts';

/** The reference to a staged file in a request body. */
export interface FileName {
  readonly date: string;
  readonly uuid: string;
}

/** Prepares a file. Throws if that fails. */
export async function prepare(by: Caller, size: number, fields: Record<string, unknown> = {}): Promise<FileName> {
  const announced = { fileName: 'photo.bin', contentType: 'application/octet-stream', size, ...fields };
  const response = await by.post('/staging/files/prepare', announced);
  if (response.status !== 201) throw new Error(`no file: ${response.status} ${response.text}`);
  const { date, uuid } = response.body;
  return { date, uuid };
}

export const pathOf = ({ date, uuid }: FileName): string => `/files/staging/${date}/${uuid}`;

/** Uploads bytes to a staged file. */
export function upload(by: Caller, file: FileName, bytes: Buffer, headers: Record<string, string> = {}) {
  return by.send('PUT', pathOf(file), bytes, headers);
}

/** Prepares and uploads a file. */
export async function stage(by: Caller, bytes: Buffer, fields: Record<string, unknown> = {}): Promise<FileName> {
  const file = await prepare(by, bytes.length, fields);
  const response = await upload(by, file, bytes);
  if (response.status !== 200) throw new Error(`no upload: ${response.status} ${response.text}`);
  return file;
}

type FormParts = readonly (readonly [name: string, value: string | Buffer, file?: string])[];

/** Creates a form with the parts in the given order. */
export function transportOf(parts: FormParts): FormData {
  const form = new FormData();
  for (const [name, value, fileName] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)]), fileName ?? 'image.bin');
  }
  return form;
}

/** Sends a form. */
export function sendForm(by: Caller, parts: FormParts) {
  return by.send('POST', '/products/upload-image', transportOf(parts));
}

/** Returns the bytes of a response. */
export const bytesOf = (by: Caller, path: string, headers: Record<string, string> = {}): Promise<Buffer> =>
  by.bytes(path, headers);

/** Returns the files on the disk: objects by their keys, and uploads in progress. */
export async function storedIn(folder: string): Promise<{ readonly objects: string[]; readonly uploads: string[] }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`);
  const names = files.map((path) => path.slice(folder.length + 1));
  return {
    objects: names.filter((name) => !name.startsWith('.uploads/')).toSorted(),
    uploads: names.filter((name) => name.startsWith('.uploads/')),
  };
}

/** Runs the cleanup of files with the deployment's clock, as the job does. */
export async function sweep({ database, clock, filesFolder }: Deployment, store = `disk:${filesFolder}`) {
  const objects = await createObjectStore(store, 'my-shop');
  await cleanup({ database, clock: clock.now, targets: fileCleanupTargets({ database, objects, clock: clock.now }) });
  objects.close();
}

/** Returns the objects that rows refer to: those of files, and those marked for deletion. */
export async function namedObjects({ database }: Pick<Deployment, 'database'>) {
  const keys = async (sql: string) => {
    const rows = await database.query<{ object_key: Uint8Array }>(sql);
    return rows.map((row) => Buffer.from(row.object_key).toString()).toSorted();
  };
  return {
    files: await keys('SELECT object_key FROM files WHERE object_key IS NOT NULL'),
    loose: await keys('SELECT object_key FROM file_objects'),
  };
}
