// Cursors: positions in lists, as texts that callers send back. They are not secret and not signed: the conditions of the list
// hold for each page, so a forged cursor selects nothing else than its caller can read anyway.
import { createHash } from 'node:crypto';
import { isKeyOf, type ListOrder } from '../db/query/list-order.ts';
import type { Position } from '../db/query/page.ts';

/** Bytes that bind a cursor to a list. A mistake must be found, not a forgery. */
const DIGEST_BYTES = 6;

/** @param list Identifies the list and its filters. */
export function createCursor({ key, offset, total }: Position, list: string): string {
  const parts = [digestOf(list), offset, total.total, Number(total.isMinimum), ...key];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Returns the position of a cursor; undefined if it is malformed or belongs to another list. */
export function parseCursor(cursor: string, list: string, order: ListOrder): Position | undefined {
  const parts = parseParts(cursor);
  if (parts === undefined) return undefined;
  const [digest, offset, total, isMinimum, ...key] = parts;
  if (digest !== digestOf(list) || !isCount(offset) || !isCount(total) || !isKeyOf(order, key)) return undefined;
  return { key, offset, total: { total, isMinimum: isMinimum === 1 } };
}

function parseParts(cursor: string): readonly unknown[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function digestOf(list: string): string {
  return createHash('sha256').update(list).digest().subarray(0, DIGEST_BYTES).toString('base64url');
}
