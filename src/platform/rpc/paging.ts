// Pages of lists: requests, and the description of the returned page.
import { createHash } from 'node:crypto';
import type { PageInfo, PageRequest } from '../../../proto/gen/authservice/paging/v1/paging.ts';
import { type ListOrder, isKeyOf } from '../db/query/list-order.ts';
import { MAX_SKIPPED, type CursorPage, type Found, type Page, type Position } from '../db/query/page.ts';
import { ServiceError, type Violation } from '../errors.ts';
import type { Call } from './types.ts';

// Cursors: positions in lists, as texts that callers send back. They are not secret and not signed: the conditions of the list
// hold for each page, so a forged cursor selects nothing else than its caller can read anyway.

/** Bytes that bind a cursor to a list. A mistake must be found, not a forgery. */
const DIGEST_BYTES = 6;

/** @param list Identifies the list and its filters. */
function createCursor({ key, offset, total }: Position, list: string): string {
  const parts = [digestOf(list), offset, total.total, Number(total.isMinimum), ...key];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Returns the position of a cursor; undefined if it is malformed or belongs to another list. */
function parseCursor(cursor: string, list: string, order: ListOrder): Position | undefined {
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

interface PagedRequest {
  readonly page?: PageRequest | undefined;
}

/** A page of a list that takes PageRequest.after. */
interface ListPage extends CursorPage {
  readonly cursorOf: (position: NonNullable<Found<unknown>['next']>) => string;
}

/** Returns the page of a validated request. The rules of PageRequest set its defaults. */
export function pageOf(request: PagedRequest, call: Pick<Call, 'deadline' | 'principal'>): Page {
  const { page, perPage, after } = request.page!;
  if (after !== undefined) throw invalidAfter('is not supported by this list');
  return { page, perPage, offset: (page - 1) * perPage, reader: readerOf(call) };
}

/** Like pageOf, for a list that takes PageRequest.after. Its request declares it by the rule `cursor`. */
export function listPageOf(
  request: PagedRequest,
  call: Pick<Call, 'path' | 'deadline' | 'principal'>,
  order: ListOrder,
): ListPage {
  const { page, perPage, after: cursor } = request.page!;
  const { page: _page, ...filters } = request;
  const list = `${call.path} ${JSON.stringify(filters)}`;
  if (cursor !== undefined && page > 1) throw invalidAfter('must not be given together with page');
  const after = cursor === undefined ? undefined : parseCursor(cursor, list, order);
  if (cursor !== undefined && after === undefined) {
    throw invalidAfter('must come from an earlier page of this list with the same filters');
  }
  const offset = after?.offset ?? (page - 1) * perPage;
  return {
    page: Math.floor(offset / perPage) + 1,
    perPage,
    offset,
    after,
    reader: readerOf(call),
    cursorOf: (position) => createCursor(position, list),
  };
}

/** Describes a page of a list with an exact total. */
export function pageInfo({ page, perPage }: Page, total: number): PageInfo {
  return { page, perPage, total };
}

/**
 * Describes a page of a list that takes PageRequest.after. Throws VALIDATION_ERROR if its number leads past more items than
 * a list reads.
 */
export function listPageInfo({ page, perPage, cursorOf }: ListPage, found: Omit<Found<unknown>, 'items'>): PageInfo {
  const { total, isMinimum, next, isTooFar } = found;
  if (isTooFar) {
    const message = `must not lead past ${MAX_SKIPPED} items; follow the links to the next page instead`;
    throw invalid({
      message,
      format: 'maximum',
      props: ['page'],
      params: { maximum: Math.floor(MAX_SKIPPED / perPage) + 1 },
    });
  }
  return {
    page,
    perPage,
    total,
    ...(isMinimum && { totalIsMinimum: true }),
    ...(next && { next: cursorOf(next) }),
  };
}

/** The order of a list that is read completely. */
export const SHORT_LIST: ListOrder = { key: [], descending: false };

/** Returns a page of a list that is so short that all of it was read. */
export function sliceOf<Item>(all: readonly Item[], { offset, perPage }: ListPage): Found<Item> {
  const total = { total: all.length, isMinimum: false };
  const end = offset + perPage;
  const next = end < all.length ? { key: [], offset: end, total } : undefined;
  return { items: all.slice(offset, end), ...total, next };
}

/** Returns the caller of a read that can take long. */
export function readerOf({ deadline, principal }: Pick<Call, 'deadline' | 'principal'>): Page['reader'] {
  return { deadline, tenantId: principal?.account.tenantId };
}

function invalidAfter(message: string): ServiceError {
  return invalid({ message, format: 'cursor', props: ['after'] });
}

function invalid(violation: Violation): ServiceError {
  return new ServiceError('VALIDATION_ERROR', { violations: [violation] });
}
