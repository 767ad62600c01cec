// The files table: staged files, which expire, and attached files, which have an owner.
import { byPrimaryKey } from '../../platform/db/query/hints.ts';
import { bytesToId, idToBytes, isId } from '../../platform/db/ids.ts';
import { acrossTenants, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { SqlValue, Statements } from '../../platform/db/types.ts';
import { IMAGE_TYPES } from '../../platform/files/image-type.ts';
import type { Insertable } from '../../platform/db/record.ts';
import { FILE, type File, type FileName, type Owner } from './file.ts';

const OF_ALL_TENANTS = acrossTenants('the cleanup serves all');
const FILES = byPrimaryKey('files');
const COLUMNS = FILE.select('files');
const STAGED = 'tenant_id = :tenant AND id = ? AND date = ? AND owner_kind IS NULL AND expires_at > ?';
const OWNED = 'tenant_id = :tenant AND owner_kind = ? AND owner_id = ?';
const IMAGES = `content_type IN (${IMAGE_TYPES.map((type) => `'${type}'`).join(', ')})`;

export async function insertFile(tx: Statements, file: Insertable<File>): Promise<void> {
  const sql = `INSERT INTO files (${FILE.names}) VALUES (${FILE.placeholders})`;
  await tenantScope(tx, file.tenantId).execute(sql, FILE.insertValues(file));
}

/** A staged file that has not expired. */
export async function findStagedFile(
  db: Statements,
  tenantId: string,
  { date, uuid }: FileName,
  now: number,
): Promise<File | undefined> {
  if (!isId(uuid)) return undefined;
  const values = [idToBytes(uuid), Buffer.from(date), now];
  const [row] = await tenantScope(db, tenantId).query(`SELECT ${COLUMNS} FROM files WHERE ${STAGED}`, values);
  return row && FILE.read(row, tenantId);
}

/** Returns the keys of a locked file's objects: one, or none if nothing was uploaded. */
type ObjectKeys = readonly string[];

/** Locks an unexpired staged file until the transaction ends and returns it; undefined if there is none. */
export async function lockStagedFile(
  tx: Statements,
  tenantId: string,
  { date, uuid }: FileName,
  now: number,
): Promise<ObjectKeys | undefined> {
  return lock(tx, tenantId, STAGED, [idToBytes(uuid), Buffer.from(date), now]);
}

/** Locks an expired staged file until the transaction ends and returns it; undefined if there is none. */
export async function lockExpiredFile(
  tx: Statements,
  { tenantId, id }: ExpiredFile,
  now: number,
): Promise<ObjectKeys | undefined> {
  return lock(tx, tenantId, 'tenant_id = :tenant AND id = ? AND expires_at <= ?', [idToBytes(id), now]);
}

async function lock(
  tx: Statements,
  tenantId: string,
  condition: string,
  values: readonly SqlValue[],
): Promise<ObjectKeys | undefined> {
  const scope = tenantScope(tx, tenantId);
  if ((await scope.execute(`UPDATE ${FILES} SET date = date WHERE ${condition}`, values)) === 0) return undefined;
  return keysOf(await scope.query(`SELECT object_key FROM files WHERE ${condition}`, values));
}

/** Returns the ids and objects of some files of a tenant. */
export async function selectSomeFiles(
  tx: Statements,
  tenantId: string,
  size: number,
): Promise<{ readonly ids: readonly string[]; readonly keys: ObjectKeys }> {
  const scope = tenantScope(tx, tenantId);
  const rows = await scope.query<{ id: Uint8Array; object_key: Uint8Array | null }>(
    `SELECT id, object_key FROM files WHERE tenant_id = :tenant ORDER BY id LIMIT ${size}`,
  );
  return { ids: rows.map(({ id }) => bytesToId(id)), keys: keysOf(rows) };
}

/** Identifies an expired file. */
export type ExpiredFile = Pick<File, 'tenantId' | 'id'>;

/** Returns expired staged files of all tenants, oldest first. */
export async function selectExpiredFiles(db: Statements, now: number, size: number): Promise<readonly ExpiredFile[]> {
  const rows = await db.query<{ tenant_id: Uint8Array; id: Uint8Array }>(
    `SELECT tenant_id, id FROM files WHERE ${OF_ALL_TENANTS} AND expires_at <= ? ORDER BY expires_at, tenant_id, id LIMIT ${size}`,
    [now],
  );
  return rows.map((row) => ({ tenantId: Buffer.from(row.tenant_id).toString(), id: bytesToId(row.id) }));
}

/** Sets the content of a file that this transaction has locked. */
export async function setContent(tx: Statements, file: File): Promise<void> {
  const sql = `UPDATE ${FILES} SET ${FILE.assignments} WHERE tenant_id = :tenant AND id = ?`;
  await tenantScope(tx, file.tenantId).execute(sql, [...FILE.updateValues(file), idToBytes(file.id)]);
}

/** Returns those of the given staged files that have not expired and are images. */
export async function selectStagedImages(
  db: Statements,
  tenantId: string,
  uuids: readonly string[],
  now: number,
): Promise<readonly FileName[]> {
  const ids = uuids.filter(isId);
  if (ids.length === 0) return [];
  const rows = await tenantScope(db, tenantId).query<{ id: Uint8Array; date: Uint8Array }>(
    `SELECT id, date FROM files
      WHERE tenant_id = :tenant AND id IN (${ids.map(() => '?').join(', ')}) AND owner_kind IS NULL AND expires_at > ? AND ${IMAGES}`,
    [...ids.map(idToBytes), now],
  );
  return rows.map(({ id, date }) => ({ date: Buffer.from(date).toString(), uuid: bytesToId(id) }));
}

/**
 * Returns the number of a tenant's unexpired staged files, and their total size. The size of a file is the declared or
 * the stored size, whichever is greater.
 */
export async function sumStagedFiles(
  db: Statements,
  tenantId: string,
  now: number,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const [row] = await tenantScope(db, tenantId).query<{ count: number; bytes: number | string }>(
    `SELECT COUNT(*) AS count, COALESCE(SUM(CASE WHEN size > declared_size THEN size ELSE declared_size END), 0) AS bytes
       FROM files WHERE tenant_id = :tenant AND owner_kind IS NULL AND expires_at > ?`,
    [now],
  );
  // MySQL returns SUM as a decimal, which the driver reads as text.
  return { count: row!.count, bytes: Number(row!.bytes) };
}

/** Attaches an unexpired staged image to an owner. Returns false if there is none. */
export async function attachFile(
  tx: Statements,
  tenantId: string,
  { date, uuid }: FileName,
  owner: Owner & { readonly position: number },
  now: number,
): Promise<boolean> {
  const attached = await tenantScope(tx, tenantId).execute(
    `UPDATE ${FILES} SET owner_kind = ?, owner_id = ?, position = ?, expires_at = NULL WHERE ${STAGED} AND ${IMAGES}`,
    [owner.kind, idToBytes(owner.id), owner.position, idToBytes(uuid), Buffer.from(date), now],
  );
  return attached > 0;
}

/** Returns the image at a place in its owner's list. */
export async function findImage(
  db: Statements,
  tenantId: string,
  { kind, id }: Owner,
  position: number,
): Promise<File | undefined> {
  const [row] = await tenantScope(db, tenantId).query(`SELECT ${COLUMNS} FROM files WHERE ${OWNED} AND position = ?`, [
    kind,
    idToBytes(id),
    position,
  ]);
  return row && FILE.read(row, tenantId);
}

/** Deletes the files of an owner that this transaction has locked. */
export async function deleteOwnedFiles(tx: Statements, tenantId: string, { kind, id }: Owner): Promise<ObjectKeys> {
  const scope = tenantScope(tx, tenantId);
  const values: SqlValue[] = [kind, idToBytes(id)];
  const keys = keysOf(await scope.query(`SELECT object_key FROM files WHERE ${OWNED}`, values));
  if (keys.length > 0) await scope.execute(`DELETE FROM files WHERE ${OWNED}`, values);
  return keys;
}

/** Deletes a file that this transaction has locked. */
export async function deleteFile(tx: Statements, tenantId: string, id: string): Promise<void> {
  await tenantScope(tx, tenantId).execute('DELETE FROM files WHERE tenant_id = :tenant AND id = ?', [idToBytes(id)]);
}

function keysOf(rows: readonly { readonly object_key: Uint8Array | null }[]): ObjectKeys {
  return rows.flatMap(({ object_key: key }) => (key === null ? [] : [Buffer.from(key).toString()]));
}
